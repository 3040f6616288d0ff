//! Greedy search: the best word of each step, without softmax.

use dyno_nn::{Request, Row, Wanted};

use super::batch::{Batch, Member, SearchOptions, aligned};
use super::paths::{Finished, NONE, Results};

/// An unfinished sentence.
struct Live {
    sentence: usize,
    node: usize,
}

pub(super) fn run(
    member: &mut Member,
    options: &SearchOptions,
    end: u32,
    batch: &Batch<'_>,
    results: &mut Results,
) {
    let mut live: Vec<Live> =
        (0..batch.sentences.len()).map(|sentence| Live { sentence, node: NONE }).collect();
    let (mut rows, mut kept) = (Vec::new(), Vec::new());
    for len in 1.. {
        rows.clear();
        rows.extend(
            live.iter().map(|live| Row { previous: results.word(live.node), sentence: live.sentence }),
        );
        let wanted = batch.wanted(len, Wanted::Best);
        let request = Request { wanted, suppressed: batch.suppressed, attention: options.attention };
        member.decoder.step(&rows, &request, &mut member.step);
        kept.clear();
        for (row, live) in live.iter_mut().enumerate() {
            let known = batch.known(live.sentence, len, end, options);
            let word = known.unwrap_or_else(|| member.step.best[row]);
            let aligned = if options.attention { aligned(&member.step, row) } else { 0 };
            live.node = results.push(live.node, word, aligned);
            if word == end || options.is_full(len, batch.sentences[live.sentence].ids.len()) {
                results.finish(live.sentence, Finished { node: live.node, value: None });
            } else {
                kept.push(row);
            }
        }
        let mut row = 0..;
        live.retain(|_| row.next().is_some_and(|row| kept.binary_search(&row).is_ok()));
        member.decoder.reorder(&kept);
        if live.is_empty() {
            return;
        }
    }
}
