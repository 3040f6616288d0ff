//! `dyno-kernels` with f32 products by a library: unpacked weights, one call a product, as in the papers' baselines. The
//! library is oneDNN, MKL, OpenBLAS or Eigen, opened at run time ([`choose_library`]), or the gemm crate.
//!
//! The crate has the interface of `dyno-kernels` and stands in its place in this workspace, so that an engine differs in its
//! f32 products alone. [`Kernels`], [`Weights`] and [`Candidates`] wrap the kernels' types. f32 weights keep a plain form
//! [K, N], which the library reads, and packs, on each call; [`transpose_weights`] makes it [N, K], as PyTorch keeps its
//! weights. Scales, bias, activation and residual follow in separate loops. The threads of a [`Crew`] call the library for
//! their columns each.
//! Products of integers, and all vector maths, are the kernels' own.

mod adaptive;
mod blas;
mod crew;
mod eigen;
mod gemm_crate;
mod library;
mod onednn;
mod plain;

use std::cell::RefCell;
use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicBool, Ordering};

pub use crew::{Crew, Task};
pub use kernels::{
    Activation, Best, Error, Input, Isa, KeyValues, Layout, Mask, Mat, MatMut, Output, Precision, Result,
    Rows, RowsPart, ScaledRows, ScaledTask, SelfAttention, SharedBytes, Tuning, UnknownIsa, ticks,
};
use library::{Library, chosen};
pub use library::{NAMES, choose as choose_library};
pub use onednn::Switches;
use plain::Plain;

/// Whether weights that are packed from now on keep the plain form [N, K].
static TRANSPOSED: AtomicBool = AtomicBool::new(false);

/// Whether weights that are packed from now on keep both forms, of which each product takes the faster one.
static ADAPTIVE: AtomicBool = AtomicBool::new(false);

/// Chooses the plain form of all weights that are packed from now on: [N, K], or [K, N].
pub fn transpose_weights(transposed: bool) {
    TRANSPOSED.store(transposed, Ordering::Relaxed);
}

/// Chooses both plain forms for all weights that are packed from now on, or one.
pub fn adapt_weights(adaptive: bool) {
    ADAPTIVE.store(adaptive, Ordering::Relaxed);
}

/// The kernels of an instruction set, which pack f32 weights for the library.
#[derive(Clone, Copy, Debug)]
pub struct Kernels(kernels::Kernels);

