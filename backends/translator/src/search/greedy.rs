//! Greedy search: the best word of each step, without softmax.

use dyno_nn::Step;

use super::batch::{Rules, Running, aligned};
use super::paths::Finished;

/// Continues each sentence of the batch by the best word of its row.
pub(super) fn advance(step: &Step, rules: &Rules, batch: &mut Running) {
    let Running { sentences, live, kept, ended, .. } = batch;
    let (options, mut rows) = (&rules.options, 0..live.len());
    step.gave_way.iter().for_each(|row| sentences[live[*row].sentence].looped = true);
    live.retain_mut(|hypothesis| {
        let row = rows.next().expect("a row for each hypothesis");
        let sentence = &mut sentences[hypothesis.sentence];
        let known = rules.known(hypothesis.len, sentence.source_len);
        let word = known.unwrap_or_else(|| step.best[row]);
        let aligned = if options.attention { aligned(step, row) } else { 0 };
        hypothesis.node = sentence.paths.push(hypothesis.node, word, aligned);
        hypothesis.len += 1;
        let ends = word == rules.end || options.is_full(hypothesis.len, sentence.source_len);
        if ends {
            sentence.paths.finish(Finished { node: hypothesis.node, value: None });
            ended.push(hypothesis.sentence);
        } else {
            kept.push(row);
        }
        !ends
    });
}
