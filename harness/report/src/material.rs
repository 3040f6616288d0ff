//! What a report is made of: a run, as far as a reader of the page is concerned. Everything measured is here,
//! nothing is judged yet.

use std::collections::HashMap;

use dyno_api::Breakdown;

use super::charts::Family;
use dyno_measure::Host;
use dyno_measure::Profile;
use dyno_measure::{Reason, Track, Verdict};
use dyno_results::prices::Price;
use dyno_results::summary::judge::{Duel, is_echo};
use dyno_stats::Estimate;
use dyno_stats::Order;

/// A run.
#[derive(Clone, Debug)]
pub struct Material {
    /// The campaign's name.
    pub campaign: String,
    /// The run's key.
    pub key: String,
    /// How thorough.
    pub profile: Profile,
    /// UTC day of the first round.
    pub date: Option<String>,
    /// Where.
    pub host: Host,
    /// What competed, in the campaign's order.
    pub systems: Vec<System>,
    /// On what.
    pub sets: Vec<Set>,
    /// All texts that systems gave, a line each; cells point here, since tracks mostly give the same.
    pub outputs: Vec<Vec<String>>,
    /// What the host costs, or one like it.
    pub price: Option<Price>,
    /// What else ran on the host, where it was watched.
    pub load: Option<Load>,
    /// A line between two processes that do nothing else, in microseconds.
    pub pipe_floor_us: Option<f64>,
    /// Where systems were to be cut off from the network: "isolated", or why that could not be; each once.
    pub networks: Vec<String>,
    /// Differences below this ratio are noise, by track, where it was measured.
    pub noise_floor: Vec<(Track, f64)>,
}

/// What others took of the host while it measured: the most of any round that counts.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Share that the hypervisor took.
    pub steal: f64,
    /// Share of the chosen cores that other programs took.
    pub foreign: f64,
    /// How often a disturbed round was measured again.
    pub repeated: usize,
}

/// What competed.
#[derive(Clone, Debug)]
pub struct System {
    /// Its name.
    pub name: String,
    /// Its family.
    pub family: Family,
    /// Whether it is an earlier one under another name, entered to measure the noise.
    pub is_twin: bool,
    /// What was varied: settings by name.
    pub settings: Vec<(String, String)>,
    /// Its models' names.
    pub models: Vec<String>,
    /// The command of each track.
    pub commands: Vec<(Track, Vec<String>)>,
}

/// A test set with all cells on it.
#[derive(Clone, Debug)]
pub struct Set {
    /// Its name.
    pub name: String,
    /// Its hash.
    pub sha256: String,
    /// Source lines; empty where the run doesn't hold them.
    pub source: Vec<String>,
    /// References, a list of lines each.
    pub references: Vec<Vec<String>>,
    /// How many lines it has.
    pub lines: usize,
    /// And words.
    pub words: usize,
    /// How quality was computed.
    pub signatures: Vec<String>,
    /// Outcomes.
    pub cells: Vec<Cell>,
    /// How surely the first of two systems is better than the second, by the paired bootstrap.
    pub orders: HashMap<(usize, usize), Order>,
    /// How the first of two systems compares with the second in what their rounds measured.
    pub duels: HashMap<(Measure, usize, usize), Duel>,
}

/// What rounds measured, and pairs of them compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Words a second under a track.
    Speed(Track),
    /// 95th percentile of latency.
    P95,
}

/// A system on a test set under a track.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Index of the system.
    pub system: usize,
    /// The protocol.
    pub track: Track,
    /// Whether it may be quoted.
    pub verdict: Verdict,
    /// Why not.
    pub reasons: Vec<Reason>,
    /// What else is to be said.
    pub warnings: Vec<Reason>,
    /// Rounds that count.
    pub rounds: usize,
    /// Cores that it had.
    pub cores: usize,
    /// Words a second, official.
    pub speed: Option<Estimate>,
    /// Without loading.
    pub steady: Option<f64>,
    /// Loading's share of a launch.
    pub load_share: Option<f64>,
    /// Million words for a US dollar, if the whole instance is paid for.
    pub millions_per_dollar: Option<Estimate>,
    /// The same, if only the cores that were used are.
    pub millions_pro_rata: Option<Estimate>,
    /// Percentiles of latency in ms: 50, 90, 95, 99.
    pub percentiles_ms: [Option<Estimate>; 4],
    /// Each line's latency in ms, median over rounds, in source order.
    pub latency_ms: Vec<f64>,
    /// The line fitted to latency over source words: fixed and per-word cost in ms.
    pub fit_ms: Option<(f64, f64)>,
    /// From launch to the first answer.
    pub start_ms: Option<f64>,
    /// Bytes of the model.
    pub model_bytes: Option<u64>,
    /// Peak memory.
    pub peak_bytes: Option<u64>,
    /// BLEU.
    pub bleu: Option<Estimate>,
    /// chrF.
    pub chrf: Option<f64>,
    /// Index of its text.
    pub output: Option<usize>,
    /// Where its time went, as the system says.
    pub breakdown: Option<Breakdown>,
}

impl Set {
    /// The cell of a system under a track.
    pub fn cell(&self, system: usize, track: Track) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.system == system && cell.track == track)
    }

    /// A system's quality: the worst of its tracks', should they differ.
    pub fn quality(&self, system: usize) -> Option<Estimate> {
        let own = self.cells.iter().filter(|cell| cell.system == system && cell.verdict != Verdict::Invalid);
        own.filter_map(|cell| cell.bleu).min_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// How surely system `a` is better than `b`; by their intervals where no paired test was made.
    pub fn quality_order(&self, a: usize, b: usize) -> Order {
        if let Some(order) = self.orders.get(&(a, b)) {
            return *order;
        }
        match (self.quality(a), self.quality(b)) {
            (Some(a), Some(b)) => a.order(&b),
            _ => Order::Unclear,
        }
    }

    /// A system's text: its first valid cell's.
    pub fn output(&self, system: usize) -> Option<usize> {
        let own = self.cells.iter().filter(|cell| cell.system == system && cell.verdict != Verdict::Invalid);
        own.filter_map(|cell| cell.output).next()
    }

    /// Whether a system hands back the source, as null systems and `cat` do: a yardstick of the path, no translator.
    pub fn is_yardstick(&self, system: usize, outputs: &[Vec<String>]) -> bool {
        let output = self.output(system).and_then(|output| outputs.get(output));
        output.is_some_and(|answers| is_echo(self.source.iter().map(String::as_bytes), answers))
    }
}
