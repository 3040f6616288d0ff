//! Margins: how narrowly a translation was decided, by a plain second search over an engine's networks.
//!
//! Two programs that add the same numbers in another order differ in the last bits, and where two words are
//! equally good, in the word. Such a difference is no fault; any other is. The margin tells which it was: the
//! preference of the search for what it kept over what it dropped. A second search measures it, because the
//! tested search should neither judge itself nor have code for tests alone.

use std::path::Path;

use dyno_formats::{Cut, ModelDir, Precision, Selection, Shortlist, Vocabularies};
use dyno_nn::math::Kernels;
use dyno_nn::{Decoder, Params, Request, Row, Scratch, Sentence, Step, Wanted};
use dyno_text::Vocabulary;
use dyno_translator::{Engine, Switches, Words};
use serde_json::{Value, json};

/// Options of the search, with Marian's defaults for the rest.
#[derive(Clone, Copy, Debug)]
pub struct Way<'a> {
    /// Number of hypotheses.
    pub beam: usize,
    /// Power of the length by which the scores of finished hypotheses are divided.
    pub normalize: f32,
    /// A text shortlist with the cut `CUT`.
    pub shortlist: Option<&'a Path>,
}

/// Cut of the goldens' shortlists: the first 50 words, and the best 50 of each word.
const CUT: Cut = Cut { first: 50, best: 50, threshold: 0.0 };

impl Way<'_> {
    /// The options as settings of a backend.
    pub(crate) fn settings(&self) -> Value {
        let mut settings = json!({ "beam": self.beam, "normalize": self.normalize });
        if let Some(shortlist) = self.shortlist {
            settings["shortlist"] = json!([shortlist, CUT.first, CUT.best, CUT.threshold]);
        }
        settings
    }
}

/// Marian's default for the greatest length, as a multiple of the source.
const MAX_LENGTH_FACTOR: f32 = 3.0;

/// Networks with their weights, and vocabularies.
pub struct Oracle {
    members: Vec<(f32, Box<dyn Decoder>)>,
    scratch: Scratch,
    source: Vocabulary,
    target: Vocabulary,
    shared: bool,
}

/// A path of words, and the row of the networks' state that it continues.
struct Hypothesis {
    row: usize,
    ids: Vec<u32>,
    score: f32,
}

impl Oracle {
    /// Opens a model or an ensemble; weights without a model directory have `vocabulary` on both sides.
    pub fn open(engine: &Engine, model: &Path, vocabulary: &Path) -> Self {
        let alone = ["npz", "bin"].iter().any(|extension| model.extension() == Some(extension.as_ref()));
        let models = if alone {
            vec![ModelDir::open_weights(model, [vocabulary, vocabulary], None).unwrap()]
        } else {
            ModelDir::open_all(model).unwrap()
        };
        let switches = Switches::defaults(engine.customs.switches);
        let decoder = |model: &ModelDir| {
            let weights = model.load(Precision::F32).unwrap();
            (engine.load)(&model.spec().unwrap(), Params::new(&weights, Kernels::best()), &switches)
                .unwrap()
                .decoder()
        };
        let mut weights = models[0].decoder().unwrap().floats("weights").unwrap();
        weights.resize(models.len(), 1.0);
        let read = |side: usize| Vocabulary::from_path(&models[0].vocabularies()[side]).unwrap();
        Self {
            members: weights.into_iter().zip(models.iter().map(decoder)).collect(),
            scratch: Scratch::default(),
            source: read(0),
            target: read(1),
            shared: models[0].shares_vocabulary(),
        }
    }

    /// The narrowest margin that decided about `line`: at each step between kept and dropped hypotheses. At
    /// the end it is between the first two finished hypotheses, or with `ranked` between any two neighbours.
    /// A greedy search ends at the first word that differs from `expected`, because later words follow from
    /// it.
    pub fn margin(&mut self, line: &[u8], way: Way<'_>, expected: &str, ranked: bool) -> f32 {
        let (ids, candidates) = self.read(line, way);
        let sentence = Sentence { ids: &ids, candidates: candidates.as_deref() };
        let Self { members, scratch, .. } = self;
        members.iter_mut().for_each(|(_, decoder)| decoder.admit(&[sentence], &[0], scratch));
        let mut live = vec![Hypothesis { row: 0, ids: Vec::new(), score: 0.0 }];
        let (mut finished, mut narrowest) = (Vec::new(), f32::INFINITY);
        for len in 1.. {
            let mut all = self.continued(&live, candidates.as_deref());
            all.sort_by(|a, b| b.score.total_cmp(&a.score));
            let places = if len == 1 { way.beam } else { live.len() };
            if let Some(dropped) = all.get(places) {
                narrowest = narrowest.min(all[places - 1].score - dropped.score);
            }
            all.truncate(places);
            let full = len as f32 >= MAX_LENGTH_FACTOR * ids.len() as f32;
            let (ended, going): (Vec<Hypothesis>, Vec<Hypothesis>) =
                all.into_iter().partition(|one| full || one.ids.last() == self.target.eos_id().as_ref());
            finished.extend(ended.iter().map(|one| one.score / (len as f32).powf(way.normalize)));
            let kept: Vec<usize> = going.iter().map(|one| one.row).collect();
            self.members.iter_mut().for_each(|(_, decoder)| decoder.reorder(&kept));
            live = going;
            if live.is_empty() || way.beam == 1 && !expected.starts_with(&self.text(&live[0].ids)) {
                break;
            }
        }
        self.members.iter_mut().for_each(|(_, decoder)| decoder.reorder(&[]));
        finished.sort_by(|a, b| b.total_cmp(a));
        let pairs = finished.windows(2).map(|pair| pair[0] - pair[1]);
        pairs.take(if ranked { way.beam - 1 } else { 1 }).fold(narrowest, f32::min)
    }

