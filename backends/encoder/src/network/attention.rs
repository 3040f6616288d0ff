//! Attention of all lines and heads, which threads share.

use std::ops::Range;

use dyno_kernels::{Mat, MatMut, SelfAttention};
use dyno_nn::watch::Operator;

use super::team::{Team, Work};

/// Reason why calls of the kernels succeed.
const WHOLE: &str = "queries, keys, values and results have the same shape";

/// Queries, keys and values of all tokens, each [tokens, width].
pub(super) struct Projected<'a> {
    pub(super) queries: &'a [f32],
    pub(super) keys: &'a [f32],
    pub(super) values: &'a [f32],
}

/// A head of a line.
struct Head<'a> {
    operands: [Mat<'a>; 3],
    out: MatMut<'a, f32>,
}

/// Replaces `out` [tokens, heads·head] by the attention within each line. `lines` are ranges of tokens.
pub(super) fn attend(
    team: &mut Team,
    buffers: &mut [SelfAttention],
    projected: &Projected<'_>,
    lines: &[Range<usize>],
    (heads, head): (usize, usize),
    out: &mut Vec<f32>,
) {
    let _attention = Operator::Attention.span();
    let width = heads * head;
    out.resize(projected.queries.len(), 0.0);
    let mut parts = Vec::with_capacity(lines.len() * heads);
    let mut rest = &mut out[..];
    for line in lines.iter().filter(|line| !line.is_empty()) {
        let (these, others) = rest.split_at_mut(line.len() * width);
        rest = others;
        add_heads(projected, line, (heads, head), these, &mut parts);
    }
    let work = lines.iter().map(|line| 2 * line.len() * line.len() * width).sum();
    team.each_with(Work::Products(work), buffers, &mut parts, |buffers, part| {
        let [queries, keys, values] = part.operands;
        buffers.attend(queries, keys, values, part.out.view()).expect(WHOLE);
    });
}

/// Adds the heads of a line.
fn add_heads<'a>(
    projected: &Projected<'a>,
    line: &Range<usize>,
    (heads, head): (usize, usize),
    out: &'a mut [f32],
    parts: &mut Vec<Head<'a>>,
) {
    let (tokens, width) = (line.len(), heads * head);
    let Projected { queries, keys, values } = projected;
    let all = [queries, keys, values].map(|all| {
        let of_line = &all[line.start * width..line.end * width];
        Mat::new(of_line, tokens, width).expect(WHOLE)
    });
    let mut rest = MatMut::new(out, tokens, width).expect(WHOLE);
    for from in (0..width).step_by(head) {
        let (out, others) = rest.split_columns(head);
        rest = others;
        let operands = all.map(|all| all.columns(from..from + head).expect(WHOLE));
        parts.push(Head { operands, out });
    }
}
