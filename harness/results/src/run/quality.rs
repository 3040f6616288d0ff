//! Quality of a run's cells: the scales of its metrics, the output that is scored, and rounds of unlike quality.

use std::collections::{BTreeMap, BTreeSet};

use dyno_measure::TestSet;
use dyno_record::rules::limits::MOST_UNLIKE;
use dyno_record::{Code, Reason, Record};
use itertools::Itertools;

use super::Run;
use super::cells::MeasuredCell;
use crate::scores::{Metric, Scale, Standard};

impl Run {
    /// Hash of the answers of `cell` that are scored: the worst of its rounds by the first metric. A system can't be
    /// good in one round and quick in the others: the quality is one that each round has at least.
    pub fn scored_output<'a>(&self, cell: &MeasuredCell<'a>) -> Option<&'a String> {
        self.by_quality(&cell.test_set.name, &cell.valid()).first().copied()
    }

    /// Different outputs of `rounds`, the worst first. An output without a score is worse than any with one.
    fn by_quality<'a>(&self, test_set: &str, rounds: &[&'a Record]) -> Vec<&'a String> {
        let scale = self.first_scale(test_set);
        let gain = |output: &String| {
            let quality = self.scores.quality(&scale.name, output, test_set);
            quality.map_or(f64::NEG_INFINITY, |quality| scale.gain(quality.score))
        };
        let outputs = rounds.iter().filter_map(|record| record.output.as_ref()).unique();
        outputs.sorted_by(|a, b| gain(a).total_cmp(&gain(b))).collect()
    }

    /// Fault of rounds whose texts differ in quality by more than lines drawn anew explain. It holds for systems
    /// that draw their answers at random, too.
    pub(super) fn unlike(&self, test_set: &str, rounds: &[&Record]) -> Option<Reason> {
        let outputs = self.by_quality(test_set, rounds);
        let [worst, .., best] = outputs[..] else { return None };
        let scale = self.first_scale(test_set);
        let pair = self.scores.difference(&scale.name, best, worst, test_set)?;
        let score = |output: &String| self.scores.quality(&scale.name, output, test_set).map(|it| it.score);
        let (low, high) = (scale.titled(score(worst)?, None), scale.titled(score(best)?, None));
        let half = (pair.high - pair.low) / 2.0;
        (pair.difference.abs() > MOST_UNLIKE * half).then(|| Reason {
            code: Code::Nondeterministic,
            figure: format!("{low} in one round, {high} in another"),
            limit: format!("scores of rounds within {MOST_UNLIKE} times half of their difference's interval"),
            remedy: "translate alike in all rounds; measure two ways of translating under two names".into(),
        })
    }

    /// Scales of the metrics that suit a test set of the run, in the order of the list. Metrics that only
    /// `scores.json` knows follow.
    pub fn scales(&self) -> Vec<Scale> {
        let of_name = |name: &str| self.scores.scale(name).cloned().unwrap_or_else(|| Scale::unknown(name));
        let of_metric = |metric: &Metric| metric.scale().unwrap_or_else(|| of_name(metric.name()));
        let listed = &self.metrics.list;
        let is_new = |name: &&String| listed.iter().all(|metric| metric.name() != *name);
        let scored: BTreeSet<&String> = self.scores.texts.values().flat_map(BTreeMap::keys).collect();
        let scored = scored.into_iter().filter(is_new).map(|name| of_name(name));
        let suits_any = |scale: &Scale| self.test_sets.iter().any(|set| scale.suits(set));
        listed.iter().map(of_metric).chain(scored).filter(suits_any).collect()
    }

    /// Scales of the metrics that suit `set`, the frontier's first.
    pub fn scales_of(&self, set: &TestSet) -> Vec<Scale> {
        self.scales().into_iter().filter(|scale| scale.suits(set)).collect()
    }

    /// Scale of the frontier's metric on the test set of that name.
    pub fn first_scale(&self, test_set: &str) -> Scale {
        let set = self.test_sets.iter().find(|set| set.name == test_set);
        let own = set.into_iter().flat_map(|set| self.scales_of(set)).next();
        own.unwrap_or_else(|| Standard::Bleu.scale())
    }
}
