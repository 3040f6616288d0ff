//! The claims of a paper's table: the paper's figure, ours with its interval, and the verdict.
//!
//! Machines differ, so claims are factors, sizes and shares, never times. A factor over the same network is
//! judged over the library's products where they were measured, as the papers' baselines call a library. A
//! factor over another network is judged over our own engine, since the library would favour one side.

use dyno_stats::Estimate;
use serde::Serialize;

use super::pair::{LIBRARY, Pair};
use super::rows::{Reproduction, Row};
use super::verdict::Verdict;
use crate::tables::{Column, Point, Quantity, Statement, Unit};
use dyno_report::{Field, Table};

/// Reason of a missing figure that only a library's products give.
const LIBRARY_NEEDED: &str = "the base is a library's products: ci/peers/README.md says how to build them";

/// A claim of a paper, and what became of it here.
#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    /// Subject of the claim.
    pub what: String,
    /// The paper's figure.
    pub paper: String,
    /// Our figure.
    pub ours: Option<String>,
    /// Least and greatest round of our figure.
    pub interval: Option<String>,
    /// Side that our factor is over: the library or our own engine.
    pub over: Option<&'static str>,
    /// Verdict on the claim.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Whether the paper's abstract or conclusion rests on the claim.
    pub headline: bool,
}

/// Reason of a missing figure of a library's product alone.
const PEERS_NEEDED: &str = "`ci/peers/kernels/run --products` measures it";

/// Reason of figures whose campaign can't be read; the notes of the table have the error.
const UNREADABLE: &str = "its campaign can't be read on this host, as noted below";

/// Sides that our factor is over.
const OVER_LIBRARY: &str = "a library's products";
const OVER_PROGRAM: &str = "another program";
const OVER_OURS: &str = "our own engine";

/// Claims of the rows, then of the statements, then of the quality.
pub fn claims(reproduction: &Reproduction) -> Vec<Claim> {
    // A figure plots a table of the paper: its statements are its own claims.
    let rows = reproduction.rows.iter().filter(|_| !reproduction.table.plots);
    let points = rows.filter_map(|row| Some((row, reproduction.table.point(&row.name)?)));
    let of_rows = points.flat_map(|(row, point)| of_row(reproduction, row, point));
    let statements = reproduction.table.statements.iter().map(|said| of_statement(reproduction, said));
    of_rows.chain(statements).chain(quality(reproduction)).collect()
}

/// The claims as a table of the page.
pub fn claims_table(caption: &str, claims: &[(String, Claim)]) -> Table {
    let mut table = Table::new(caption, &["claim", "paper", "here", "verdict", "least to most", "over"]);
    for (place, claim) in claims {
        let text = |text: &Option<String>| text.as_ref().map_or_else(Field::none, Field::text);
        let what = if place.is_empty() { claim.what.clone() } else { format!("{place}: {}", claim.what) };
        table.push(
            "",
            vec![
                Field::text(what),
                Field::text(&claim.paper),
                text(&claim.ours),
                Field::text(claim.verdict.text()),
                text(&claim.interval),
                Field::text(claim.over.unwrap_or("–")),
            ],
        );
    }
    table
}

fn of_row(reproduction: &Reproduction, row: &Row, point: &Point) -> Vec<Claim> {
    let columns = reproduction.table.columns.iter().zip(&row.columns);
    let claims = columns.filter_map(|(column, pair)| {
        let open = match column.unit {
            Unit::Megabytes | Unit::Mebibytes | Unit::Millions => size(column, pair, row)?,
            _ => factor(reproduction, column, pair, row)?,
        };
        let claim = open.judged(reproduction, row, point, column);
        Some(Claim { headline: point.headline.as_ref() == Some(&column.head), ..claim })
    });
    let claims: Vec<Claim> = claims.collect();
    match (&point.missing, row.paper_bleu) {
        (Some(missing), Some(bleu)) if claims.is_empty() && row.base.as_ref() != Some(&row.name) => {
            vec![Claim::new(&row.name, format!("BLEU {bleu:.1}"), Verdict::NotComparable(missing.clone()))]
        }
        _ => claims,
    }
}

