//! The one product of all layers: y = x·W + b in the precision of its weights.
//!
//! Weights in f32 are multiplied in f32; integers with rows that are quantised on the way in, sums being exact. No
//! layer knows which. The weights are packed once, and every row's result is the same in any batch.

use std::sync::Arc;
use std::time::Instant;

use dyno_kernels::{Activation as Fused, Input, Kernels, Mat, MatMut, Output, Weights};

use super::form::{Form, Operands};
use super::rivals::{Races, Turn};
use super::{Activation, Matrix};
use crate::watch::Operator;

/// y = x·W + b.
#[derive(Clone, Debug)]
pub struct Linear {
    weights: Weights,
    form: Form,
    kernels: Kernels,
    /// The same in another precision, if whichever is faster is to be used.
    rival: Option<Arc<(Linear, Races)>>,
}

/// What is done to y at once: the activation, then the sum with what went around.
#[derive(Clone, Copy, Debug, Default)]
pub struct Epilogue<'a> {
    /// Applied to each element.
    pub activation: Option<Activation>,
    /// [rows, outputs]; added.
    pub residual: Option<&'a [f32]>,
}

impl Linear {
    /// Packs `matrix` for `kernels`, with `bias` [outputs]; an empty one is none.
    ///
    /// # Errors
    /// When weights or bias can't be packed: their lengths, or integers out of range.
    pub fn new(kernels: Kernels, matrix: &Matrix<'_>, bias: &[f32]) -> dyno_kernels::Result<Self> {
        let (weights, form) = matrix.pack(kernels, bias)?;
        let rival = matrix.rival().map(|rival| Self::new(kernels, rival, bias)).transpose()?;
        let rival = rival.map(|rival| Arc::new((rival, Races::default())));
        Ok(Self { weights, form, kernels, rival })
    }

    /// Width of x.
    pub fn inputs(&self) -> usize {
        self.weights.k()
    }

    /// Width of y.
    pub fn outputs(&self) -> usize {
        self.weights.n()
    }

    /// What it is computed with.
    pub fn kernels(&self) -> Kernels {
        self.kernels
    }

    /// Replaces `out` by y for each row of `input` [rows, inputs].
    ///
    /// # Panics
    /// When `input` has no whole rows.
    pub fn apply(&self, input: &[f32], operands: &mut Operands, out: &mut Vec<f32>) {
        self.apply_then(input, operands, Epilogue::default(), out);
    }

    /// As [`apply`](Self::apply), with what is to follow at once.
    ///
    /// # Panics
    /// When `input` has no whole rows, or the residual not as many.
    pub fn apply_then(&self, input: &[f32], operands: &mut Operands, then: Epilogue<'_>, out: &mut Vec<f32>) {
        if input.is_empty() {
            // It would count as a magnitude of 0 where magnitudes are noted, and as a fast row where two race.
            return out.clear();
        }
        let Some(rival) = &self.rival else { return self.quantise_and_multiply(input, operands, then, out) };
        let (other, race) = (&rival.0, rival.1.of(input.len() / self.inputs()));
        let ways = [self, other];
        match race.turn() {
            Turn::Settled(way) => ways[way].quantise_and_multiply(input, operands, then, out),
            Turn::Timed(way) => {
                let begin = Instant::now();
                ways[way].quantise_and_multiply(input, operands, then, out);
                race.note(way, begin.elapsed());
            }
        }
    }

    fn quantise_and_multiply(
        &self,
        input: &[f32],
        operands: &mut Operands,
        then: Epilogue<'_>,
        out: &mut Vec<f32>,
    ) {
        let rows = operands.fill(self.kernels, self.form, input, self.inputs()).expect(WHOLE);
        self.multiply(rows, input.len() / self.inputs(), then, out);
    }

    fn multiply(&self, input: Input<'_>, rows: usize, then: Epilogue<'_>, out: &mut Vec<f32>) {
        let columns = self.outputs();
        out.resize(rows * columns, 0.0);
        let activation = then.activation.map_or(Fused::None, Fused::from);
        let residual = then.residual.map(|residual| Mat::new(residual, rows, columns).expect(WHOLE));
        let to = Output::F32(MatMut::new(out, rows, columns).expect(WHOLE));
        let _product = Operator::Product.span();
        self.weights.multiply(input, 0..columns, activation, residual, to).expect(WHOLE);
    }
}

/// What makes calls of the kernels succeed.
const WHOLE: &str = "rows are whole, and as wide as the weights";

