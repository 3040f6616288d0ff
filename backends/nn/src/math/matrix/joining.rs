//! Joins two matrices with the same inputs into one product.

use dyno_kernels::{Layout, Weights};

use super::{Ablation, InputScale, Matrix, Values};

impl Matrix<'_> {
    /// One matrix with the outputs of both, side by side.
    ///
    /// # Panics
    /// When the matrices have different inputs.
    pub fn beside(mut self, mut right: Self) -> Self {
        let ablations = self.ablation.take().zip(right.ablation.take());
        self.beside_it(right).with_ablation(ablations.map(|(left, right)| left.beside(right)))
    }

    fn beside_it(self, right: Self) -> Self {
        assert_eq!(self.inputs, right.inputs, "matrices of the same inputs");
        let (inputs, outputs) = (self.inputs, self.outputs + right.outputs);
        let (shape, layout) = ((inputs, self.outputs, right.outputs), self.layout);
        let alike = layout == right.layout;
        let scale = self.scale.clone().of_both(right.scale.clone());
        let values = match (&self.values, &right.values) {
            (Values::F32(a), Values::F32(b)) if alike => Values::F32(join(a, b, shape, layout).into()),
            (Values::F16(a), Values::F16(b)) if alike => Values::F16(join(a, b, shape, layout).into()),
            (Values::Int16(a, x), Values::Int16(b, y)) if alike => {
                Values::Int16(join(a, b, shape, layout).into(), [&x[..], y].concat())
            }
            (Values::Int8(a, x), Values::Int8(b, y)) if alike => {
                Values::Int8(join(a, b, shape, layout).into(), [&x[..], y].concat())
            }
            (Values::Panels(a, x), Values::Panels(b, y)) if self.outputs.is_multiple_of(Weights::PANEL) => {
                Values::Panels(a.join(b), [&x[..], y].concat())
            }
            (Values::Panels(..), _) | (_, Values::Panels(..)) => {
                return self.by_rows().beside_it(right.by_rows());
            }
            _ => return self.widened().beside_it(right.widened()).with_scale(scale),
        };
        Self { values, layout, inputs, outputs, scale, rows: None, ablation: None }
    }
}

impl InputScale {
    /// The scale of two matrices with the same inputs: it cuts off no value that one of them would keep.
    fn of_both(self, other: Self) -> Self {
        match (self, other) {
            (Self::Static(one), Self::Static(other)) => Self::Static(one.min(other)),
            (Self::Clipped(bound), Self::Clipped(_)) => Self::Clipped(bound),
            (Self::Bf16, Self::Bf16) => Self::Bf16,
            (Self::Watched(by, names), Self::Watched(_, others)) => {
                Self::Watched(by, [names, others].concat())
            }
            _ => Self::PerRow,
        }
    }
}

impl Ablation<'_> {
    /// What two matrices side by side carry.
    fn beside(self, right: Self) -> Self {
        match (self, right) {
            (Self::AutoPrecision(left), Self::AutoPrecision(right) | Self::Repacked(right)) => {
                Self::AutoPrecision(left.beside(*right).into())
            }
            (Self::Repacked(left), Self::AutoPrecision(right) | Self::Repacked(right)) => {
                Self::Repacked(left.beside(*right).into())
            }
        }
    }
}

/// The columns of `a` [inputs, left] and `b` [inputs, right].
fn join<T: Copy>(a: &[T], b: &[T], (inputs, left, right): (usize, usize, usize), layout: Layout) -> Vec<T> {
    match layout {
        Layout::Nk => [a, b].concat(),
        Layout::Kn => {
            let mut both = Vec::with_capacity(a.len() + b.len());
            for k in 0..inputs {
                both.extend_from_slice(&a[k * left..][..left]);
                both.extend_from_slice(&b[k * right..][..right]);
            }
            both
        }
    }
}
