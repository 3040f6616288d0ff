//! Material of a report: a run and its summary, with its systems and test sets as sections ask for them.
//!
//! Measurements and judgements are those of `dyno-results`. Verdicts for the reader follow in `view`.

use dyno_api::printable_line;
use dyno_measure::{TestSet, Track, Verdict};
use dyno_record::identity::{Launch, RunSystem};
use dyno_results::scores::{Scale, Standard};
use dyno_results::summary::judge::{is_echo, quality_order};
use dyno_results::{CellSummary, Run, Summary};
use dyno_stats::{Estimate, Order};

use super::charts::Family;

/// A run, as a page needs it.
pub struct Material<'a> {
    pub run: &'a Run,
    /// Its judged rows.
    pub summary: &'a Summary,
    /// Systems, in the campaign's order.
    pub systems: Vec<System<'a>>,
    /// Test sets.
    pub sets: Vec<Set<'a>>,
}

/// A system of the campaign.
pub struct System<'a> {
    /// Name of the system, in printable characters.
    pub name: String,
    pub family: Family,
    /// Whether the system is an earlier one under a second name, entered to measure the noise.
    pub is_twin: bool,
    /// Name of the sweep that the system is a part of.
    pub sweep: Option<String>,
    /// Settings that were varied, with their names.
    pub settings: Vec<(String, String)>,
    /// The campaign's description.
    pub described: &'a RunSystem,
}

/// A test set with all cells on it.
pub struct Set<'a> {
    run: &'a Run,
    /// Name and texts.
    pub texts: &'a TestSet,
    /// Scales of the quality metrics, the frontier's first.
    pub metrics: Vec<Scale>,
    pub cells: Vec<&'a CellSummary>,
}

impl<'a> Material<'a> {
    pub fn of(run: &'a Run, summary: &'a Summary) -> Self {
        let set = |texts: &'a TestSet| Set {
            run,
            texts,
            metrics: run.scales_of(texts),
            cells: summary.cells.iter().filter(|cell| cell.test_set == texts.name).collect(),
        };
        let systems = run.identity.systems.iter().enumerate();
        Self {
            run,
            summary,
            systems: systems.map(|(i, described)| System::of(run, i, described)).collect(),
            sets: run.test_sets.iter().map(set).collect(),
        }
    }
}

impl<'a> System<'a> {
    fn of(run: &Run, index: usize, described: &'a RunSystem) -> Self {
        let settings = match &described.launch {
            Launch::Adapter(_) => Vec::new(), // its command shows them
            launch => launch.settings(),
        };
        Self {
            name: printable_line(&described.name),
            family: family_of(described),
            is_twin: run.systems()[..index].iter().any(|other| run.are_twins(other, &described.name)),
            sweep: described.sweep.as_deref().map(printable_line),
            settings,
            described,
        }
    }
}

/// Family of the engine of a system, as the run's identity describes it.
pub fn family_of(described: &RunSystem) -> Family {
    match &described.launch {
        Launch::BuiltIn { backend, .. } => Family::of_backend(backend),
        Launch::Plugin { .. } => Family::Plugin,
        Launch::Foreign { .. } | Launch::Adapter(_) | Launch::Submission(_) => Family::Program,
    }
}

impl<'a> Set<'a> {
    /// Scale of the frontier's metric.
    pub fn scale(&self) -> Scale {
        self.metrics.first().cloned().unwrap_or_else(|| Standard::Bleu.scale())
    }

    pub fn cell(&self, system: usize, track: Track) -> Option<&'a CellSummary> {
        self.cells.iter().copied().find(|cell| cell.place == system && cell.track == track)
    }

    /// Cells of a system that are not INVALID.
    fn valid(&self, system: usize) -> impl Iterator<Item = &'a CellSummary> {
        let own = self.cells.iter().copied().filter(move |cell| cell.place == system);
        own.filter(|cell| cell.verdict != Verdict::Invalid)
    }

    /// Quality of a system: the worst of its tracks.
    pub fn quality(&self, system: usize) -> Option<Estimate> {
        self.scale().worst(self.valid(system).filter_map(CellSummary::first_quality))
    }

    /// Order of systems `a` and `b` in quality; by their intervals where no paired test was made.
    pub fn quality_order(&self, a: usize, b: usize) -> Order {
        let outputs = self.output(a).zip(self.output(b));
        let paired = outputs.and_then(|(a, b)| quality_order(self.run, &self.texts.name, a, b));
        let apart = || Some(self.scale().order_of(&self.quality(a)?, &self.quality(b)?));
        paired.or_else(apart).unwrap_or(Order::Unclear)
    }

    /// The cell whose output stands for a system: its first valid one with an output.
    pub fn translated(&self, system: usize) -> Option<&'a CellSummary> {
        self.valid(system).find(|cell| cell.output.is_some())
    }

    /// Hash of a system's output.
    pub fn output(&self, system: usize) -> Option<&'a String> {
        self.translated(system)?.output.as_ref()
    }

    /// A system's answers, a line each.
    pub fn answers(&self, system: usize) -> Option<&'a Vec<String>> {
        self.run.outputs.get(self.output(system)?)
    }

    /// Whether a system returns the source, as null systems and `cat` do: a yardstick of the path, no
    /// translator.
    pub fn is_yardstick(&self, system: usize) -> bool {
        let source = || self.texts.source.iter().map(Vec::as_slice);
        self.answers(system).is_some_and(|answers| is_echo(source(), answers))
    }
}
