//! Claims of a paper's text: its figure against a quantity of one row, or the reason why there is none.

use dyno_stats::Estimate;

use super::claim::{Claim, LINES, interval};
use super::measured::{ratios, spread};
use super::rows::{Reproduction, Row};
use super::verdict::{Lacking, Verdict};
use crate::tables::{Quantity, Statement};

/// Claims of the table's statements, in their order.
pub(super) fn statements(reproduction: &Reproduction) -> impl Iterator<Item = Claim> {
    reproduction.table.statements.iter().map(|said| of_statement(reproduction, said))
}

fn of_statement(reproduction: &Reproduction, said: &Statement) -> Claim {
    let named = said.point.as_ref().and_then(|name| reproduction.row(name));
    let found = said.of.zip(named).and_then(|(of, row)| Some((of, quantity(reproduction, said, of, row)?)));
    let lines = named.and_then(|row| row.lines).filter(|lines| *lines < LINES);
    let verdict = match (&found, lines) {
        (Some((of, _)), Some(lines)) if of.needs_lines() => {
            let whole = format!("`dyno reproduce {}` takes all", reproduction.table.id);
            Verdict::NotMeasured(format!("{lines} lines are too few for it; {whole}"))
        }
        (Some((of, ours)), _) => said_verdict(said, *of, *ours),
        _ => {
            let needed = said.cores.zip(reproduction.cores).filter(|(wanted, there)| there < wanted);
            let lacking = needed.map(|(wanted, there)| Lacking { wanted, there }.to_string());
            reproduction.without_figure(said.missing.clone().or(lacking), said.pending.as_ref())
        }
    };
    let interval = found.filter(|(_, ours)| ours.low < ours.high).and_then(|(_, ours)| interval(&[ours]));
    Claim {
        ours: found.map(|(of, ours)| of.text(ours.value)),
        interval,
        ..Claim::new(said.says.clone(), said.figure.clone(), verdict)
    }
}

fn said_verdict(said: &Statement, of: Quantity, ours: Estimate) -> Verdict {
    match (said.speed_up, said.about, said.least, said.most) {
        (Some(paper), ..) => Verdict::of_speed_up(ours, paper),
        (_, Some(about), ..) => Verdict::of_cost(ours, about),
        (.., Some(least), _) if of.is_cost() => Verdict::agreeing(ours.low > least),
        (.., Some(most)) if of.is_cost() => Verdict::agreeing(ours.high < most),
        (.., Some(least), _) => Verdict::of_bar(ours.value, least),
        (.., most) => Verdict::of_bar(-ours.value, -most.unwrap_or_default()),
    }
}

fn quantity(reproduction: &Reproduction, said: &Statement, of: Quantity, row: &Row) -> Option<Estimate> {
    let other = || reproduction.row(said.over.as_ref()?);
    let value = match of {
        Quantity::BleuGain => return row.bleu_gain,
        Quantity::BleuChange => return row.bleu_gain.map(change),
        Quantity::Factor if said.over.is_none() => return row.columns.first()?.factor,
        Quantity::Factor => {
            return spread(&ratios(&row.columns.first()?.factors, &other()?.columns.first()?.factors));
        }
        Quantity::SameLines => row.same_lines? * 100.0,
        Quantity::Products => {
            let operators = &row.time.as_ref()?.breakdown.operators;
            *operators.get("product")? as f64 / operators.values().sum::<u64>().max(1) as f64 * 100.0
        }
        Quantity::Coverage => row.coverage?.percent(),
        Quantity::ImageSize => row.image_bytes? as f64 / 1e6,
        Quantity::ProgramSize => reproduction.program_bytes? as f64 / 1e6,
        Quantity::CountsShare => {
            let [part, whole] = said.parts.as_slice() else { return None };
            let whole = *row.counts.get(whole).filter(|whole| **whole > 0)?;
            *row.counts.get(part)? as f64 / whole as f64 * 100.0
        }
        Quantity::PartsRatio => {
            let [part, other] = said.parts.as_slice() else { return None };
            let time = |part| time_of(row, std::slice::from_ref(part));
            time(part)? / time(other)?
        }
        Quantity::PartsGrowth => time_of(row, &said.parts)? / time_of(other()?, &said.parts)?,
    };
    Some(Estimate::exactly(value))
}

/// Nanoseconds in these components of a row, if its time was broken down.
fn time_of(row: &Row, parts: &[String]) -> Option<f64> {
    let components = &row.time.as_ref()?.breakdown.components;
    let times: Option<Vec<u64>> = parts.iter().map(|part| components.get(part).copied()).collect();
    Some(times?.iter().sum::<u64>() as f64)
}

/// A difference without its sign.
fn change(of: Estimate) -> Estimate {
    let (least, most) = (of.low.abs().min(of.high.abs()), of.low.abs().max(of.high.abs()));
    let low = if of.low <= 0.0 && of.high >= 0.0 { 0.0 } else { least };
    Estimate { value: of.value.abs(), low, high: most }
}

/// The claim about the quality of all rows, where the table says why ours can't be held against the paper's.
pub(super) fn quality(reproduction: &Reproduction) -> Option<Claim> {
    let reason = reproduction.table.quality.as_ref()?;
    // Rivals that a paper quotes have no figures of its own.
    let own = || reproduction.table.points.iter().filter(|point| !point.values.is_empty());
    let bleus = || own().filter_map(|point| point.bleu);
    let (least, most) = (bleus().reduce(f64::min)?, bleus().reduce(f64::max)?);
    let verdict = Verdict::NotComparable(reason.clone());
    Some(Claim::new("quality of all rows".into(), format!("BLEU {least} to {most}"), verdict))
}
