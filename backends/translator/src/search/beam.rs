//! Beam search by one of four rules. In Marian's, beams only shrink, because no hypothesis takes the place of
//! a finished one. In those of Hugging Face and CTranslate2, beams stay as wide as they are, until finished
//! hypotheses are as many, and with Hugging Face's, no live one can get better. In OpenNMT-py's, a finished
//! hypothesis leaves its place at the next step, and the search ends when the best continuation finishes.

use dyno_nn::Row;
use dyno_nn::math::{Best, multiply_add};

use super::batch::{Hypothesis, Member, Rule, Rules, Running, aligned};
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
    rows: &'a [Row],
    batch: &'a mut Running,
    buffers: &'a mut Buffers,
}

/// Continues all hypotheses of the batch by the scores of their step.
pub(super) fn advance(
    members: &[Member],
    rules: &Rules,
    rows: &[Row],
    batch: &mut Running,
    buffers: &mut Buffers,
) {
    let mut old = std::mem::take(&mut buffers.old);
    std::mem::swap(&mut old, &mut batch.live);
    batch.live.clear();
    let mut beams = Beams { members, rules, rows, batch, buffers };
    let mut first = 0;
    for group in old.chunk_by(|a, b| a.sentence == b.sentence) {
        beams.advance(group, first);
        first += group.len();
    }
    beams.buffers.old = old;
}

/// Index of `word` in the scores of a row.
fn column(word: u32, candidates: &[u32]) -> Option<usize> {
    if candidates.is_empty() { Some(word as usize) } else { candidates.binary_search(&word).ok() }
}

impl Beams<'_> {
    /// Continues the hypotheses `group` of one sentence, whose first row is `first`.
    fn advance(&mut self, group: &[Hypothesis], first: usize) {
        let Hypothesis { sentence, len, .. } = group[0];
        let places = self.rules.continuations(group.len(), len);
        let known = self.rules.known(len, self.batch.sentences[sentence].source_len);
        self.buffers.top.clear();
        for (row, hypothesis) in (first..).zip(group) {
            match known {
                Some(word) => self.buffers.top.push(Continued { row, word, score: hypothesis.score }),
                None => self.consider(row, hypothesis, places),
            }
        }
        self.settle(group, first);
    }

    /// Inserts the continuations of one row among the best of its sentence.
    fn consider(&mut self, row: usize, hypothesis: &Hypothesis, places: usize) {
        self.score(row, hypothesis);
        self.bar(row, hypothesis.sentence);
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
        let candidates = &self.batch.sentences[hypothesis.sentence].candidates;
        let share = |member| self.suppressed_share(member, row, candidates);
        let so_far = hypothesis.score - self.members.iter().map(share).sum::<f32>();
        let (first, others) = self.members.split_first().expect("one network or more");
        let scores = &mut self.buffers.scores;
        scores.clear();
        scores.extend(first.step.scores.row(row).iter().map(|score| so_far + first.weight * score));
        for member in others {
            multiply_add(scores, member.weight, member.step.scores.row(row));
        }
        for word in &self.rules.suppressed {
            if let Some(score) = column(*word, candidates).and_then(|at| scores.get_mut(at)) {
                *score = f32::NEG_INFINITY;
            }
        }
    }

    /// Takes the barred word of a row, if there is one, out of its scores.
    fn bar(&mut self, row: usize, sentence: usize) {
        let sentence = &mut self.batch.sentences[sentence];
        let scores = &mut self.buffers.scores;
        let Some(at) = self.rows[row].barred.and_then(|word| column(word, &sentence.candidates)) else {
            return;
        };
        sentence.looped |= scores.iter().all(|score| *score <= scores[at]);
        scores[at] = f32::NEG_INFINITY;
    }

    /// Logarithm of the probability that suppressed words leave to the others, times the member's weight; 0
    /// where probabilities stay as they are, or nothing is left.
    fn suppressed_share(&self, member: &Member, row: usize, candidates: &[u32]) -> f32 {
        let options = &self.rules.options;
        if !options.renormalise || options.skip_cost {
            return 0.0;
        }
        let scores = member.step.scores.row(row);
        let columns = self.rules.suppressed.iter().filter_map(|word| column(*word, candidates));
        let left = ln_left(scores, columns.filter(|at| *at < scores.len()));
        if left.is_finite() { member.weight * left } else { 0.0 }
    }

    /// Finishes hypotheses at their end, and keeps the others alive.
    fn settle(&mut self, group: &[Hypothesis], first: usize) {
        let Self { members, rules, batch, buffers, .. } = self;
        let Running { sentences, live, kept, ended, .. } = &mut **batch;
        let Hypothesis { sentence: place, len, .. } = group[0];
        let (options, sentence, len, start) = (&rules.options, &mut sentences[place], len + 1, live.len());
        let full = options.is_full(len, sentence.source_len);
        sentence.first_finished &= options.rule != Rule::OpenNmt;
        for (rank, Continued { row, word, score }) in buffers.top.iter().copied().enumerate() {
            let ends = word == rules.end || full;
            if options.beam <= if ends { rank } else { live.len() - start } {
                continue; // considered in case that a better one ends
            }
            let aligned = if options.attention { aligned(&members[0].step, row) } else { 0 };
            let node = sentence.paths.push(group[row - first].node, word, aligned);
            if ends {
                sentence.paths.finish(Finished { node, value: Some(options.value(score, len)) });
                sentence.best_finished = sentence.best_finished.max(score);
                sentence.first_finished |= rank == 0;
            } else {
                live.push(Hypothesis { sentence: place, node, len, score });
                kept.push(row);
            }
        }
        if sentence.has_ended(options, &live[start..]) {
            live.truncate(start);
            kept.truncate(start);
            sentence.paths.rank(options.translations());
            ended.push(place);
        }
    }
}

/// Logarithm of the probability of all columns but `suppressed`. Where these have most of it, 1 minus their sum has
/// lost its digits, and the others are summed instead.
fn ln_left(scores: &[f32], suppressed: impl Iterator<Item = usize> + Clone) -> f32 {
    let taken: f64 = suppressed.clone().map(|at| f64::from(scores[at]).exp()).sum();
    if taken < 0.5 {
        return (-taken).ln_1p() as f32;
    }
    let suppressed: Vec<usize> = suppressed.collect(); // few words, on few rows
    let others = (0..scores.len()).filter(|at| !suppressed.contains(at)).map(|at| f64::from(scores[at]));
    let greatest = others.clone().fold(f64::NEG_INFINITY, f64::max);
    (greatest + others.map(|score| (score - greatest).exp()).sum::<f64>().ln()) as f32
}