    /// The words of a line, and the words that its translation may have.
    fn read(&self, line: &[u8], way: Way<'_>) -> (Vec<u32>, Option<Vec<u32>>) {
        let mut ids = Vec::new();
        self.source.encode_into(line, &mut dyno_text::Scratch::default(), &mut ids);
        ids.extend(self.source.eos_id());
        let candidates = way.shortlist.map(|path| {
            let (source, target) = (Words(&self.source), Words(&self.target));
            let vocabularies = Vocabularies { source: &source, target: &target, shared: self.shared };
            let shortlist = Shortlist::open(path, CUT, vocabularies).unwrap();
            shortlist.select(&ids, &mut Selection::default()).to_vec()
        });
        (ids, candidates)
    }

    /// All hypotheses, each continued by all words but the unknown one.
    fn continued(&mut self, live: &[Hypothesis], candidates: Option<&[u32]>) -> Vec<Hypothesis> {
        let row = |one: &Hypothesis| Row {
            previous: one.ids.last().copied(),
            sentence: 0,
            position: one.ids.len(),
            barred: None,
        };
        let rows: Vec<Row> = live.iter().map(row).collect();
        let request = Request { wanted: Wanted::LogProbabilities, suppressed: &[], attention: false };
        let steps: Vec<(f32, Step)> = self
            .members
            .iter_mut()
            .map(|(weight, decoder)| {
                let mut step = Step::default();
                decoder.step(&rows, &request, &mut self.scratch, &mut step);
                (*weight, step)
            })
            .collect();
        let mut all = Vec::new();
        for (row, one) in live.iter().enumerate() {
            for at in 0..steps[0].1.scores.row(row).len() {
                let word = candidates.map_or(at as u32, |candidates| candidates[at]);
                let score = steps.iter().map(|(weight, step)| weight * step.scores.row(row)[at]).sum::<f32>();
                if Some(word) != self.target.unk_id() {
                    all.push(Hypothesis {
                        row,
                        ids: [&one.ids[..], &[word]].concat(),
                        score: one.score + score,
                    });
                }
            }
        }
        all
    }

    fn text(&self, ids: &[u32]) -> String {
        let mut text = String::new();
        self.target.decode_into(ids, &mut text).unwrap();
        text
    }
}

/// Greatest margin of an allowed difference. At most one line in a hundred may differ.
pub const NARROW: f32 = 1e-4;

/// A line that differs from the original's.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Number of the line, from 1.
    pub line: usize,
    /// Margin that decided about the line.
    pub margin: f32,
    /// Text of the original, and text of the engine.
    pub texts: [String; 2],
}

/// Judges the differences among so many lines.
///
/// # Errors
/// When the differences break the rule.
pub fn judge(lines: usize, differences: &[Difference]) -> Result<(), String> {
    // A margin of NaN excuses nothing.
    if let Some(wide) =
        differences.iter().find(|difference| difference.margin.is_nan() || difference.margin >= NARROW)
    {
        let Difference { line, margin, texts: [theirs, ours] } = wide;
        return Err(format!("line {line}: {ours:?} for {theirs:?}, decided by a margin of {margin}"));
    }
    if differences.len() * 100 > lines {
        let numbers: Vec<usize> = differences.iter().map(|difference| difference.line).collect();
        return Err(format!("of {lines} lines these differ: {numbers:?}; one in a hundred may"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(margins: &[f32]) -> Vec<Difference> {
        let difference = |(at, margin): (usize, &f32)| Difference {
            line: at + 1,
            margin: *margin,
            texts: ["theirs".into(), "ours".into()],
        };
        margins.iter().enumerate().map(difference).collect()
    }

    #[test]
    fn one_line_in_a_hundred_may_differ_where_nothing_but_rounding_decided() {
        assert!(judge(200, &differences(&[9e-5, 0.0])).is_ok());
        assert!(judge(40, &[]).is_ok());
        for (lines, margins) in
            [(200, &[1e-4][..]), (200, &[0.0, 0.0, 0.0]), (99, &[0.0]), (200, &[f32::NAN])]
        {
            assert!(judge(lines, &differences(margins)).is_err(), "{lines} {margins:?}");
        }
    }
}
