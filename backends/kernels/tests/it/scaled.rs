//! Products with scaled weights: their formula in 64 bits, and the same bits on all instruction sets and for any
//! number of threads.

use crate::oracle::{Seeded, bits, close, same_bits};
use dyno_kernels::{Crew, Kernels, MatMut, ScaledForm, ScaledRow, ScaledRows, ScaledTask, ScaledWeights};

const FORMS: [ScaledForm; 5] = [
    ScaledForm { four_bits: true, zero: 8, scales: 1, minima: false },
    ScaledForm { four_bits: true, zero: 0, scales: 1, minima: true },
    ScaledForm { four_bits: false, zero: 128, scales: 1, minima: false },
    ScaledForm { four_bits: false, zero: 0, scales: 1, minima: true },
    ScaledForm { four_bits: false, zero: 32, scales: 2, minima: false },
];

/// Numbers in half precision with their values: 2^-6 to 2^-3, with any fraction and sign.
fn halves(seeded: &mut Seeded, n: usize) -> (Vec<u16>, Vec<f64>) {
    let one = || {
        let (sign, exponent, fraction) = (seeded.next() % 2, seeded.next() % 4 + 9, seeded.next() % 1024);
        let value = (1.0 + f64::from(fraction) / 1024.0) * 2f64.powi(exponent as i32 - 15);
        ((sign << 15 | exponent << 10 | fraction) as u16, if sign == 1 { -value } else { value })
    };
    std::iter::repeat_with(one).take(n).unzip()
}

/// Weights [n, k] with their values, and of these the minima [n, k / 32], which the values leave out.
fn drawn(form: ScaledForm, (n, k): (usize, usize)) -> (ScaledWeights, Vec<f64>, Vec<f64>) {
    let (mut seeded, mut values, mut minima_of_all) = (Seeded(5), Vec::new(), Vec::new());
    let weights = ScaledWeights::pack(form, (n, k), |_, row| {
        let most = if form.four_bits { 15 } else { 255 };
        let quanta: Vec<u8> = (0..k).map(|_| (seeded.next() % (most + 1)) as u8).collect();
        let (scales, of_scales) = halves(&mut seeded, k / 32 * form.scales);
        let (minima, of_minima) = halves(&mut seeded, if form.minima { k / 32 } else { 0 });
        values.extend(quanta.iter().enumerate().map(|(at, quantum)| {
            of_scales[at * form.scales / 32] * (f64::from(*quantum) - f64::from(form.zero))
        }));
        minima_of_all.extend((0..k / 32).map(|block| of_minima.get(block).unwrap_or(&0.0)));
        *row = ScaledRow { quanta, scales, minima };
    });
    (weights.unwrap(), values, minima_of_all)
}

fn product(kernels: Kernels, threads: usize, weights: &ScaledWeights, x: &[f32], out: &mut [f32]) {
    let mut rows = ScaledRows::default();
    rows.quantise(kernels, x, weights.k()).unwrap();
    let out = MatMut::new(out, rows.len(), weights.n()).unwrap();
    let mut crew = Crew::new(threads).unwrap();
    crew.multiply_scaled(kernels, &rows, &mut [ScaledTask { weights, out }]).unwrap();
}

/// The nearest number in half precision to one of its normal numbers.
fn half(x: f64) -> f64 {
    let last = 2f64.powi(x.abs().max(2f64.powi(-14)).log2().floor() as i32 - 10);
    (x / last).round_ties_even() * last
}

/// Activations of a block as they are quantised, and their total: the scale and the total have halves, as in ggml.
fn rounded(block: &[f32]) -> (Vec<f64>, f64) {
    let most = block.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let whole: Vec<f64> = block.iter().map(|x| f64::from((x * (127.0 / most)).round_ties_even())).collect();
    let scale = most / 127.0;
    let total = half(f64::from(scale * whole.iter().sum::<f64>() as f32));
    (whole.into_iter().map(|whole| whole * half(f64::from(scale))).collect(), total)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn a_product_is_its_formula_on_quantised_activations() {
    for form in FORMS {
        for (m, n, k) in [(1, 16, 32), (1, 40, 96), (3, 7, 64), (8, 33, 64), (13, 100, 160), (28, 20, 1120)] {
            let (weights, values, minima) = drawn(form, (n, k));
            let x = Seeded(9).f32s(m * k, 3.0);
            let (rounded, totals): (Vec<_>, Vec<_>) = x.chunks(32).map(rounded).unzip();
            let rounded = rounded.concat();
            let (row, blocks) = (|i: usize| i * k..(i + 1) * k, |i: usize| i * k / 32..(i + 1) * k / 32);
            let exact: Vec<f64> = (0..m * n)
                .map(|at| {
                    let (i, j) = (at / n, at % n);
                    dot(&rounded[row(i)], &values[row(j)]) + dot(&totals[blocks(i)], &minima[blocks(j)])
                })
                .collect();
            let y = same_bits(&vec![0.0; m * n], |kernels, y| product(kernels, 1, &weights, &x, y));
            // The terms are larger than their sum.
            let scale = exact.iter().fold(1.0f64, |most, y| most.max(y.abs()));
            let unit = |y: f64| y / scale;
            close(
                &format!("{form:?} {m} {n} {k}"),
                &y.iter().map(|y| unit(f64::from(*y)) as f32).collect::<Vec<_>>(),
                &exact.into_iter().map(unit).collect::<Vec<_>>(),
            );
        }
    }
}

#[test]
fn threads_give_the_same_bits() {
    let (m, n, k) = (5, 75, 64);
    let (weights, ..) = drawn(FORMS[1], (n, k));
    let x = Seeded(3).f32s(m * k, 1.0);
    let of = |threads| {
        let mut y = vec![f32::NAN; m * n];
        product(Kernels::best(), threads, &weights, &x, &mut y);
        bits(&y)
    };
    assert_eq!((of(2), of(3), of(9)), (of(1), of(1), of(1)));
}

#[test]
fn extremes_fit_and_what_is_no_number_is_refused() {
    let form = FORMS[2];
    let row = |scale| ScaledRow { quanta: vec![0; 32], scales: vec![scale], minima: vec![] };
    let weights = ScaledWeights::pack(form, (1, 32), |_, to| *to = row(0x3C00)).unwrap();
    let y = same_bits(&[0.0], |kernels, y| product(kernels, 1, &weights, &[-127.0; 32], y));
    assert_eq!(y, [127.0 * 128.0 * 32.0]);
    let zeros = same_bits(&[1.0], |kernels, y| product(kernels, 1, &weights, &[0.0; 32], y));
    assert_eq!(zeros, [0.0]);
    let fault = ScaledWeights::pack(form, (1, 32), |_, to| *to = row(0x7C00)).unwrap_err();
    assert!(fault.to_string().contains("no finite number"), "{fault}");
    assert!(ScaledWeights::pack(form, (1, 33), |_, to| *to = row(0)).is_err());
}
