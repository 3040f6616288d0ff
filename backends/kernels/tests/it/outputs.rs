//! Epilogues of a product: scales, bias, activation, residual, requantisation, the best column.

use crate::oracle::{Seeded, bits, present};
use dyno_kernels::{Activation, Best, Input, Kernels, Layout, Mask, Mat, MatMut, Output, Precision, Weights};

const M: usize = 5;
const K: usize = 37;
const N: usize = 150;

/// Operands of a product with all parts of the epilogue.
struct Case {
    x: Vec<f32>,        // [M, K]
    b: Vec<i8>,         // [K, N]
    scales: Vec<f32>,   // [N]
    bias: Vec<f32>,     // [N]
    residual: Vec<f32>, // [M, N]
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut seeded = Seeded(seed);
        let b = (0..K * N).map(|_| seeded.whole(127) as i8).collect();
        let scales = seeded.f32s(N, 0.01).iter().map(|x| x.abs() + 1e-3).collect();
        Self {
            x: seeded.f32s(M * K, 2.0),
            b,
            scales,
            bias: seeded.f32s(N, 1.0),
            residual: seeded.f32s(M * N, 1.0),
        }
    }

    fn weights(&self, kernels: Kernels) -> Weights {
        let packed = kernels.pack_int8(&self.b, K, N, Layout::Kn).unwrap();
        packed.with_scales(&self.scales).unwrap().with_bias(&self.bias).unwrap()
    }

    fn run(&self, kernels: Kernels, activation: Activation, output: Output<'_>) {
        let mut rows = kernels.rows(Precision::Int8, M, K);
        rows.quantise(&self.x, M).unwrap();
        let residual = Mat::new(&self.residual, M, N).unwrap();
        self.weights(kernels).multiply(rows.view(), 0..N, activation, Some(residual), output).unwrap();
    }

    fn f32(&self, kernels: Kernels, activation: Activation) -> Vec<f32> {
        let mut y = vec![f32::NAN; M * N];
        self.run(kernels, activation, Output::F32(MatMut::new(&mut y, M, N).unwrap()));
        y
    }

    /// The results in f64, from activations that are quantised here.
    fn oracle(&self, activation: Activation) -> Vec<f64> {
        let value = |at: usize| {
            let (row, column) = (at / N, at % N);
            let x = &self.x[row * K..][..K];
            let most = x.iter().fold(0.0f32, |most, x| most.max(x.abs()));
            let sum: f64 = (0..K)
                .map(|k| {
                    f64::from((x[k] * (127.0 / most)).round_ties_even()) * f64::from(self.b[k * N + column])
                })
                .sum();
            let y =
                sum * f64::from(self.scales[column]) * f64::from(most) / 127.0 + f64::from(self.bias[column]);
            exact(activation, y) + f64::from(self.residual[at])
        };
        (0..M * N).map(value).collect()
    }
}

fn exact(activation: Activation, x: f64) -> f64 {
    let sigmoid = 1.0 / (1.0 + (-x).exp());
    match activation {
        Activation::Relu => x.max(0.0),
        Activation::Swish => x * sigmoid,
        Activation::Sigmoid => sigmoid,
        Activation::Tanh => x.tanh(),
        _ => x,
    }
}

const ACTIVATIONS: [Activation; 5] =
    [Activation::None, Activation::Relu, Activation::Swish, Activation::Sigmoid, Activation::Tanh];

#[test]
fn everything_after_the_sum_is_right_and_has_the_same_bits_everywhere() {
    let case = Case::new(5);
    for activation in ACTIVATIONS {
        let specified = case.f32(present()[0], activation);
        for (y, exact) in specified.iter().zip(case.oracle(activation)) {
            assert!(
                (f64::from(*y) - exact).abs() <= 1e-6 * exact.abs().max(10.0),
                "{activation:?}: {y} for {exact}"
            );
        }
        for kernels in present() {
            let y = case.f32(kernels, activation);
            assert_eq!(bits(&y), bits(&specified), "{} {activation:?}", kernels.isa());
        }
    }
}

/// The values of rows, read through an identity, because their bytes are private.
fn read(kernels: Kernels, rows: &dyno_kernels::Rows) -> Vec<f32> {
    let one: Vec<i8> = (0..N * N).map(|at| i8::from(at / N == at % N)).collect();
    let one = kernels.pack_int8(&one, N, N, Layout::Nk).unwrap();
    let mut y = vec![f32::NAN; M * N];
    let out = Output::F32(MatMut::new(&mut y, M, N).unwrap());
    one.multiply(rows.view(), 0..N, Activation::None, None, out).unwrap();
    y
}

#[test]
fn a_requantised_result_is_what_quantising_it_would_give() {
    let case = Case::new(6);
    let multiplier = 40.0; // saturates some
    for (kernels, activation) in
        present().into_iter().flat_map(|kernels| ACTIVATIONS.map(|kind| (kernels, kind)))
    {
        let mut fused = kernels.rows(Precision::Int8, M, N);
        let to = fused.target(M, multiplier).unwrap();
        case.run(kernels, activation, Output::Int8 { to, multiplier });
        let mut apart = kernels.rows(Precision::Int8, M, N);
        apart.quantise_fixed(&case.f32(kernels, activation), M, multiplier).unwrap();
        let [fused, apart] = [fused, apart].map(|rows| bits(&read(kernels, &rows)));
        assert_eq!(fused, apart, "{} {activation:?}", kernels.isa());
    }
}