/// A claim whose figure of ours may be absent.
struct Open {
    claim: Claim,
    found: Option<Verdict>,
}

impl Open {
    /// The claim with its verdict; without a figure of ours it is the reason of the absence.
    fn judged(self, reproduction: &Reproduction, row: &Row, point: &Point, column: &Column) -> Claim {
        let missing = point.missing.as_ref().or(row.lacking.as_ref());
        let pending = [&column.pending, &point.pending, &row.absent].into_iter().find_map(Option::as_ref);
        let absent = || absence(reproduction, missing, pending);
        let found = self.found.filter(|_| row.lacking.is_none() && column.pending.is_none());
        Claim { verdict: found.unwrap_or_else(absent), ..self.claim }
    }
}

/// Verdict where no figure of ours is there.
fn absence(reproduction: &Reproduction, missing: Option<&String>, pending: Option<&String>) -> Verdict {
    let table = &reproduction.table;
    match (missing, pending) {
        (Some(missing), _) => Verdict::NotComparable(missing.clone()),
        (_, Some(pending)) => Verdict::NotMeasured(pending.clone()),
        _ if reproduction.fault.is_some() => Verdict::NotMeasured(UNREADABLE.into()),
        _ if table.measures() || !table.products().is_empty() => {
            Verdict::NotMeasured(format!("`dyno reproduce {}` measures it", table.id))
        }
        _ => Verdict::NotMeasured("nothing here measures it so far".into()),
    }
}

fn size(column: &Column, pair: &Pair, row: &Row) -> Option<Open> {
    let (paper, unit) = (pair.paper?, column.unit);
    let text = |value: f64| format!("{value:.0} {}", unit.name());
    let what = format!("{}, {}", row.name, column.head);
    Some(Open {
        claim: Claim {
            ours: pair.ours.map(text),
            ..Claim::unjudged(what, format!("{paper} {}", unit.name()))
        },
        found: pair.ours.map(|ours| Verdict::of_size(ours, paper)),
    })
}

fn factor(reproduction: &Reproduction, column: &Column, pair: &Pair, row: &Row) -> Option<Open> {
    let base = row.base.as_ref().filter(|base| **base != row.name)?;
    let paper = pair.paper_factor?;
    let (ours, over) = match (pair.over_library, pair.factor) {
        (Some(library), _) if row.same_lines.is_some() => (Some(library), OVER_LIBRARY),
        (_, own) => (own, side(reproduction, base)),
    };
    let alone = reproduction.table.campaign.is_none();
    let needs_library = ours.is_none() && over == OVER_LIBRARY && (alone || pair.ours.is_some());
    let of_column = match &reproduction.table.columns[..] {
        [_] => String::new(),
        _ => format!(" ({})", column.head),
    };
    let what = format!("“{}” over “{base}”{of_column}", row.name);
    let claim = Claim::unjudged(what, format!("{paper:.2}×"));
    Some(Open {
        claim: Claim {
            ours: ours.map(|ours| format!("{:.2}×", ours.value)),
            interval: ours.map(interval),
            over: ours.map(|_| over),
            ..claim
        },
        found: match needs_library {
            true => Some(Verdict::NotMeasured(if alone { PEERS_NEEDED } else { LIBRARY_NEEDED }.into())),
            false => ours.map(|ours| Verdict::of(ours, paper)),
        },
    })
}

/// The side of a base: a library's products, another program, or our own engine.
fn side(reproduction: &Reproduction, base: &str) -> &'static str {
    let Some(point) = reproduction.table.point(base) else { return OVER_OURS };
    let row = reproduction.rows.iter().find(|row| row.name == base);
    let is_measured = |row: &Row| row.columns.iter().any(|pair| pair.ours.is_some());
    let by_library = point.product.is_some_and(|product| product.by.is_some());
    match reproduction.table.campaign {
        _ if by_library || point.system().contains(LIBRARY.trim_end_matches(')')) => OVER_LIBRARY,
        Some(_) if row.is_some_and(|row| row.backend.is_none() && is_measured(row)) => OVER_PROGRAM,
        _ => OVER_OURS,
    }
}

