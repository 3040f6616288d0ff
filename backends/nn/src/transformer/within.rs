//! Attention of a sentence's words to each other, with the products before it.
//!
//! Threads share heads. A thread computes queries, keys and values of a few heads for all rows, and attends
//! with them at once. So these values never cross from core to core, and stay in the near cache.

use std::ops::Range;

use dyno_kernels::{Input, Mat, MatMut, SelfAttention, Weights};

use super::attention::Attention;
use crate::math::{Form, Linear, common_form};
use crate::watch::Operator;

/// Columns of a panel, of which ranges of columns consist.
const PANEL: usize = Weights::PANEL;

/// Most bytes of a share's queries, keys and values: the second-level cache of Zen 4.
const NEAR: usize = 1 << 20;

/// Reason why calls of the kernels succeed.
const WHOLE: &str = "queries, keys, values and results have the same shape";

/// Input of the products before attention.
#[derive(Clone, Copy)]
pub(super) enum Projected<'a> {
    /// The rows that all three products read.
    Not(Input<'a>),
    /// Their results [words, D], where the products read rows in different forms.
    Whole([&'a [f32]; 3]),
}

/// Buffers of one thread. They only grow.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    attention: Option<SelfAttention>,
    /// Queries, keys and values of a share, each [words, columns].
    projected: [Vec<f32>; 3],
}

/// A share of the work: neighbouring heads.
pub(super) struct Share<'a> {
    columns: Range<usize>,
    /// Results [words, columns].
    out: MatMut<'a, f32>,
}

impl Attention {
    /// Products for queries, keys and values.
    pub(super) fn projections(&self) -> [&Linear; 3] {
        [&self.query, &self.key, &self.value]
    }

    /// The form in which the products before attention read the same rows, if it is one.
    pub(super) fn form(&self) -> Option<Form> {
        common_form(&self.projections())
    }

    /// Bytes of operands for `lines`, which are ranges of words: of weights, keys and values in f32, for each
    /// word.
    pub(super) fn bytes(&self, lines: &[Range<usize>]) -> usize {
        let width = self.width;
        4 * lines.iter().map(|line| line.len() * width * (3 * width + 2 * line.len())).sum::<usize>()
    }

    /// Shares of `out` [words, D] for so many threads: heads that fill whole panels, so few that they stay
    /// near.
    pub(super) fn shares<'a>(&self, out: &'a mut [f32], threads: usize) -> Vec<Share<'a>> {
        let (width, head) = (self.width, self.width / self.heads);
        let unit = head << (PANEL.trailing_zeros() - head.trailing_zeros().min(PANEL.trailing_zeros()));
        let shares = threads * (3 * size_of_val(out)).div_ceil(threads * NEAR).max(1);
        let some = unit * width.div_ceil(unit).div_ceil(shares);
        let rows = out.len() / width;
        let mut rest = Some(MatMut::new(out, rows, width).expect(WHOLE));
        let share = |from| {
            let columns = from..width.min(from + some);
            let (out, others) = rest.take().expect("each share leaves the rest").split_columns(columns.len());
            rest = Some(others);
            Share { columns, out }
        };
        (0..width).step_by(some).map(share).collect()
    }

    /// Replaces the results of a share by the attention within each of `lines`.
    pub(super) fn attend_within(
        &self,
        buffers: &mut Buffers,
        input: Projected<'_>,
        lines: &[Range<usize>],
        share: &mut Share<'_>,
    ) {
        let (words, width) = share.out.shape();
        let of_share = match input {
            Projected::Not(input) => self.project(&mut buffers.projected, input, share),
            Projected::Whole(all) => {
                let of_share =
                    |all| Mat::new(all, words, self.width).and_then(|all| all.columns(share.columns.clone()));
                all.map(|all| of_share(all).expect(WHOLE))
            }
        };
        let _operator = Operator::Attention.span();
        let attention = buffers.attention.get_or_insert_with(|| self.kernels.self_attention(self.within));
        for line in lines.iter().filter(|line| !line.is_empty()) {
            let of_line = of_share.map(|all| all.part(line.clone(), 0..width).expect(WHOLE));
            let out = share.out.view().split_rows(line.start).1.split_rows(line.len()).0;
            attention.attend(of_line, width * self.heads / self.width, out).expect(WHOLE);
        }
    }

    /// Replaces `projected` by a share's columns of queries, keys and values.
    fn project<'a>(
        &self,
        projected: &'a mut [Vec<f32>; 3],
        input: Input<'_>,
        share: &Share<'_>,
    ) -> [Mat<'a>; 3] {
        let _product = Operator::Product.span();
        let (words, width) = share.out.shape();
        for (linear, out) in self.projections().into_iter().zip(&mut *projected) {
            out.resize(words * width, 0.0);
            linear.columns(input, share.columns.clone(), MatMut::new(out, words, width).expect(WHOLE));
        }
        projected.each_ref().map(|all| Mat::new(all, words, width).expect(WHOLE))
    }
}
