//! Beam search by one of two rules. In Marian's, beams only shrink, because no hypothesis takes the place of a
//! finished one. In that of Hugging Face, beams stay as wide as they are, until finished hypotheses are as many
//! and no live one can get better.

use dyno_nn::math::{Best, multiply_add};
use dyno_nn::{Request, Row, Wanted};

use super::batch::{Batch, Member, Patience, Rule, SearchOptions, aligned};
use super::paths::{Finished, NONE, Results};

/// A live hypothesis.
#[derive(Clone, Copy)]
struct Hypothesis {
    sentence: usize,
    node: usize,
    score: f32,
}

/// A hypothesis and its next word.
#[derive(Clone, Copy)]
struct Continued {
    row: usize,
    word: u32,
    score: f32,
}

struct Beams<'a> {
    options: &'a SearchOptions,
    end: u32,
    batch: &'a Batch<'a>,
    results: &'a mut Results,
    /// Live hypotheses, in the order of their sentences.
    live: Vec<Hypothesis>,
    /// Greatest score of a finished hypothesis, for each sentence.
    best_finished: Vec<f32>,
    /// Best continuations of one sentence, best first.
    top: Vec<Continued>,
    /// Scores of one row; the field below holds the greatest of them.
    scores: Vec<f32>,
    greatest: Vec<Best>,
}

pub(super) fn run(
    members: &mut [Member],
    options: &SearchOptions,
    end: u32,
    batch: &Batch<'_>,
    results: &mut Results,
) {
    let usual = if options.skip_cost { Wanted::Logits } else { Wanted::LogProbabilities };
    let begin = |sentence| Hypothesis { sentence, node: NONE, score: 0.0 };
    let sentences = batch.sentences.len();
    let mut beams = Beams {
        options,
        end,
        batch,
        results,
        live: (0..sentences).map(begin).collect(),
        best_finished: vec![f32::NEG_INFINITY; sentences],
        top: Vec::new(),
        scores: Vec::new(),
        greatest: Vec::new(),
    };
    let (mut rows, mut kept) = (Vec::new(), Vec::new());
    for len in 1.. {
        rows.clear();
        rows.extend(beams.live.iter().map(|hypothesis| hypothesis.row(beams.results)));
        let wanted = batch.wanted(len, usual);
        let request = Request { wanted, suppressed: &[], attention: options.attention };
        for member in &mut *members {
            member.decoder.step(&rows, &request, &mut member.step);
        }
        beams.advance(members, len, &mut kept);
        members.iter_mut().for_each(|member| member.decoder.reorder(&kept));
        if kept.is_empty() {
            break;
        }
    }
    let most = if options.n_best { options.beam } else { 1 };
    (0..sentences).for_each(|sentence| results.rank(sentence, most));
}

/// Index of `word` in the scores of a row.
fn place(word: u32, candidates: Option<&[u32]>) -> Option<usize> {
    match candidates {
        Some(candidates) => candidates.binary_search(&word).ok(),
        None => Some(word as usize),
    }
}

impl Hypothesis {
    fn row(&self, results: &Results) -> Row {
        Row { previous: results.word(self.node), sentence: self.sentence }
    }
}