fn interval(of: Estimate) -> String {
    format!("{:.2}–{:.2}", of.low, of.high)
}

fn of_statement(reproduction: &Reproduction, said: &Statement) -> Claim {
    let named = said.point.as_ref().and_then(|name| reproduction.rows.iter().find(|row| row.name == *name));
    let found = said.of.zip(named).and_then(|(of, row)| Some((of, quantity(said, of, row)?)));
    let claim = Claim::unjudged(said.says.clone(), said.figure.clone());
    let absent = || absence(reproduction, said.missing.as_ref(), said.pending.as_ref());
    let verdict = match (&found, said.least, said.most) {
        (Some((_, ours)), Some(least), _) => Verdict::of(*ours, least),
        (Some((_, ours)), _, Some(most)) => Verdict::of(negative(*ours), -most),
        _ => absent(),
    };
    let spread = found.filter(|(_, ours)| ours.low < ours.high).map(|(_, ours)| interval(ours));
    Claim { ours: found.map(|(of, ours)| of.text(ours.value)), interval: spread, verdict, ..claim }
}

/// The estimate of which more is better, where less is better of `of`.
fn negative(of: Estimate) -> Estimate {
    Estimate { value: -of.value, low: -of.high, high: -of.low }
}

fn quantity(said: &Statement, of: Quantity, row: &Row) -> Option<Estimate> {
    let exactly = |value: Option<f64>| value.map(Estimate::exactly);
    match of {
        Quantity::SameLines => exactly(row.same_lines.map(|share| share * 100.0)),
        Quantity::Products => exactly(row.time.as_ref().and_then(|told| {
            let operators = &told.breakdown.operators;
            let whole: u64 = operators.values().sum();
            Some(*operators.get("product")? as f64 / whole.max(1) as f64 * 100.0)
        })),
        Quantity::BleuGain => row.bleu_gain,
        Quantity::Factor => row.columns.first()?.factor,
        Quantity::Coverage => exactly(row.coverage.map(|found| found.percent())),
        Quantity::ImageSize => exactly(row.image_bytes.map(|bytes| bytes as f64 / 1e6)),
        Quantity::CountsShare => {
            let [part, whole] = said.parts.as_ref()?.each_ref().map(|name| row.counts.get(name));
            whole.filter(|whole| **whole > 0)?;
            Some(Estimate::exactly(*part? as f64 / *whole? as f64 * 100.0))
        }
        Quantity::PartsRatio => {
            let components = &row.time.as_ref()?.breakdown.components;
            let [part, other] = said.parts.as_ref()?.each_ref().map(|name| components.get(name));
            Some(Estimate::exactly(*part? as f64 / *other? as f64))
        }
    }
}

/// The claim about the quality of all rows, where the table says why ours can't be held against the paper's.
fn quality(reproduction: &Reproduction) -> Option<Claim> {
    let reason = reproduction.table.quality.as_ref()?;
    let bleus = || reproduction.table.points.iter().filter_map(|point| point.bleu);
    let (least, most) = (bleus().reduce(f64::min)?, bleus().reduce(f64::max)?);
    let verdict = Verdict::NotComparable(reason.clone());
    Some(Claim::new("quality of all rows", format!("BLEU {least} to {most}"), verdict))
}

impl Claim {
    fn new(what: impl Into<String>, paper: String, verdict: Verdict) -> Self {
        let (ours, interval, over) = (None, None, None);
        Self { what: what.into(), paper, ours, interval, over, verdict, headline: false }
    }