impl Deref for Kernels {
    type Target = kernels::Kernels;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Kernels {
    /// As in `dyno-kernels`.
    pub fn best() -> Self {
        Self(kernels::Kernels::best())
    }

    /// As in `dyno-kernels`.
    pub fn forced(isa: Isa) -> Result<Self> {
        kernels::Kernels::forced(isa).map(Self)
    }

    /// As in `dyno-kernels`; a tuning changes integer products only.
    pub fn with_tuning(self, tuning: &'static Tuning) -> Result<Self> {
        self.0.with_tuning(tuning).map(Self)
    }

    /// Keeps f32 weights in the plain form for the library, too.
    pub fn pack_f32(self, values: &[f32], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        let ours = self.0.pack_f32(values, k, n, layout)?;
        let transposed = TRANSPOSED.load(Ordering::Relaxed);
        let plain = match (layout, transposed) {
            (Layout::Kn, false) | (Layout::Nk, true) => values.to_vec(),
            (Layout::Nk, false) => transpose(values, [n, k]),
            (Layout::Kn, true) => transpose(values, [k, n]),
        };
        let shape = if transposed { [n, k] } else { [k, n] };
        let adaptive = ADAPTIVE.load(Ordering::Relaxed);
        let other = if adaptive { transpose(&plain, shape) } else { Vec::new() };
        let (scales, bias) = (vec![1.0; n], vec![0.0; n]);
        Ok(Weights { kernels: self.0, ours, plain, other, transposed, library: chosen(), scales, bias })
    }

    /// Widened first: the libraries multiply f32.
    pub fn pack_f16(self, values: &[u16], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        let wide: Vec<f32> = values.iter().map(|bits| kernels::from_f16(*bits)).collect();
        self.pack_f32(&wide, k, n, layout)
    }

    /// As in `dyno-kernels`, which multiplies them, too.
    pub fn pack_bf16(self, values: &[f32], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        Ok(Weights::of_ours(self.0, self.0.pack_bf16(values, k, n, layout)?))
    }

    /// As in `dyno-kernels`.
    pub fn pack_int8(self, values: &[i8], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        Ok(Weights::of_ours(self.0, self.0.pack_int8(values, k, n, layout)?))
    }

    /// As in `dyno-kernels`.
    pub fn share_int8(self, panels: &SharedBytes, k: usize, n: usize) -> Result<Weights> {
        Ok(Weights::of_ours(self.0, self.0.share_int8(panels, k, n)?))
    }

    /// As in `dyno-kernels`.
    pub fn pack_int16(
        self,
        values: &[i16],
        k: usize,
        n: usize,
        layout: Layout,
        bound: u16,
    ) -> Result<Weights> {
        Ok(Weights::of_ours(self.0, self.0.pack_int16(values, k, n, layout, bound)?))
    }

    /// As in `dyno-kernels`.
    pub fn int16_bound(values: &[i16], k: usize, n: usize, layout: Layout) -> Result<u16> {
        kernels::Kernels::int16_bound(values, k, n, layout)
    }
}

/// Packed weights, and for f32 their plain form.
#[derive(Clone, Debug)]
pub struct Weights {
    kernels: kernels::Kernels,
    ours: kernels::Weights,
    /// f32 values [K, N].
    plain: Vec<f32>,
    /// The other plain form, if products take the faster one.
    other: Vec<f32>,
    /// Whether the plain values lie as [N, K] instead.
    transposed: bool,
    /// Library that multiplies f32.
    library: &'static Library,
    /// Scales of f32 columns, [N].
    scales: Vec<f32>,
    /// Bias of f32 columns, [N].
    bias: Vec<f32>,
}

impl Weights {
    /// As in `dyno-kernels`.
    pub const PANEL: usize = kernels::Weights::PANEL;

    fn of_ours(kernels: kernels::Kernels, ours: kernels::Weights) -> Self {
        let [plain, other, scales, bias] = Default::default();
        Self { kernels, ours, plain, other, transposed: false, library: chosen(), scales, bias }
    }

    fn is_f32(&self) -> bool {
        self.ours.precision() == Precision::F32
    }

    /// As in `dyno-kernels`.
    pub fn with_scales(mut self, scales: &[f32]) -> Result<Self> {
        self.ours = self.ours.with_scales(scales)?;
        if self.is_f32() {
            let n = self.ours.n();
            self.scales = if let [all] = scales { vec![*all; n] } else { scales.to_vec() };
        }
        Ok(self)
    }

    /// As in `dyno-kernels`.
    pub fn with_bias(mut self, bias: &[f32]) -> Result<Self> {
        self.ours = self.ours.with_bias(bias)?;
        if self.is_f32() {
            self.bias = bias.to_vec();
        }
        Ok(self)
    }

    /// Number of inputs.
    pub fn k(&self) -> usize {
        self.ours.k()
    }

    /// Number of outputs.
    pub fn n(&self) -> usize {
        self.ours.n()
    }

    /// As in `dyno-kernels`.
    pub fn bytes(&self) -> usize {
        self.ours.bytes()
    }

    /// As in `dyno-kernels`.
    pub fn share(&self, thread: usize, of: usize) -> Range<usize> {
        self.ours.share(thread, of)
    }

    /// Precision of the values.
    pub fn precision(&self) -> Precision {
        self.ours.precision()
    }