impl Beams<'_> {
    /// Continues all hypotheses by the scores of their step; `kept` receives the rows that stay alive.
    fn advance(&mut self, members: &[Member], len: usize, kept: &mut Vec<usize>) {
        let old = std::mem::take(&mut self.live);
        kept.clear();
        let mut first = 0;
        for group in old.chunk_by(|a, b| a.sentence == b.sentence) {
            let places = self.places(group.len(), len);
            let known = self.batch.known(group[0].sentence, len, self.end, self.options);
            self.top.clear();
            for (row, hypothesis) in (first..).zip(group) {
                match known {
                    Some(word) => self.top.push(Continued { row, word, score: hypothesis.score }),
                    None => self.consider(members, row, hypothesis, places),
                }
            }
            self.settle(members, &old, group[0].sentence, len, kept);
            first += group.len();
        }
    }

    /// Number of continuations to consider of a sentence with `live` hypotheses.
    fn places(&self, live: usize, len: usize) -> usize {
        // At the first free step, one hypothesis fills the whole beam.
        let first = len == 1 + usize::from(self.batch.first.is_some());
        match self.options.rule {
            Rule::Marian if first => self.options.beam,
            Rule::Marian => live,
            // Each live hypothesis can finish, and as many others stay alive.
            Rule::HuggingFace(_) => 2 * self.options.beam,
        }
    }

    /// Inserts the continuations of one row among the best of its sentence.
    fn consider(&mut self, members: &[Member], row: usize, hypothesis: &Hypothesis, places: usize) {
        let candidates = self.batch.sentences[hypothesis.sentence].candidates;
        self.score(members, row, hypothesis.score, candidates);
        self.greatest.resize(places, Best::NONE);
        self.options.kernels.greatest(&self.scores, &mut self.greatest);
        for Best { value: score, column } in self.greatest.iter().filter(|best| best.value.is_finite()) {
            if self.top.len() >= places {
                if self.top.last().is_some_and(|last| *score <= last.score) {
                    break;
                }
                self.top.pop();
            }
            let word = candidates.map_or(*column as u32, |candidates| candidates[*column]);
            let place = self.top.partition_point(|better| better.score >= *score);
            self.top.insert(place, Continued { row, word, score: *score });
        }
    }

    /// Replaces `scores` by the scores of a row's continuations; suppressed words have -∞.
    fn score(&mut self, members: &[Member], row: usize, so_far: f32, candidates: Option<&[u32]>) {
        let left: f32 = members.iter().map(|member| self.suppressed_share(member, row, candidates)).sum();
        let so_far = so_far - left;
        let (first, others) = members.split_first().expect("one network or more");
        let scores = first.step.scores.row(row).iter();
        self.scores.clear();
        self.scores.extend(scores.map(|score| so_far + first.weight * score));
        for member in others {
            multiply_add(&mut self.scores, member.weight, member.step.scores.row(row));
        }
        for word in self.batch.suppressed {
            if let Some(score) = place(*word, candidates).and_then(|at| self.scores.get_mut(at)) {
                *score = f32::NEG_INFINITY;
            }
        }
    }

    /// Logarithm of the probability that suppressed words leave to the others, times the member's weight; 0
    /// where probabilities stay as they are.
    fn suppressed_share(&self, member: &Member, row: usize, candidates: Option<&[u32]>) -> f32 {
        if !self.options.renormalise || self.options.skip_cost {
            return 0.0;
        }
        let scores = member.step.scores.row(row);
        let of = |word: &u32| place(*word, candidates).and_then(|at| scores.get(at)).map(|score| score.exp());
        let suppressed: f32 = self.batch.suppressed.iter().filter_map(of).sum();
        member.weight * (-suppressed).ln_1p()
    }

    /// Finishes hypotheses at their end, and keeps the others alive.
    fn settle(
        &mut self,
        members: &[Member],
        old: &[Hypothesis],
        sentence: usize,
        len: usize,
        kept: &mut Vec<usize>,
    ) {
        let full = self.options.is_full(len, self.batch.sentences[sentence].ids.len());
        let (start, beam) = (self.live.len(), self.options.beam);
        for (rank, continued) in self.top.iter().enumerate() {
            let ends = continued.word == self.end || full;
            if if ends { rank >= beam } else { self.live.len() - start >= beam } {
                continue; // considered in case that a better one ends
            }
            let aligned = if self.options.attention { aligned(&members[0].step, continued.row) } else { 0 };
            let node = self.results.push(old[continued.row].node, continued.word, aligned);
            if ends {
                let value = Some(self.options.value(continued.score, len));
                self.results.finish(sentence, Finished { node, value });
                self.best_finished[sentence] = self.best_finished[sentence].max(continued.score);
            } else {
                self.live.push(Hypothesis { sentence, node, score: continued.score });
                kept.push(continued.row);
            }
        }
        if self.may_stop(sentence, start) || self.is_settled(sentence, start, len) {
            self.live.truncate(start);
            kept.truncate(start);
        }
    }

    /// Whether the sentence has a beam of finished hypotheses that no live one, from `start` on, can better by
    /// the rule of Hugging Face (`_check_early_stop_heuristic` in its generation/utils.py).
    fn is_settled(&mut self, sentence: usize, start: usize, len: usize) -> bool {
        let Rule::HuggingFace(patience) = self.options.rule else { return false };
        let Some(worst) = self.results.keep_best(sentence, self.options.beam) else { return false };
        let len = match patience {
            Patience::None => return true,
            Patience::GreatestLength if self.options.normalize > 0.0 => self.options.most_words,
            Patience::GreatestLength | Patience::PresentLength => len,
        };
        let best = self.live.get(start).map(|hypothesis| self.options.value(hypothesis.score, len));
        best.is_none_or(|best| best <= worst)
    }

    /// Whether no live hypothesis of the sentence, from `start` on, is within the margin of the best finished
    /// one.
    fn may_stop(&self, sentence: usize, start: usize) -> bool {
        let Some(margin) = self.options.early_stop else { return false };
        let bar = self.best_finished[sentence] - margin;
        self.live[start..].iter().all(|hypothesis| hypothesis.score < bar)
    }
}
