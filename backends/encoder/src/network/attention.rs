//! Attention of all lines and heads, with the products before it.
//!
//! Threads share heads. A thread computes queries, keys and values of a few heads for all rows, and attends
//! with them at once. So these values never cross from core to core, and stay in the near cache.

use std::ops::Range;

use dyno_kernels::{Input, Kernels, Mat, MatMut, Precision, SelfAttention, Weights};
use dyno_nn::math::Linear;
use dyno_nn::watch::{Component, Operator};

/// Columns of a panel, of which ranges of columns consist.
const PANEL: usize = Weights::PANEL;

/// Reason why calls of the kernels succeed.
const WHOLE: &str = "queries, keys, values and results have the same shape";

/// Weights of the products before attention.
#[derive(Debug)]
pub(super) struct Attention {
    /// Products for queries, keys and values.
    pub(super) products: [Linear; 3],
    pub(super) heads: usize,
}

/// Buffers of one thread. They only grow.
#[derive(Debug)]
pub(super) struct Buffers {
    attention: SelfAttention,
    /// Queries, keys and values of a share, each [tokens, columns].
    projected: [Vec<f32>; 3],
}

/// A share of the work: neighbouring heads.
pub(super) struct Share<'a> {
    columns: Range<usize>,
    /// Results [tokens, columns].
    out: MatMut<'a, f32>,
}

impl Buffers {
    pub(super) fn new(kernels: Kernels, precision: Precision) -> Self {
        Self { attention: kernels.self_attention(precision), projected: Default::default() }
    }
}

impl Attention {
    fn width(&self) -> usize {
        self.products[0].outputs()
    }

    /// Width of a head.
    fn head(&self) -> usize {
        self.width() / self.heads
    }

    /// Bytes of operands for `lines`, which are ranges of tokens: of weights, keys and values in f32, for each token.
    pub(super) fn bytes(&self, lines: &[Range<usize>]) -> usize {
        let width = self.width();
        4 * lines.iter().map(|line| line.len() * width * (3 * width + 2 * line.len())).sum::<usize>()
    }

    /// Shares of `out` [tokens, width]: the fewest heads that fill whole panels, then the next.
    pub(super) fn shares<'a>(&self, out: &'a mut [f32]) -> Vec<Share<'a>> {
        let (width, head) = (self.width(), self.head());
        let unit = head << (PANEL.trailing_zeros() - head.trailing_zeros().min(PANEL.trailing_zeros()));
        let rows = out.len() / width;
        let mut rest = Some(MatMut::new(out, rows, width).expect(WHOLE));
        let share = |from| {
            let columns = from..width.min(from + unit);
            let (out, others) = rest.take().expect("each share leaves the rest").split_columns(columns.len());
            rest = Some(others);
            Share { columns, out }
        };
        (0..width).step_by(unit).map(share).collect()
    }

    /// Replaces the results of a share by the attention within each line. `input` has the rows of all lines.
    pub(super) fn attend(
        &self,
        buffers: &mut Buffers,
        input: Input<'_>,
        lines: &[Range<usize>],
        share: &mut Share<'_>,
    ) {
        let _component = Component::Attention.span();
        self.project(&mut buffers.projected, input, share);
        let _operator = Operator::Attention.span();
        let (tokens, width) = share.out.shape();
        let all = buffers.projected.each_ref().map(|all| Mat::new(all, tokens, width).expect(WHOLE));
        for line in lines.iter().filter(|line| !line.is_empty()) {
            for from in (0..width).step_by(self.head()) {
                let head = from..from + self.head();
                let [queries, keys, values] =
                    all.map(|all| all.part(line.clone(), head.clone()).expect(WHOLE));
                let out = share.out.view().split_rows(line.start).1.split_rows(line.len()).0;
                let out = out.split_columns(from).1.split_columns(head.len()).0;
                buffers.attention.attend(queries, keys, values, out).expect(WHOLE);
            }
        }
    }

    /// Replaces `projected` by a share's columns of queries, keys and values.
    fn project(&self, projected: &mut [Vec<f32>; 3], input: Input<'_>, share: &Share<'_>) {
        let _product = Operator::Product.span();
        let (tokens, width) = share.out.shape();
        for (linear, out) in self.products.iter().zip(projected) {
            out.resize(tokens * width, 0.0);
            linear.columns(input, share.columns.clone(), MatMut::new(out, tokens, width).expect(WHOLE));
        }
    }
}