fn best(case: &Case, kernels: Kernels, mask: Option<Mask<'_>>) -> Vec<Best> {
    let mut best = vec![Best::NONE; M];
    case.run(kernels, Activation::None, Output::Best { best: &mut best, mask });
    best
}

/// The first of the greatest values among the allowed columns.
fn plain_best(y: &[f32], allowed: impl Fn(usize) -> bool) -> Best {
    let columns = (0..y.len()).filter(|&column| allowed(column));
    columns.fold(Best::NONE, |best, column| best.or(Best { value: y[column], column }))
}

#[test]
fn the_best_column_is_the_first_greatest() {
    let mut case = Case::new(7);
    case.b.fill(0); // ties by the dozen: only bias and residual are left
    case.bias.iter_mut().enumerate().for_each(|(n, bias)| *bias = (n % 7) as f32);
    case.residual.fill(0.0);
    for kernels in present() {
        assert_eq!(best(&case, kernels, None), vec![Best { value: 6.0, column: 6 }; M], "{}", kernels.isa());
    }
}

#[test]
fn the_best_column_respects_a_mask_per_row() {
    let case = Case::new(8);
    let words_per_row = N.div_ceil(64);
    let mut seeded = Seeded(9);
    let mut words: Vec<u64> =
        (0..M * words_per_row).map(|_| u64::from(seeded.next() & seeded.next()) << 13).collect();
    words[words_per_row..2 * words_per_row].fill(0); // a row without an allowed column
    let mask = Mask { words: &words, words_per_row };
    for kernels in present() {
        let y = case.f32(kernels, Activation::None);
        for (row, best) in best(&case, kernels, Some(mask)).into_iter().enumerate() {
            let allowed = |n: usize| words[row * words_per_row + n / 64] >> (n % 64) & 1 == 1;
            assert_eq!(best, plain_best(&y[row * N..][..N], allowed), "{} row {row}", kernels.isa());
        }
    }
}

#[test]
fn no_rows_with_a_residual_are_no_error() {
    let kernels = Kernels::best();
    let weights = kernels.pack_f32(&[1.0; 6], 2, 3, Layout::Kn).unwrap();
    let (a, residual) = (Input::f32(&[], 0, 2).unwrap(), Mat::new(&[], 0, 3).unwrap());
    let out = Output::F32(MatMut::new(&mut [], 0, 3).unwrap());
    assert_eq!(weights.multiply(a, 0..3, Activation::None, Some(residual), out), Ok(()));
}

#[test]
fn operands_can_be_read_by_other_code() {
    let x: Vec<f32> = (0..12).map(|i| i as f32 * 0.5).collect();
    let mut copied = vec![7.0];
    Input::f32(&x, 4, 3).unwrap().rows(1..3).copy_f32(&mut copied).unwrap();
    assert_eq!(copied, x[3..9]);
    let mut rows = Kernels::best().rows(Precision::Int8, 1, 3);
    rows.quantise(&x[..3], 1).unwrap();
    assert!(rows.view().copy_f32(&mut copied).is_err(), "quantised rows have no f32 values");

    let mask = Mask { words: &[0b101, 1 << 63], words_per_row: 1 };
    assert_eq!(
        [(0, 0), (0, 1), (0, 2), (1, 63)].map(|(row, column)| mask.allows(row, column)),
        [true, false, true, true]
    );
    assert_eq!(Mat::new(&x, 4, 3).unwrap().columns(1..3).unwrap().row(2), &x[7..9]);
    let mut y = x.clone();
    MatMut::new(&mut y, 4, 3).unwrap().split_columns(2).1.row_mut(3).fill(-1.0);
    assert_eq!((y[11], y[10]), (-1.0, x[10]));
}

/// The allocator of this program aligns memory to sixteen bytes alone.
#[test]
fn quantised_rows_begin_at_cache_lines_with_any_allocator() {
    for (capacity, k) in [(1, 37), (5, 256), (400, 1000)] {
        let mut rows = Kernels::best().rows(Precision::Int8, capacity, k);
        let mut target = rows.target(capacity, 1.0).unwrap();
        for row in 0..capacity {
            assert_eq!(target.row_mut(row).as_ptr().addr() % 64, 0, "{capacity} {k}");
        }
    }
}

/// `Ambiguous::<_>::question` has one meaning for a type that isn't `Sync`, and two for one that is.
trait Ambiguous<Answer> {
    fn question() {}
}

impl<T: ?Sized> Ambiguous<()> for T {}
impl<T: ?Sized + Sync> Ambiguous<bool> for T {}

/// A shared view gives threads writable columns, so that its values must be such as may be sent. This test is done
/// when it compiles.
#[test]
fn views_are_shared_where_their_values_may_be_sent() {
    fn shared<T: Sync>() {}
    shared::<MatMut<'_, std::cell::Cell<f32>>>();
    <MatMut<'_, std::sync::MutexGuard<'static, f32>> as Ambiguous<_>>::question();
}
