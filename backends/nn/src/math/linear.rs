//! The product of all layers: y = x·W + b. Packing decides how it is computed, and no layer knows which way.

use std::ops::Range;
use std::sync::Arc;

use dyno_kernels::{Activation, Input, Kernels, MatMut, Output, Precision};

use super::ablation::Ablated;
use super::form::{Form, Operands};
use super::matrix::Matrix;
use super::product::{Epilogue, Product, WHOLE};

/// y = x·W + b.
#[derive(Clone, Debug)]
pub struct Linear {
    product: Box<Product>,
    /// Another way to compute it.
    ablated: Option<Arc<Ablated>>,
}

impl Linear {
    /// Packs `matrix` for `kernels`, with `bias` `[outputs]`; an empty bias is none.
    ///
    /// # Errors
    /// When weights or bias can't be packed: a wrong length, or integers out of range.
    pub fn new(kernels: Kernels, matrix: &Matrix<'_>, bias: &[f32]) -> dyno_kernels::Result<Self> {
        let product = Box::new(Product::new(kernels, matrix, bias)?);
        Ok(Self { product, ablated: Ablated::of(kernels, matrix, bias)?.map(Arc::new) })
    }

    /// Width of x.
    pub fn inputs(&self) -> usize {
        self.product.inputs()
    }

    /// Width of y.
    pub fn outputs(&self) -> usize {
        self.product.outputs()
    }

    /// Whether the product rounds its input to 8 bits.
    pub fn reads_int8(&self) -> bool {
        self.form().is_some_and(|form| form.precision() == Precision::Int8)
    }

    /// The form in which the product reads rows, unless it computes more than a product of such rows.
    fn form(&self) -> Option<Form> {
        let form = Some(self.product.form()).filter(|form| !matches!(form, Form::Clipped { .. }));
        form.filter(|_| self.ablated.is_none())
    }

    /// Kernels that compute the product.
    pub fn kernels(&self) -> Kernels {
        self.product.kernels()
    }

    /// Replaces `out` by y for each row of `input` [rows, inputs].
    ///
    /// # Panics
    /// When the length of `input` is no multiple of the inputs.
    pub fn apply(&self, input: &[f32], operands: &mut Operands, out: &mut Vec<f32>) {
        self.apply_then(input, operands, Epilogue::default(), out);
    }

    /// As [`apply`](Self::apply), with the operations of an epilogue.
    ///
    /// # Panics
    /// When the length of `input` is no multiple of the inputs, or the residual has another number of rows.
    pub fn apply_then(&self, input: &[f32], operands: &mut Operands, then: Epilogue<'_>, out: &mut Vec<f32>) {
        out.resize(input.len() / self.inputs() * self.outputs(), 0.0);
        self.apply_to(input, operands, then, out);
    }

    /// As [`apply_then`](Self::apply_then), for `out` [rows, outputs].
    ///
    /// # Panics
    /// As [`apply_then`](Self::apply_then), or when `out` has another number of rows.
    pub fn apply_to(&self, input: &[f32], operands: &mut Operands, then: Epilogue<'_>, out: &mut [f32]) {
        if input.is_empty() {
            // A calibration would note it as a magnitude of 0, and auto-precision would time it as a fast
            // row.
            return;
        }
        match &self.ablated {
            None => self.product.apply(input, operands, then, out),
            Some(ablated) => ablated.apply(&self.product, input, operands, then, out),
        }
    }
}

/// For layers that take rows and columns apart themselves.
impl Linear {
    /// Replaces `out` [rows, columns] by some columns of the product, on this thread alone. The columns are whole
    /// panels, but for the last ones.
    ///
    /// # Panics
    /// When `input` has another form or shape than the product reads, or `out` than it writes.
    pub(crate) fn columns(&self, input: Input<'_>, columns: Range<usize>, out: MatMut<'_, f32>) {
        let product = self.product.weights();
        product.multiply(input, columns, Activation::None, None, Output::F32(out)).expect(WHOLE);
    }
}

/// The form in which all products read the same rows, if it is one.
pub(crate) fn common_form(products: &[&Linear]) -> Option<Form> {
    let (first, others) = products.split_first()?;
    first.form().filter(|form| others.iter().all(|other| other.form() == Some(*form)))
}

