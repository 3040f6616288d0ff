//! Beam search as in Marian: beams only shrink, because no hypothesis takes the place of a finished one.

use dyno_nn::math::{Best, multiply_add};

use super::batch::{Hypothesis, Member, Rules, Running, aligned};
use super::paths::Finished;

/// A hypothesis and its next word.
#[derive(Clone, Copy)]
struct Continued {
    row: usize,
    word: u32,
    score: f32,
}

/// Buffers of a step.
#[derive(Default)]
pub(super) struct Buffers {
    /// Hypotheses of the step, one for each row.
    old: Vec<Hypothesis>,
    /// Best continuations of one sentence, best first.
    top: Vec<Continued>,
    /// Scores of one row; the field below holds the greatest of them.
    scores: Vec<f32>,
    greatest: Vec<Best>,
}

/// A step of the beams.
struct Beams<'a> {
    members: &'a [Member],
    rules: &'a Rules,
    batch: &'a mut Running,
    buffers: &'a mut Buffers,
}

/// Continues all hypotheses of the batch by the scores of their step.
pub(super) fn advance(members: &[Member], rules: &Rules, batch: &mut Running, buffers: &mut Buffers) {
    let mut old = std::mem::take(&mut buffers.old);
    std::mem::swap(&mut old, &mut batch.live);
    batch.live.clear();
    let mut beams = Beams { members, rules, batch, buffers };
    let mut first = 0;
    for group in old.chunk_by(|a, b| a.sentence == b.sentence) {
        beams.advance(group, first);
        first += group.len();
    }
    beams.buffers.old = old;
}

impl Beams<'_> {
    /// Continues the hypotheses `group` of one sentence, whose first row is `first`.
    fn advance(&mut self, group: &[Hypothesis], first: usize) {
        // At the first step, one hypothesis fills the whole beam.
        let places = if group[0].len == 0 { self.rules.options.beam } else { group.len() };
        self.buffers.top.clear();
        for (at, hypothesis) in group.iter().enumerate() {
            self.consider(first + at, hypothesis, places);
        }
        self.settle(group, first);
    }

    /// Inserts the continuations of one row among the best of its sentence.
    fn consider(&mut self, row: usize, hypothesis: &Hypothesis, places: usize) {
        self.score(row, hypothesis);
        let candidates = &self.batch.sentences[hypothesis.sentence].candidates;
        let Buffers { top, scores, greatest, .. } = &mut *self.buffers;
        greatest.resize(places, Best::NONE);
        self.rules.options.kernels.greatest(scores, greatest);
        for Best { value: score, column } in greatest.iter().filter(|best| best.value.is_finite()) {
            if top.len() >= places {
                if top.last().is_some_and(|last| *score <= last.score) {
                    break;
                }
                top.pop();
            }
            let word = if candidates.is_empty() { *column as u32 } else { candidates[*column] };
            let place = top.partition_point(|better| better.score >= *score);
            top.insert(place, Continued { row, word, score: *score });
        }
    }

    /// Replaces the scores by those of a row's continuations; suppressed words have -∞.
    fn score(&mut self, row: usize, hypothesis: &Hypothesis) {
        let (first, others) = self.members.split_first().expect("one network or more");
        let (candidates, scores) =
            (&self.batch.sentences[hypothesis.sentence].candidates, &mut self.buffers.scores);
        scores.clear();
        let of_row = first.step.scores.row(row).iter();
        scores.extend(of_row.map(|score| hypothesis.score + first.weight * score));
        for member in others {
            multiply_add(scores, member.weight, member.step.scores.row(row));
        }
        for word in &self.rules.suppressed {
            let at = match candidates.is_empty() {
                false => candidates.binary_search(word).ok(),
                true => Some(*word as usize),
            };
            if let Some(score) = at.and_then(|at| scores.get_mut(at)) {
                *score = f32::NEG_INFINITY;
            }
        }
    }

    /// Finishes hypotheses at their end, and keeps the others alive. A sentence without a live hypothesis
    /// has ended.
    fn settle(&mut self, group: &[Hypothesis], first: usize) {
        let Self { members, rules, batch, buffers } = self;
        let Running { sentences, live, kept, ended, .. } = &mut **batch;
        let Hypothesis { sentence: place, len, .. } = group[0];
        let (options, sentence, len, start) = (&rules.options, &mut sentences[place], len + 1, live.len());
        let full = options.is_full(len, sentence.source_len);
        for Continued { row, word, score } in buffers.top.iter().copied() {
            let aligned = if options.attention { aligned(&members[0].step, row) } else { 0 };
            let node = sentence.paths.push(group[row - first].node, word, aligned);
            if word == rules.end || full {
                sentence.paths.finish(Finished { node, value: Some(options.value(score, len)) });
                sentence.best_finished = sentence.best_finished.max(score);
            } else {
                live.push(Hypothesis { sentence: place, node, len, score });
                kept.push(row);
            }
        }
        // No live hypothesis is within the margin of the best finished one.
        let bar = options.early_stop.map_or(f32::NEG_INFINITY, |margin| sentence.best_finished - margin);
        if live[start..].iter().all(|hypothesis| hypothesis.score < bar) {
            kept.truncate(kept.len() - (live.len() - start));
            live.truncate(start);
            sentence.paths.rank(if options.n_best { options.beam } else { 1 });
            ended.push(place);
        }
    }
}