    /// As in `dyno-kernels`, with f32 products by the library unless they are requantised, or the best of some columns.
    pub fn multiply(
        &self,
        a: Input<'_>,
        columns: Range<usize>,
        activation: Activation,
        residual: Option<Mat<'_>>,
        output: Output<'_>,
    ) -> Result<()> {
        let fits = match output {
            Output::F32(_) => columns.end <= self.n(),
            Output::Best { .. } => columns == (0..self.n()),
            Output::Int8 { .. } => false,
        };
        if !(self.is_f32() && fits) {
            return self.ours.multiply(a, columns, activation, residual, output);
        }
        thread_local!(static BUFFERS: RefCell<[Vec<f32>; 2]> = const { RefCell::new([const { Vec::new() }; 2]) });
        BUFFERS.with_borrow_mut(|[values, sums]| {
            a.copy_f32(values)?;
            let (k, n) = (self.k(), columns.len());
            let m = values.len().checked_div(k).unwrap_or(0);
            if values.len() != m * k {
                return Err(Error::Shape { what: "inputs of a row", expected: m * k, found: values.len() });
            }
            sums.resize(m * n, 0.0);
            self.sum(m, values, &columns, sums);
            self.follow(sums, columns, activation, residual, output);
            Ok(())
        })
    }

    /// Sums [m, columns] by the library, from the plain form, or from the faster one.
    fn sum(&self, m: usize, values: &[f32], columns: &Range<usize>, sums: &mut [f32]) {
        let shape = [m, self.k(), columns.len()];
        let by = |is_other: bool, sums: &mut [f32]| {
            self.library.multiply(shape, values, self.plain_columns(is_other, columns), sums);
        };
        let is_other = !self.other.is_empty() && {
            let library = std::ptr::from_ref(self.library).addr();
            let is_other = |transposed: bool| transposed != self.transposed;
            let multiply = |transposed| by(is_other(transposed), &mut *sums);
            is_other(adaptive::takes_transposed(library, shape, multiply))
        };
        by(is_other, sums);
    }

    /// Some columns of the plain form, or of the other one.
    fn plain_columns(&self, is_other: bool, columns: &Range<usize>) -> Plain<'_> {
        let (k, n, values) = (self.k(), self.n(), if is_other { &self.other } else { &self.plain });
        match self.transposed != is_other {
            true => Plain { values: &values[columns.start * k..columns.end * k], row: 1, column: k },
            false => Plain { values: values.get(columns.start..).unwrap_or_default(), row: n, column: 1 },
        }
    }

    /// Does what follows the sums [rows, columns], and writes the results.
    fn follow(
        &self,
        sums: &mut [f32],
        columns: Range<usize>,
        activation: Activation,
        residual: Option<Mat<'_>>,
        mut output: Output<'_>,
    ) {
        let (scales, bias) = (&self.scales[columns.clone()], &self.bias[columns.clone()]);
        for (row, sums) in sums.chunks_exact_mut(columns.len().max(1)).enumerate() {
            for ((sum, scale), bias) in sums.iter_mut().zip(scales).zip(bias) {
                *sum = *sum * scale + bias;
            }
            if activation != Activation::None {
                self.kernels.activate(activation, sums);
            }
            if let Some(residual) = &residual {
                sums.iter_mut().zip(residual.row(row)).for_each(|(sum, other)| *sum += other);
            }
            match &mut output {
                Output::F32(out) => out.row_mut(row).copy_from_slice(sums),
                Output::Best { best, mask } => {
                    let allowed = |column: usize| mask.is_none_or(|mask| mask.allows(row, column));
                    for (column, &value) in sums.iter().enumerate().filter(|(column, _)| allowed(*column)) {
                        if value > best[row].value {
                            best[row] = Best { value, column };
                        }
                    }
                }
                Output::Int8 { .. } => unreachable!("the kernels requantise"),
            }
        }
    }
}

/// Columns from which a shortlist gathers some, and for f32 their plain form.
#[derive(Clone, Debug)]
pub struct Candidates {
    kernels: kernels::Kernels,
    ours: kernels::Candidates,
    is_f32: bool,
    /// f32 values [N, K].
    columns: Vec<f32>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

impl Candidates {
    /// The columns of `weights`.
    pub fn new(weights: Weights) -> Self {
        let (columns, is_f32) = (rows_of_columns(&weights), weights.is_f32());
        let Weights { kernels, ours, scales, bias, .. } = weights;
        Self { kernels, ours: kernels::Candidates::new(ours), is_f32, columns, scales, bias }
    }

