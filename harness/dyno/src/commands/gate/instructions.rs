//! `dyno gate --by instructions`: whether candidates take more instructions for a word than their baseline.
//!
//! Instructions aren't time: a cache or a wider vector changes one and not the other. But they are the same on a busy
//! host, so that a shared runner can test them.

use std::fmt::Write as _;

use dyno_measure::{Profile, TestSet, Track, host};
use dyno_stats::numbers::whole;
use serde::Serialize;

use super::markdown;
use crate::campaign::{Campaign, Entry};
use crate::cli::GateArgs;
use crate::exit::{Exit, Outcome, no_answer};
use crate::gate::{Baseline, Counter, Fault, Instructions};
use crate::interrupt::Stop;
use crate::{output, table};

/// Tolerated ratio of candidate to baseline. Counts of one program differ by less than 0.1 %.
const TOLERATED: f64 = 1.01;

#[derive(Serialize)]
struct Answer {
    regressed: bool,
    counter: Counter,
    cells: Vec<Cell>,
}

#[derive(Serialize)]
struct Cell {
    system: String,
    baseline: String,
    test_set: String,
    track: Track,
    baseline_instructions_per_word: f64,
    candidate_instructions_per_word: f64,
    ratio: f64,
}

/// Counts and judges the candidates of `campaign`, and prints the answer.
pub(super) fn gate(args: &GateArgs, campaign: &Campaign, baseline: &Baseline) -> Outcome {
    refuse_other_limits(args)?;
    let counting = Instructions::new(campaign, &host::detect()?, &Stop::on_signals(|| ())?)?;
    let mut cells = Vec::new();
    for set in &campaign.test_sets {
        for candidate in &campaign.systems {
            // One track is enough: `--track` chooses another one.
            let mut tracks = campaign.tracks.iter().copied();
            let Some(track) = tracks.find(|track| candidate.takes_part(*track)) else { continue };
            match counted(&counting, baseline, candidate, (set, track))? {
                Ok(cell) => cells.push(cell),
                Err(Fault { culprit, reason }) => {
                    say!("{culprit} is INVALID on {}: {}; {}", set.name, reason.figure, reason.remedy);
                    return Ok(Exit::CellInvalid);
                }
            }
        }
    }
    if cells.is_empty() {
        return Err(no_answer(
            Exit::NothingMeasured,
            "no candidate is left: the filters leave only the baseline",
        ));
    }
    let answer = Answer { regressed: cells.iter().any(Cell::is_more), counter: counting.counter, cells };
    output::answer(args.json, "gate-by-instructions", &answer, || answer.text())?;
    args.summary.iter().try_for_each(|file| markdown::add(&format!("```\n{}```\n", answer.text()), file))?;
    Ok(if answer.regressed { Exit::No } else { Exit::Done })
}

/// Counts of both sides on `set`, or the rule that one of them broke.
fn counted(
    counting: &Instructions,
    baseline: &Baseline,
    candidate: &Entry,
    (set, track): (&TestSet, Track),
) -> Outcome<Result<Cell, Fault>> {
    let Some((entry, theirs)) = baseline.beside(candidate)? else {
        refuse!(
            "a stored run has no instructions: give --baseline a system or a command, or --baseline-dyno"
        );
    };
    if let Some(entry) = [candidate, &entry].into_iter().find(|entry| entry.is_sandboxed(Profile::Quick)) {
        refuse!("{} asks for a sandbox, in which nothing is counted: run a gate by time for it", entry.name);
    }
    let baseline_instructions_per_word = match counting.of_a_word(&theirs, set, track)? {
        Ok(count) => count,
        Err(fault) => return Ok(Err(fault)),
    };
    let cell = |candidate_instructions_per_word| Cell {
        system: candidate.name.clone(),
        baseline: theirs.name.clone(),
        test_set: set.name.clone(),
        track,
        baseline_instructions_per_word,
        candidate_instructions_per_word,
        ratio: candidate_instructions_per_word / baseline_instructions_per_word,
    };
    Ok(counting.of_a_word(&candidate.system()?, set, track)?.map(cell))
}

/// Refuses what this gate would pass over in silence.
fn refuse_other_limits(args: &GateArgs) -> Outcome<()> {
    let given = [
        ("--worst-quality", args.worst_quality.is_some()),
        ("--max-quality-loss", args.max_quality_loss.is_some()),
        ("--max-memory", args.max_memory.is_some()),
        ("--max-model", args.max_model.is_some()),
        ("--out", args.out.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => {
            Err(bad_input!("--by instructions measures nothing for {option}: run a gate by time for it"))
        }
        None => Ok(()),
    }
}

impl Answer {
    fn text(&self) -> String {
        let heads = ["system", "against", "track", "test set", "instructions/word", "baseline", "ratio", ""];
        let rows: Vec<_> = self.cells.iter().map(Cell::row).collect();
        let mut text = table::fitted(&heads, &rows, 4..7, &["test set", "against"]) + "\n";
        let by = match self.counter {
            Counter::Perf => "the processor's counters",
            Counter::Cachegrind => "cachegrind, as on a processor without AVX-512",
        };
        let verdict = if self.regressed { "REGRESSED" } else { "no regression" };
        let _ = writeln!(text, "counted by {by}; ×{TOLERATED} is tolerated\n{verdict}");
        text
    }
}

impl Cell {
    fn is_more(&self) -> bool {
        self.ratio > TOLERATED
    }

    fn row(&self) -> Vec<String> {
        let change = match self.ratio {
            _ if self.is_more() => "more",
            ratio if ratio < 1.0 / TOLERATED => "fewer",
            _ => "same",
        };
        let names = [&self.system, &self.baseline, self.track.name(), &self.test_set].map(str::to_owned);
        let counts = [self.candidate_instructions_per_word, self.baseline_instructions_per_word].map(whole);
        let ends = [format!("×{:.4}", self.ratio), change.into()];
        names.into_iter().chain(counts).chain(ends).collect()
    }
}
