//! A test set with all cells on it, and the order of its systems in quality.

use dyno_measure::TestSet;
use dyno_record::{Track, Verdict};
use dyno_stats::{Estimate, Order};

use crate::scores::{Scale, Standard};
use crate::summary::judge::{is_echo, quality_order};
use crate::{CellSummary, Run, Summary};

/// A test set with all cells on it.
pub struct Set<'a> {
    run: &'a Run,
    /// Name and texts.
    pub texts: &'a TestSet,
    /// Scales of the quality metrics, the frontier's first.
    pub metrics: Vec<Scale>,
    /// Rows of the cells.
    pub cells: Vec<&'a CellSummary>,
}

impl<'a> Set<'a> {
    /// The cells of `run` on the test set `texts`.
    pub fn of(run: &'a Run, summary: &'a Summary, texts: &'a TestSet) -> Self {
        let cells = summary.cells.iter().filter(|cell| cell.test_set == texts.name).collect();
        Self { run, texts, metrics: run.scales_of(texts), cells }
    }

    /// Scale of the frontier's metric.
    pub fn scale(&self) -> Scale {
        self.metrics.first().cloned().unwrap_or_else(|| Standard::Bleu.scale())
    }

    /// Cell of a system under `track`.
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
