//! Attention over the keys and values that are kept, in groups of query heads that share a head of them.

use dyno_formats::spec::DecoderOnlySpec;
use dyno_kernels::{Kernels, KeyValues, Mat};
use dyno_nn::math::Threads;
use dyno_nn::watch::Operator;

use super::row::Row;

/// Reason why attention succeeds.
const WHOLE: &str = "heads are whole, and as wide as the keys";

/// Queries, keys and values of all rows: [rows, heads of each].
pub(super) struct Heads<'a> {
    pub(super) queries: &'a [f32],
    pub(super) keys: &'a [f32],
    pub(super) values: &'a [f32],
}

/// Keys and values of a layer: for each head of them, those of each slot.
pub(super) type Kept = Vec<Vec<KeyValues>>;

/// Work of a thread: one head of keys and values, with its part [rows, group of heads] of the results.
struct Part<'a> {
    key_head: usize,
    slots: &'a mut [KeyValues],
    out: &'a mut [f32],
}

/// Adds the rows' keys and values to those that are kept, and replaces `context` [key heads, rows, group] by
/// what the rows' queries find. Threads share the heads.
pub(super) fn attend(
    (threads, kernels): (&mut Threads, Kernels),
    spec: &DecoderOnlySpec,
    window: Option<usize>,
    (rows, heads): (&[Row], &Heads<'_>),
    kept: &mut Kept,
    context: &mut [f32],
) {
    let _attention = Operator::Attention.span();
    let group = spec.heads / spec.key_heads * spec.head;
    let parts = kept.iter_mut().zip(context.chunks_exact_mut(rows.len() * group)).enumerate();
    let mut parts: Vec<_> = parts.map(|(key_head, (slots, out))| Part { key_head, slots, out }).collect();
    let mut scratch = vec![Vec::new(); threads.count()];
    threads.each_with(usize::MAX, &mut scratch, &mut parts, |scratch, part| {
        for (at, row) in rows.iter().enumerate() {
            let of_row = |all, width| part_of(all, at * spec.key_heads + part.key_head, width);
            let memory = &mut part.slots[row.slot];
            let key = of_row(heads.keys, spec.head);
            memory.push(key, of_row(heads.values, spec.head)).expect(WHOLE);
            if let Some(window) = window {
                memory.see_last(window);
            }
            let queries = of_row(heads.queries, group);
            let queries = Mat::new(queries, group / spec.head, spec.head).expect(WHOLE);
            let out = &mut part.out[at * group..][..group];
            kernels.attend(queries, memory, 1, scratch, out).expect(WHOLE);
        }
    });
}

/// The part `at` of values in parts of `width`.
fn part_of(all: &[f32], at: usize, width: usize) -> &[f32] {
    &all[at * width..][..width]
}