/// Several products of the same rows, which are put into form once where all agree about it for good: replaces each `Vec`
/// by its product's y.
///
/// # Panics
/// When `input` has no whole rows, or the products have different inputs.
pub fn together<const N: usize>(
    input: &[f32],
    operands: &mut Operands,
    products: [(&Linear, &mut Vec<f32>); N],
) {
    let Some((first, _)) = products.first() else { return };
    let (kernels, form, k) = (first.kernels, first.form, first.inputs());
    if products.iter().any(|(linear, _)| linear.form != form || linear.rival.is_some()) {
        products.into_iter().for_each(|(linear, out)| linear.apply(input, operands, out));
        return;
    }
    let rows = operands.fill(kernels, form, input, k).expect(WHOLE);
    for (linear, out) in products {
        linear.multiply(rows, input.len() / k, Epilogue::default(), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Calibration, InputScale};
    use crate::{ActivationScales, Params};

    fn waves(len: usize, step: f32) -> Vec<f32> {
        (0..len).map(|i| (i as f32 * step).sin()).collect()
    }

    #[test]
    fn a_row_is_the_same_in_any_batch() {
        let (inner, columns) = (7, 5);
        let weights = waves(inner * columns, 1.0);
        let linear =
            Linear::new(Kernels::best(), &Matrix::plain(weights, inner, columns), &[0.25; 5]).unwrap();
        let input = waves(9 * inner, 0.3);
        let (mut all, mut one, mut operands) = (Vec::new(), Vec::new(), Operands::default());
        for rows in 1..=9 {
            linear.apply(&input[..rows * inner], &mut operands, &mut all);
            for row in 0..rows {
                linear.apply(&input[row * inner..][..inner], &mut operands, &mut one);
                assert_eq!(one, all[row * columns..][..columns], "row {row} of {rows}");
            }
        }
    }

    #[test]
    fn products_together_and_matrices_side_by_side_are_the_products_apart() {
        let (inner, input) = (6, waves(18, 0.7));
        let [a, b] = [Matrix::plain(waves(24, 1.1), inner, 4), Matrix::plain(waves(18, 0.9), inner, 3)];
        let pack = |matrix: &Matrix<'_>| Linear::new(Kernels::best(), matrix, &[]).unwrap();
        let (left, right, both) = (pack(&a), pack(&b), pack(&a.clone().beside(b.clone())));
        let [mut x, mut y, mut xy] = [const { Vec::new() }; 3];
        let mut operands = Operands::default();
        together(&input, &mut operands, [(&left, &mut x), (&right, &mut y)]);
        both.apply(&input, &mut operands, &mut xy);
        for row in 0..3 {
            let expected = [&x[row * 4..][..4], &y[row * 3..][..3]].concat();
            assert_eq!(xy[row * 7..][..7], expected);
        }
    }

    /// Against whole numbers in plain loops: what is past 127 units is cut off, and a small row gets no finer units.
    #[test]
    fn a_static_scale_is_one_unit_for_all_rows() {
        let (q, scales, units) = ([127i8, -3, 40, 5, -90, 64, 11, 100], [0.01f32, 0.5], 32.0f32);
        let header = r#"{"w_W":{"dtype":"I8","shape":[4,2],"data_offsets":[0,8]},
            "w_W.scale":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]},
            "w_W_QuantMultA":{"dtype":"F32","shape":[1],"data_offsets":[16,20]},
            "u_W":{"dtype":"F32","shape":[4,2],"data_offsets":[20,52]}}"#;
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.bytes().chain(q.map(|q| q as u8)));
        file.extend([scales[0], scales[1], units].into_iter().chain([0.5; 8]).flat_map(f32::to_le_bytes));
        let weights = dyno_formats::Weights::from_bytes("test", file).unwrap();
        let params = Params::new(&weights, Kernels::best()).with_scales(ActivationScales::Static);
        let input = [0.5, -1.0, 4.5, 3.9, 0.01, 0.02, -0.07, 0.0, 100.0, 0.0, -100.0, -0.5];
        let (mut out, mut operands) = (Vec::new(), Operands::default());
        params.linear("w_W", None, 4, 2).unwrap().apply(&input, &mut operands, &mut out);
        let whole = |x: &f32| (x * units).round_ties_even().clamp(-127.0, 127.0) as i32;
        for (row, y) in input.chunks(4).zip(out.chunks(2)) {
            for n in 0..2 {
                let sum: i32 = row.iter().enumerate().map(|(k, x)| whole(x) * i32::from(q[2 * k + n])).sum();
                let expected = sum as f32 * scales[n] / units;
                assert!(
                    (y[n] - expected).abs() <= 1e-5 * expected.abs().max(1.0),
                    "{y:?}, {expected} in {n}"
                );
            }
        }
        let refusal = params.linear("u_W", None, 4, 2).unwrap_err().to_string();
        assert!(refusal.contains("u_W_QuantMultA"), "{refusal}");
    }

    #[test]
    fn weights_that_are_not_finite_are_refused_by_their_name() {
        let header = r#"{"w_W":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},
            "h_W":{"dtype":"F16","shape":[1,2],"data_offsets":[8,12]}}"#;
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.bytes().chain([1.0, f32::NAN].into_iter().flat_map(f32::to_le_bytes)));
        file.extend([0x3C00u16, 0xFC00].into_iter().flat_map(u16::to_le_bytes)); // 1 and -∞
        let weights = dyno_formats::Weights::from_bytes("test", file).unwrap();
        let params = Params::new(&weights, Kernels::best());
        for (name, told) in [("w_W", "`w_W`: holds NaN"), ("h_W", "`h_W`: holds -inf")] {
            let refusal = params.linear(name, None, 1, 2).unwrap_err().to_string();
            assert!(refusal.contains(told), "{refusal}");
        }
    }

    /// Such as the products of the words before the first: there are none.
    #[test]
    fn no_rows_are_neither_noted_nor_timed() {
        let calibration: &'static Calibration = Box::leak(Box::default());
        let watched = InputScale::Watched(calibration, vec!["w".into()]);
        let [plain, other] = [waves(6, 0.3), waves(6, 0.5)].map(|weights| Matrix::plain(weights, 3, 2));
        let linear = |matrix: &Matrix<'_>| Linear::new(Kernels::best(), matrix, &[]).unwrap();
        let (watched, racing) =
            (linear(&plain.clone().with_scale(watched)), linear(&plain.with_rival(Some(other))));
        let (mut operands, mut out) = (Operands::default(), vec![7.0]);
        for input in [&[][..], &[1.0, -4.0, 2.0], &[]] {
            watched.apply(input, &mut operands, &mut out);
            assert_eq!(out.len(), input.len() / 3 * 2);
        }
        assert_eq!(calibration.multipliers()["w"], 127.0 / 4.0);
        (0..3).for_each(|_| racing.apply(&[], &mut operands, &mut out));
        assert_eq!(racing.rival.unwrap().1.of(1).turn(), Turn::Timed(0), "the first to be timed");
    }

    #[test]
    fn of_two_rivals_each_has_its_turn() {
        let (input, weights) = (waves(6, 0.7), waves(12, 1.1));
        let double: Vec<f32> = weights.iter().map(|w| 2.0 * w).collect();
        let [one, two] = [weights, double].map(|weights| Matrix::plain(weights, 6, 2));
        let both =
            one.clone().with_rival(Some(two.clone())).beside(two.clone().with_rival(Some(one.clone())));
        let pack = |matrix: &Matrix<'_>| Linear::new(Kernels::best(), matrix, &[]).unwrap();
        let (racing, mut operands, mut out) = (pack(&both), Operands::default(), Vec::new());
        let expected = [one.clone().beside(two.clone()), two.beside(one)].map(|matrix| {
            pack(&matrix).apply(&input, &mut operands, &mut out);
            out.clone()
        });
        assert_ne!(expected[0], expected[1]);
        for turn in 0..20 {
            together(&input, &mut operands, [(&racing, &mut out)]);
            assert_eq!(out, expected[turn % 2], "turn {turn}");
        }
    }

    #[test]
    fn what_follows_a_product_is_the_same_at_once_or_apart() {
        let (input, residual) = (waves(10, 0.7), waves(8, 0.2));
        let linear = Linear::new(Kernels::best(), &Matrix::plain(waves(20, 1.3), 5, 4), &[0.5; 4]).unwrap();
        let (mut plain, mut fused, mut operands) = (Vec::new(), Vec::new(), Operands::default());
        for activation in [None, Some(Activation::Relu), Some(Activation::Swish), Some(Activation::Gelu)] {
            linear.apply(&input, &mut operands, &mut plain);
            activation.into_iter().for_each(|activation| activation.apply(Kernels::best(), &mut plain));
            super::super::add(&mut plain, &residual);
            let then = Epilogue { activation, residual: Some(&residual) };
            linear.apply_then(&input, &mut operands, then, &mut fused);
            assert_eq!(fused, plain, "{activation:?}");
        }
    }
}
