//! Metrics that a run is scored by: dyno's own by name, any other as a worker. On each test set the first
//! metric of the list that can score it is the frontier's.
//!
//! A new metric that needs no worker is a variant of [`Standard`], with its scale here and its scorer in a
//! module of its own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use dyno_measure::TestSet;
use dyno_record::rules::names::named;
use serde::{Deserialize, Serialize};

use super::scale::{Direction, Needs, Scale};

/// A metric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Metric {
    /// A metric of dyno's own.
    Standard(Standard),
    /// A metric of another program.
    Worker(WorkerCommand),
}

dyno_record::words! {
    /// Metrics that need no worker, with their titles: sacrebleu's, and the correlation of encoders.
    #[serde(rename_all = "lowercase")]
    pub enum Standard {
        /// Corpus BLEU.
        Bleu => "BLEU",
        /// Corpus BLEU over the pieces of FLORES-200's SentencePiece model, for any language.
        SpBleu => "spBLEU",
        /// Corpus chrF2.
        Chrf => "chrF",
        /// Corpus chrF2 with n-grams of up to two words.
        #[serde(rename = "chrf++")]
        ChrfPlusPlus => "chrF++",
        /// Translation edit rate.
        Ter => "TER",
        /// Spearman's correlation of an encoder's cosines with gold scores.
        Spearman => "Spearman",
    }
}

/// The command of a worker, which speaks JSON lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerCommand {
    /// Name of the metric in tables.
    pub name: String,
    /// Program and arguments.
    pub worker: Vec<String>,
    /// Folder that the program starts in.
    pub folder: PathBuf,
}

impl Standard {
    /// Scale of the scores. TER has no upper end: a text can need more edits than the reference has words.
    pub fn scale(self) -> Scale {
        let (direction, range, needs) = match self {
            Self::Ter => (Direction::Lower, [0.0, 100.0], Needs::References),
            Self::Spearman => (Direction::Higher, [-1.0, 1.0], Needs::Gold),
            _ => (Direction::Higher, [0.0, 100.0], Needs::References),
        };
        Scale { name: self.name().into(), title: self.text().into(), direction, range: Some(range), needs }
    }

    /// Whether sacrebleu computes the metric.
    pub fn is_sacrebleus(self) -> bool {
        self != Self::Spearman
    }
}

impl Metric {
    /// Scale of a metric whose scale is known without a score.
    pub fn scale(&self) -> Option<Scale> {
        match self {
            Self::Standard(standard) => Some(standard.scale()),
            Self::Worker(_) => None,
        }
    }

    /// Name of the metric in campaigns and files.
    pub fn name(&self) -> &str {
        match self {
            Self::Standard(standard) => standard.name(),
            Self::Worker(command) => &command.name,
        }
    }

    /// A worker under a name that files and tables can bear.
    pub fn worker(name: &str, worker: Vec<String>, folder: PathBuf) -> Result<Self, String> {
        let is_fine = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
        let taken = named::<Standard>(name).is_ok();
        if name.is_empty() || name.len() > 30 || !name.chars().all(is_fine) || taken {
            return Err(format!(
                "{name:?} is no name for a worker: use 1 to 30 letters, digits, or `-_.+`, but none of dyno's own metrics"
            ));
        }
        Ok(Self::Worker(WorkerCommand { name: name.into(), worker, folder }))
    }
}

/// Form of a metric on the command line.
const FORM: &str = "give bleu, spbleu, chrf, chrf++, ter or spearman, or a worker as NAME=COMMAND";

impl FromStr for Metric {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((name, command)) = text.split_once('=') else {
            return named(text).map(Self::Standard).map_err(|_| FORM.into());
        };
        let worker = shlex::split(command).filter(|words| !words.is_empty()).ok_or(FORM)?;
        let folder = std::env::current_dir().map_err(|error| format!("no current folder: {error}"))?;
        Self::worker(name, worker, folder)
    }
}

/// Metrics of a run: `metrics.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metrics {
    /// Metrics, the frontier's first.
    pub list: Vec<Metric>,
    /// Target language of each test set that has one, such as `zh`: it decides the tokenisation.
    #[serde(default)]
    pub targets: BTreeMap<String, String>,
}

impl Default for Metrics {
    /// Metrics of a campaign that names none. Each scores the test sets that it suits.
    fn default() -> Self {
        let list = [Standard::Bleu, Standard::Chrf, Standard::Spearman].map(Metric::Standard).into();
        Self { list, targets: BTreeMap::new() }
    }
}

impl Metrics {
    /// Adds a metric, or replaces the one of its name. Returns whether the name had another metric.
    pub fn add(&mut self, metric: Metric) -> bool {
        match self.list.iter_mut().find(|known| known.name() == metric.name()) {
            Some(known) => std::mem::replace(known, metric.clone()) != metric,
            None => {
                self.list.push(metric);
                false
            }
        }
    }

    /// Takes back what was added to `earlier` and is none of the `scored`: a mistyped command would fail at each later
    /// scoring.
    pub fn take_back(&mut self, earlier: &Self, scored: impl Fn(&str) -> bool) {
        let of_earlier = |name: &str| earlier.list.iter().find(|metric| metric.name() == name).cloned();
        let kept = |metric: Metric| match scored(metric.name()) {
            true => Some(metric),
            false => of_earlier(metric.name()),
        };
        self.list = std::mem::take(&mut self.list).into_iter().filter_map(kept).collect();
    }

    /// First metric for answers on `set`. Only an asked worker says what it needs, so any may suit a text.
    pub fn first_for(&self, set: &TestSet) -> Option<&Metric> {
        self.list
            .iter()
            .find(|metric| metric.scale().unwrap_or_else(|| Scale::unknown(metric.name())).suits(set))
    }

    /// Metrics of sacrebleu in the list.
    pub fn of_sacrebleu(&self) -> Vec<Standard> {
        let standard = |metric: &Metric| match metric {
            Metric::Standard(standard) if standard.is_sacrebleus() => Some(*standard),
            _ => None,
        };
        self.list.iter().filter_map(standard).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_a_name_or_a_worker() {
        assert_eq!("chrf++".parse(), Ok(Metric::Standard(Standard::ChrfPlusPlus)));
        let Ok(Metric::Worker(command)) = "comet=python3 'a b.py' -x".parse() else { panic!("a worker") };
        assert_eq!((command.name.as_str(), command.worker.len()), ("comet", 3));
        assert_eq!(command.worker[1], "a b.py");
        assert!("m=python3 metrics/command/worker.py ./m.sh {output}".parse::<Metric>().is_ok());
        for (text, part) in [
            ("blue", "bleu, chrf"),
            ("=a", "no name"),
            ("bleu=a", "none of dyno's own"),
            ("a b=c", "no name"),
        ] {
            assert!(text.parse::<Metric>().unwrap_err().contains(part), "{text}");
        }
    }

    #[test]
    fn the_file_says_metrics_as_a_campaign_does() {
        let mut metrics = Metrics::default();
        assert!(!metrics.add("ter".parse().unwrap()));
        assert!(!metrics.add("mine=./mine.py".parse().unwrap()));
        assert!(metrics.add("mine=./other.py".parse().unwrap()), "another command");
        let text = serde_json::to_value(&metrics).unwrap();
        assert_eq!(text["list"][3], "ter");
        assert_eq!(text["list"][4]["worker"][0], "./other.py");
        assert_eq!(serde_json::from_value::<Metrics>(text).unwrap(), metrics);
    }
}