    /// As in `dyno-kernels`.
    pub fn share(&mut self, rows: &SharedBytes, scales: &[f32], bias: &[f32]) -> Result<bool> {
        self.ours.share(rows, scales, bias)
    }

    /// As in `dyno-kernels`.
    pub fn append(&mut self, weights: &Weights) -> Result<()> {
        self.ours.append(&weights.ours)?;
        self.columns.extend(rows_of_columns(weights));
        self.scales.extend_from_slice(&weights.scales);
        self.bias.extend_from_slice(&weights.bias);
        Ok(())
    }

    /// As in `dyno-kernels`.
    pub fn reserve(&mut self, columns: usize) {
        self.ours.reserve(columns);
        if self.is_f32 {
            self.columns.reserve_exact(columns * self.k());
        }
    }

    /// As in `dyno-kernels`.
    pub fn packed(&self) -> Result<Weights> {
        let all: Vec<u32> = (0..self.n() as u32).collect();
        let mut packed = Weights::of_ours(self.kernels, self.ours.packed()?);
        self.gather_plain(&all, &mut packed);
        Ok(packed)
    }

    /// As in `dyno-kernels`.
    pub fn column(&self, column: usize, out: &mut [f32]) -> Result<()> {
        self.ours.column(column, out)
    }

    /// As in `dyno-kernels`.
    pub fn add_column(&self, column: usize, factor: f32, out: &mut [f32]) -> Result<()> {
        self.ours.add_column(column, factor, out)
    }

    /// Number of columns.
    pub fn n(&self) -> usize {
        self.ours.n()
    }

    /// Number of values in a column.
    pub fn k(&self) -> usize {
        self.ours.k()
    }

    /// As in `dyno-kernels`.
    pub fn room(&self, capacity: usize) -> Weights {
        Weights::of_ours(self.kernels, self.ours.room(capacity))
    }

    /// As in `dyno-kernels`.
    pub fn room_int8(&self, capacity: usize) -> Weights {
        Weights::of_ours(self.kernels, self.ours.room_int8(capacity))
    }

    /// As in `dyno-kernels`.
    pub fn gather(&self, columns: &[u32], into: &mut Weights) -> Result<()> {
        self.ours.gather(columns, &mut into.ours)?;
        self.gather_plain(columns, into);
        Ok(())
    }