/// Several products of the same rows: replaces each `Vec` by y of its product. The rows are quantised once
/// where all products read them in the same form.
///
/// # Panics
/// When the length of `input` is no multiple of the inputs, or the products have different inputs.
pub fn together<const N: usize>(
    input: &[f32],
    operands: &mut Operands,
    products: [(&Linear, &mut Vec<f32>); N],
) {
    if common_form(&products.each_ref().map(|(linear, _)| *linear)).is_none() {
        products.into_iter().for_each(|(linear, out)| linear.apply(input, operands, out));
        return;
    }
    let first = &products[0].0.product;
    let (operand, threads) = first.operand(input, operands);
    let rows = input.len() / first.inputs();
    let mut tasks = products.map(|(linear, out)| {
        out.resize(rows * linear.outputs(), 0.0);
        linear.product.task(rows, Epilogue::default(), out)
    });
    threads.multiply(operand, &mut tasks).expect(WHOLE);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Ablation, Calibration, InputScale, activate};
    use crate::params::{ActivationScales, Params};

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

    /// Compares with whole numbers in plain loops: values beyond 127 units are cut off, and a small row gets
    /// no finer units.
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
    fn a_clipped_product_is_that_of_inputs_and_weights_cut_off() {
        let (inner, outputs, bound) = (7, 5, 0.5);
        let (input, weights) = (waves(4 * inner, 0.7), waves(inner * outputs, 1.1));
        let cut = |values: &[f32]| values.iter().map(|value| value.clamp(-bound, bound)).collect::<Vec<_>>();
        let plain = |weights: Vec<f32>| Matrix::plain(weights, inner, outputs);
        let clipped = plain(weights.clone()).with_scale(InputScale::Clipped(bound));
        let results =
            [(clipped, input.clone()), (plain(cut(&weights)), cut(&input))].map(|(matrix, input)| {
                let (mut operands, mut out, mut other) = (Operands::default(), Vec::new(), Vec::new());
                let linear = Linear::new(Kernels::best(), &matrix, &[0.25; 5]).unwrap();
                together(&input, &mut operands, [(&linear, &mut out), (&linear, &mut other)]);
                assert_eq!(out, other);
                out
            });
        assert_eq!(results[0], results[1]);
        assert_ne!(cut(&input), input);
    }

    #[test]
    fn weights_that_are_not_finite_are_refused_by_their_name() {
        let header = r#"{"w_W":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},
            "h_W":{"dtype":"F16","shape":[1,2],"data_offsets":[8,12]},
            "k_W":{"dtype":"F16","shape":[2,1],"data_offsets":[12,16]}}"#;
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.bytes().chain([1.0, f32::NAN].into_iter().flat_map(f32::to_le_bytes)));
        file.extend([0x3C00u16, 0xFC00].repeat(2).into_iter().flat_map(u16::to_le_bytes)); // 1 and -∞
        let weights = dyno_formats::Weights::from_bytes("test", file).unwrap();
        let params = Params::new(&weights, Kernels::best());
        for (name, inputs, outputs, told) in [
            ("w_W", 1, 2, "`w_W`: holds NaN"),
            ("h_W", 1, 2, "`h_W`: holds -inf"),
            ("k_W", 2, 1, "`k_W`: holds -inf"),
        ] {
            let refusal = params.linear(name, None, inputs, outputs).unwrap_err().to_string();
            assert!(refusal.contains(told), "{refusal}");
        }
    }

    /// Such as the products of the words before the first: there are none.
    #[test]
    fn no_rows_are_not_noted_as_a_magnitude() {
        let calibration: &'static Calibration = Box::leak(Box::default());
        let watched = InputScale::Watched(calibration, vec!["w".into()]);
        let matrix = Matrix::plain(waves(6, 0.3), 3, 2).with_scale(watched);
        let linear = Linear::new(Kernels::best(), &matrix, &[]).unwrap();
        let (mut operands, mut out) = (Operands::default(), vec![7.0]);
        for input in [&[][..], &[1.0, -4.0, 2.0], &[]] {
            linear.apply(input, &mut operands, &mut out);
            assert_eq!(out.len(), input.len() / 3 * 2);
        }
        assert_eq!(calibration.multipliers()["w"], 127.0 / 4.0);
    }

    #[test]
    fn two_precisions_take_turns() {
        let (input, weights) = (waves(6, 0.7), waves(12, 1.1));
        let double: Vec<f32> = weights.iter().map(|w| 2.0 * w).collect();
        let [one, two] = [weights, double].map(|weights| Matrix::plain(weights, 6, 2));
        let timed = |floats: &Matrix<'static>| Some(Ablation::AutoPrecision(floats.clone().into()));
        let (left, right) = (one.clone().with_ablation(timed(&two)), two.clone().with_ablation(timed(&one)));
        let pack = |matrix: &Matrix<'_>| Linear::new(Kernels::best(), matrix, &[]).unwrap();
        let (timed, mut operands, mut out) = (pack(&left.beside(right)), Operands::default(), Vec::new());
        let expected = [one.clone().beside(two.clone()), two.beside(one)].map(|matrix| {
            pack(&matrix).apply(&input, &mut operands, &mut out);
            out.clone()
        });
        assert_ne!(expected[0], expected[1]);
        for turn in 0..20 {
            timed.apply(&[], &mut operands, &mut out); // no rows take no turn
            together(&input, &mut operands, [(&timed, &mut out)]);
            assert_eq!(out, expected[turn % 2], "turn {turn}");
        }
    }

    #[test]
    fn an_epilogue_gives_the_same_as_its_operations_apart() {
        let (input, residual) = (waves(10, 0.7), waves(8, 0.2));
        let linear = Linear::new(Kernels::best(), &Matrix::plain(waves(20, 1.3), 5, 4), &[0.5; 4]).unwrap();
        let (mut plain, mut fused, mut operands) = (Vec::new(), Vec::new(), Operands::default());
        for activation in [Activation::None, Activation::Relu, Activation::Swish, Activation::Gelu] {
            linear.apply(&input, &mut operands, &mut plain);
            activate(Kernels::best(), activation, &mut plain);
            crate::math::add(&mut plain, &residual);
            let then = Epilogue { activation, residual: Some(&residual) };
            linear.apply_then(&input, &mut operands, then, &mut fused);
            assert_eq!(fused, plain, "{activation:?}");
        }
    }
}
