//! `dyno gate`: tests whether a candidate is slower, worse or larger than its baseline.
//!
//! The command is for CI: its exit code is the answer. Both sides run side by side, in pairs of short rounds, so that
//! disturbances of the host meet both alike. A suspected regression is measured once more, and both passes are judged
//! together. `instructions` counts in place of all that.

mod answer;
mod baseline;
mod cell;
mod cells;
mod counter;
mod instructions;
mod markdown;
mod stage;
mod trials;

use answer::{Answer, as_text, ceilings, changes, judged};
use baseline::Baseline;
use cell::Cell;
pub use counter::Counter;
use dyno_measure::{TestSet, host};
use dyno_results::compare::{LEAST_PAIRS, QualityLimits};
use dyno_results::{Place, scores};
use itertools::Itertools;
use stage::Stage;

use crate::campaign::{Campaign, Entry, make_ready, named_or_starter};
use crate::cli::measuring::{By, GateArgs};
use crate::exit::{Exit, Outcome, no_answer};
use crate::filters::narrow;
use crate::interrupt::Stop;
use crate::output::{self, say};
use crate::scoring::announce;
use crate::scratch::Scratch;

pub fn gate(args: &GateArgs) -> Outcome {
    if args.pairs < LEAST_PAIRS {
        let message = format!("{} pairs are too few; give at least {LEAST_PAIRS} with --pairs", args.pairs);
        return Err(no_answer(Exit::NothingMeasured, message));
    }
    let mut campaign = named_or_starter(args.campaign.as_deref())?;
    let baseline = baseline(args, &campaign)?;
    narrow(&mut campaign, &args.filters)?;
    campaign.systems.retain(|system| !baseline.is(&system.name));
    refuse_unchecked_limits(args, &campaign)?;
    make_ready(&campaign)?;
    if args.by == By::Instructions {
        return instructions::gate(args, &campaign, &baseline);
    }
    let (stop, host) = (Stop::on_signals(|| ())?, host::detect()?);
    let mut cells = cells::cells(&campaign, &baseline, &host, &stop)?;
    if cells.is_empty() {
        let message = "no candidate is left: the filters leave only the baseline, or the stored run has no cell of a candidate; choose other filters, or another baseline";
        return Err(no_answer(Exit::NothingMeasured, message));
    }
    let scratch = Scratch::create()?;
    let place = args.out.clone().unwrap_or_else(|| scratch.path().join("gate"));
    let mut stage =
        Stage::new(&Place::Exactly(&place), &campaign, &host, parts_of(&campaign, &cells), &stop)?;
    campaign.placement(&host).shortfall(campaign.cores, &campaign.tracks).into_iter().for_each(say);
    if cells::measure(&mut stage, &mut cells, args.pairs)? {
        say("interrupted: no cell is judged");
        return Ok(Exit::Interrupted);
    }
    let limits = QualityLimits { worst: args.worst_quality, max_loss: args.max_quality_loss };
    let quality = cells::quality(&mut stage, &campaign, &mut cells, &baseline, limits)?;
    let ceilings = ceilings(&stage, &campaign, args);
    let changes = changes(&cells, &baseline, &stage.keeper.run.identity);
    let judged = judged(&cells, &baseline);
    let unchecked = cells::unchecked(limits, &quality);
    conclude(&Answer::new(judged, (quality, unchecked), ceilings, changes, args.on_noise), args)
}

fn conclude(answer: &Answer, args: &GateArgs) -> Outcome {
    output::answer(args.json, "gate", answer, || as_text(answer))?;
    if let Some(file) = &args.summary {
        markdown::add(&markdown::of(answer), file)?;
    }
    answer.warning().into_iter().for_each(|warning| say!("warning: {warning}"));
    Ok(answer.exit())
}

/// Systems and test sets of the gate: both sides of each cell, whole sets and the lines of rounds.
fn parts_of(campaign: &Campaign, cells: &[Cell]) -> (Vec<Entry>, Vec<TestSet>) {
    let sides = cells.iter().flat_map(|cell| [Some(&cell.entries.0), cell.entries.1.as_ref()]);
    let systems = sides.flatten().unique_by(|entry| &entry.name).cloned().collect();
    let sets = campaign.test_sets.iter().chain(cells.iter().map(|cell| &cell.test_set));
    (systems, sets.unique_by(|set| &set.sha256).cloned().collect())
}

fn baseline(args: &GateArgs, campaign: &Campaign) -> Outcome<Baseline> {
    match (&args.baseline, &args.baseline_dyno) {
        (Some(what), None) => Baseline::named(what, campaign),
        (None, Some(program)) => Baseline::dyno(program),
        _ => refuse!("the baseline is missing; add --baseline SYSTEM|COMMAND|RUN or --baseline-dyno PROGRAM"),
    }
}

/// Refuses a limit that can't be checked: such a gate would let everything pass.
fn refuse_unchecked_limits(args: &GateArgs, campaign: &Campaign) -> Outcome<()> {
    let loss = args.max_quality_loss.map(|_| "--max-quality-loss");
    if let Some(limit) = args.worst_quality.map(|_| "--worst-quality").or(loss) {
        if !campaign.metrics.of_sacrebleu().is_empty() {
            scores::prepare(&campaign.metrics, &announce)?;
        }
        let mut sets = campaign.test_sets.iter();
        if let Some(set) = sets.find(|set| campaign.metrics.first_for(set).is_none()) {
            let (name, remedy) = (&set.name, "add them, or filter with --test-set");
            refuse!("{limit}: test set {name} has no references for the campaign's metrics; {remedy}");
        }
    }
    let sizeless = |system: &&Entry| !system.is_hosted() && system.models.is_empty();
    let unknown = campaign.systems.iter().find(sizeless).filter(|_| args.max_model.is_some());
    if let Some(Entry { name, .. }) = unknown {
        let remedy = "add `model` to the system in the campaign";
        refuse!("--max-model: the model files of {name} are unknown; {remedy}");
    }
    Ok(())
}