    /// Gathers the plain form [K, N], if `into` has f32 weights: sixteen columns at a time, so that whole cache lines are written.
    fn gather_plain(&self, columns: &[u32], into: &mut Weights) {
        const LANES: usize = 16;
        if !into.is_f32() {
            return;
        }
        let (k, n) = (self.k(), columns.len());
        into.transposed = false;
        into.other.clear();
        into.plain.resize(k * n, 0.0);
        for (at, sixteen) in columns.chunks(LANES).enumerate() {
            for (row, plain) in into.plain.chunks_exact_mut(n).enumerate() {
                for (value, column) in plain[at * LANES..].iter_mut().zip(sixteen) {
                    *value = self.columns[*column as usize * k + row];
                }
            }
        }
        let pick = |values: &[f32]| columns.iter().map(|column| values[*column as usize]).collect();
        (into.scales, into.bias) = (pick(&self.scales), pick(&self.bias));
    }
}

/// The plain form as rows of columns, [N, K]; empty for integers.
fn rows_of_columns(weights: &Weights) -> Vec<f32> {
    match weights.transposed {
        true => weights.plain.clone(),
        false => transpose(&weights.plain, [weights.k(), weights.n()]),
    }
}

/// The transpose of values [rows, columns]; of none, none.
fn transpose(values: &[f32], [rows, columns]: [usize; 2]) -> Vec<f32> {
    (0..values.len()).map(|at| values[at % rows * columns + at / rows]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waves(len: usize, step: f32) -> Vec<f32> {
        (0..len).map(|i| (i as f32 * step).sin()).collect()
    }

    /// Results of one product as f32, and as the best of each row, by the library and by the kernels.
    fn both(weights: &Weights, x: &[f32], residual: &[f32], m: usize) -> [(Vec<f32>, Vec<Best>); 2] {
        let n = weights.n();
        [true, false].map(|by_library| {
            let (mut y, mut best) = (vec![0.0; m * n], vec![Best::NONE; m]);
            let input = || Input::f32(x, m, weights.k()).unwrap();
            let multiply = |activation, residual, output| match by_library {
                true => weights.multiply(input(), 0..n, activation, residual, output).unwrap(),
                false => weights.ours.multiply(input(), 0..n, activation, residual, output).unwrap(),
            };
            let mat = Some(Mat::new(residual, m, n).unwrap());
            multiply(Activation::Swish, mat, Output::F32(MatMut::new(&mut y, m, n).unwrap()));
            multiply(Activation::None, None, Output::Best { best: &mut best, mask: None });
            (y, best)
        })
    }

    fn assert_same([library, ours]: [(Vec<f32>, Vec<Best>); 2], what: &str) {
        let far = library.0.iter().zip(&ours.0).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(far < 1e-4, "{what}: {far}");
        for (library, ours) in library.1.iter().zip(&ours.1) {
            assert!(
                (library.value - ours.value).abs() < 1e-4 && library.column == ours.column,
                "{library:?} {ours:?}"
            );
        }
    }

    #[test]
    fn the_library_computes_what_the_kernels_do() {
        for (transposed, adaptive) in [(false, false), (true, false), (true, true)] {
            transpose_weights(transposed);
            adapt_weights(adaptive);
            computes_what_the_kernels_do();
        }
        transpose_weights(false);
        adapt_weights(false);
    }

    fn computes_what_the_kernels_do() {
        for (m, k, n) in [(1, 7, 5), (3, 40, 65), (6, 64, 130), (17, 33, 16)] {
            for layout in [Layout::Kn, Layout::Nk] {
                let packed = Kernels::best().pack_f32(&waves(k * n, 1.1), k, n, layout).unwrap();
                let weights = packed.with_bias(&waves(n, 0.5)).unwrap();
                let (x, residual) = (waves(m * k, 0.3), waves(m * n, 0.2));
                assert_same(both(&weights, &x, &residual, m), &format!("{m}x{k}x{n}"));
                assert_shares_are_the_whole(&weights, &x, &residual, m);
                // Candidates in their order, and all of them.
                let candidates = Candidates::new(weights);
                let chosen: Vec<u32> = (0..n as u32).rev().step_by(2).collect();
                let mut gathered = candidates.room(0);
                candidates.gather(&chosen, &mut gathered).unwrap();
                assert_same(both(&gathered, &x, &residual[..m * chosen.len()], m), "gathered");
                assert_same(both(&candidates.packed().unwrap(), &x, &residual, m), "all columns");
            }
        }
    }

    /// Threads that share columns get the kernels' results, by the library: a wrong plain form shows.
    fn assert_shares_are_the_whole(weights: &Weights, x: &[f32], residual: &[f32], m: usize) {
        let (n, [_, (expected, _)]) = (weights.n(), both(weights, x, residual, m));
        let mut found = vec![0.0; m * n];
        let mut rest = MatMut::new(&mut found, m, n).unwrap();
        let mut zeros = weights.clone();
        zeros.plain.fill(0.0);
        zeros.other.fill(0.0);
        for thread in 0..3 {
            let columns = weights.share(thread, 3);
            let residual = Mat::new(residual, m, n).unwrap().columns(columns.clone()).unwrap();
            let (out, others) = rest.split_columns(columns.len());
            rest = others;
            let input = || Input::f32(x, m, weights.k()).unwrap();
            weights
                .multiply(input(), columns.clone(), Activation::Swish, Some(residual), Output::F32(out))
                .unwrap();
            let mut other = vec![1.0; m * columns.len()];
            let out = Output::F32(MatMut::new(&mut other, m, columns.len()).unwrap());
            zeros.multiply(input(), columns.clone(), Activation::None, None, out).unwrap();
            let bias = &weights.bias[columns];
            assert!(
                other.chunks(bias.len().max(1)).all(|row| row == bias),
                "the library reads the plain form"
            );
        }
        let far = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(far < 1e-4, "{far}");
    }
}