    fn unjudged(what: String, paper: String) -> Self {
        Self::new(what, paper, Verdict::NotMeasured(String::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::measured::Measured;
    use super::*;
    use crate::tables::tables;

    fn reproduction(id: &str) -> Reproduction {
        let table = tables().unwrap().into_iter().find(|table| table.id == id).unwrap();
        Reproduction::of(&table, Measured::default())
    }

    fn claim(reproduction: &Reproduction, what: &str) -> Claim {
        claims(reproduction).into_iter().find(|claim| claim.what.contains(what)).unwrap()
    }

    #[test]
    fn what_was_not_measured_says_how_to_measure_it() {
        let claim = claim(&reproduction("devlin-1"), "Merge Rec.");
        // Printed; 418 / 95 is 4.40.
        assert_eq!((claim.paper.as_str(), claim.headline), ("4.37×", true));
        assert_eq!(claim.verdict.text(), "not measured yet: `dyno reproduce devlin-1` measures it");
    }

    #[test]
    fn the_same_network_is_judged_over_the_library() {
        let mut devlin = reproduction("devlin-1");
        let row = devlin.rows.iter_mut().find(|row| row.name == "+ Merge Rec.").unwrap();
        row.columns[0].factor = Some(Estimate { value: 3.0, low: 2.9, high: 3.1 });
        row.columns[0].over_library = Some(Estimate { value: 6.0, low: 5.9, high: 6.1 });
        let own = claim(&devlin, "Merge Rec.");
        assert_eq!((own.ours.as_deref(), own.verdict), (Some("3.00×"), Verdict::NotReached));
        devlin.rows.iter_mut().for_each(|row| row.same_lines = Some(0.5));
        let judged = claim(&devlin, "Merge Rec.");
        assert_eq!((judged.ours.as_deref(), judged.verdict), (Some("6.00×"), Verdict::Exceeded));
        assert_eq!(judged.interval.as_deref(), Some("5.90–6.10"));
    }

    #[test]
    fn drawn_networks_are_not_judged_by_their_translations() {
        let of = |id: &str| {
            let mut devlin = reproduction(id);
            devlin.rows.iter_mut().for_each(|row| row.same_lines = Some(0.5));
            claim(&devlin, "translations")
        };
        assert_eq!(of("devlin-1").verdict.kind(), "can't be compared");
        let trained = of("devlin-trained");
        assert_eq!((trained.ours.as_deref(), trained.verdict), (Some("50.0 %"), Verdict::NotReached));
    }

    #[test]
    fn a_library_that_was_not_measured_is_named() {
        let mut dice = reproduction("dice-1");
        let row = dice.rows.iter_mut().find(|row| row.name == "2 threads, onednn-almo").unwrap();
        row.columns[0].ours = Some(20.0);
        assert!(claim(&dice, "“2 threads, onednn-almo”").verdict.text().ends_with(LIBRARY_NEEDED));
        let row = dice.rows.iter_mut().find(|row| row.name == "2 threads, onednn-almo").unwrap();
        row.columns[0].factor = Some(Estimate { value: 2.0, low: 1.9, high: 2.1 });
        // The paper prints 1.66.
        let judged = claim(&dice, "“2 threads, onednn-almo”");
        assert_eq!((judged.paper.as_str(), judged.over), ("1.66×", Some(OVER_LIBRARY)));
        assert_eq!(judged.verdict, Verdict::Exceeded);
    }

    #[test]
    fn counts_are_shares_of_each_other() {
        let mut devlin = reproduction("devlin-trained");
        let row = devlin.rows.iter_mut().find(|row| row.name == "int16, all speed-ups").unwrap();
        row.counts = [("states".into(), 60), ("hypotheses".into(), 100)].into();
        // The paper prints 70 %; fewer states are less work.
        let told = claim(&devlin, "states of a beam");
        assert_eq!((told.ours.as_deref(), told.verdict), (Some("60.0 %"), Verdict::Exceeded));
    }

    #[test]
    fn a_host_with_too_few_cores_is_missing_hardware() {
        let mut processes = reproduction("opennmt-processes");
        let row = processes.rows.iter_mut().find(|row| row.name == "4 processes").unwrap();
        row.lacking = Some("hardware: 4 cores are needed; this host has 2".into());
        let told = claim(&processes, "4 processes").verdict.text();
        assert_eq!(told, "can't be compared: hardware: 4 cores are needed; this host has 2");
    }

    #[test]
    fn a_gpu_is_missing_hardware() {
        let marian = claims(&reproduction("marian-3"));
        assert!(marian.iter().all(|claim| claim.verdict.text().starts_with("can't be compared: ")));
    }
}
