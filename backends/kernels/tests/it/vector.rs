//! Vector maths: near the exact result over the float range, and the same bits everywhere.

use crate::oracle::{Seeded, bits, present};
use dyno_kernels::{Activation, Best, Kernels, Mat, Memory};

/// A sample of all floats, NaNs and infinities too: every 12,289th bit pattern (a prime, so that all mantissas mix).
fn floats() -> Vec<f32> {
    let mut all: Vec<f32> = (0..=u32::MAX).step_by(12_289).map(f32::from_bits).collect();
    all.extend([
        0.0,
        -0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        88.722_83,
        88.722_84,
        -87.336_55,
        -103.98,
        0.625,
    ]);
    all.extend((-2000..2000).map(|i| i as f32 * 0.0137));
    all
}

/// Runs `f` on every instruction set present; all must give the scalar's bits. Gives those.
fn same_bits(x: &[f32], f: impl Fn(Kernels, &mut Vec<f32>)) -> Vec<f32> {
    let mut specified: Option<Vec<f32>> = None;
    for kernels in present() {
        let mut y = x.to_vec();
        f(kernels, &mut y);
        let specified = specified.get_or_insert_with(|| y.clone());
        let differs = bits(&y).iter().zip(bits(specified)).position(|(a, b)| *a != b);
        assert_eq!(differs.map(|at| (x.get(at), y[at], specified[at])), None, "{}", kernels.isa());
    }
    specified.unwrap()
}

#[test]
fn exp_is_within_two_units_in_the_last_place() {
    let x = floats();
    for (x, y) in x.iter().zip(same_bits(&x, |kernels, y| kernels.exp(y))) {
        let exact = f64::from(*x).exp();
        if x.is_nan() {
            assert!(y.is_nan());
        } else if exact > f64::from(f32::MAX) * (1.0 + 1e-6) {
            assert_eq!(y, f32::INFINITY, "exp({x})");
        } else if y.is_finite() {
            let unit = (exact * f64::from(f32::EPSILON)).max(f64::from(f32::from_bits(1)));
            assert!((f64::from(y) - exact).abs() <= 2.0 * unit, "exp({x}) = {y}, not {exact}");
        } else {
            assert!(exact >= f64::from(f32::MAX) * (1.0 - 1e-6), "exp({x}) = {y}, not {exact}");
        }
    }
}

fn near(name: &str, bound: f64, run: impl Fn(Kernels, &mut Vec<f32>), exact: impl Fn(f64) -> f64) {
    let x = floats();
    for (x, y) in x.iter().zip(same_bits(&x, run)).filter(|(x, _)| x.is_finite()) {
        let exact = exact(f64::from(*x));
        assert!(
            (f64::from(y) - exact).abs() <= bound * exact.abs().max(1.0),
            "{name}({x}) = {y}, not {exact}"
        );
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn activations_are_within_two_ten_millionths() {
    near("sigmoid", 2e-7, |kernels, y| kernels.activate(Activation::Sigmoid, y), sigmoid);
    near("tanh", 2e-7, |kernels, y| kernels.activate(Activation::Tanh, y), f64::tanh);
    near("swish", 4e-7, |kernels, y| kernels.activate(Activation::Swish, y), |x| x * sigmoid(x));
    // Φ at both ends, and by a series in between: Σ (-1)ⁿ·z²ⁿ⁺¹/(n!·(2n + 1)) with z = x/√2.
    let phi = |x: f64| {
        let z = x / std::f64::consts::SQRT_2;
        let term = |(power, sum): (f64, f64), n: i32| {
            let power = if n == 0 { z } else { -power * z * z / f64::from(n) };
            (power, sum + power / f64::from(2 * n + 1))
        };
        let (_, sum) = (0..120).fold((0.0, 0.0), term);
        if x.abs() > 5.5 { f64::from(u8::from(x > 0.0)) } else { 0.5 + sum / std::f64::consts::PI.sqrt() }
    };
    near("gelu", 4e-7, |kernels, y| kernels.activate(Activation::Gelu, y), |x| x * phi(x));
    near("relu", 0.0, |kernels, y| kernels.activate(Activation::Relu, y), |x| x.max(0.0));
}

#[test]
fn tables_are_within_a_hundred_thousandth() {
    near("sigmoid table", 1e-5, |kernels, y| kernels.sigmoid_table(y), sigmoid);
    near("tanh table", 1e-5, |kernels, y| kernels.tanh_table(y), f64::tanh);
}

/// Around the lanes, and some that engines use.
const LENGTHS: [usize; 10] = [1, 2, 15, 16, 17, 31, 33, 64, 256, 1000];

fn close(what: &str, found: &[f32], exact: &[f64]) {
    for (found, exact) in found.iter().zip(exact) {
        assert!(
            (f64::from(*found) - exact).abs() <= 1e-5 * exact.abs().max(1.0),
            "{what}: {found}, not {exact}"
        );
    }
}

fn wide(x: &[f32]) -> Vec<f64> {
    x.iter().map(|&x| f64::from(x)).collect()
}

#[test]
fn softmax_sums_to_one_and_is_right() {
    let mut seeded = Seeded(10);
    for n in LENGTHS {
        let mut x = seeded.f32s(n, 20.0);
        x[n / 2] = -99_999_999.0; // a masked place
        x[0] = 3.0;
        let y = same_bits(&x, |kernels, y| kernels.softmax(y));
        let sum: f64 = wide(&x).iter().map(|x| x.exp()).sum();
        close("softmax", &y, &wide(&x).iter().map(|x| x.exp() / sum).collect::<Vec<_>>());
    }
}

#[test]
fn norms_are_right() {
    let mut seeded = Seeded(11);
    for n in LENGTHS {
        let (x, scale, bias) = (seeded.f32s(n, 5.0), seeded.f32s(n, 1.0), seeded.f32s(n, 1.0));
        let wide = wide(&x);
        let y = same_bits(&x, |kernels, y| kernels.layer_norm(y, &scale, &bias, 1e-6).unwrap());
        let mean = wide.iter().sum::<f64>() / n as f64;
        let variance = wide.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        let exact =
            |i: usize| (wide[i] - mean) / (variance + 1e-6).sqrt() * f64::from(scale[i]) + f64::from(bias[i]);
        close("layer norm", &y, &(0..n).map(exact).collect::<Vec<_>>());
        let y = same_bits(&x, |kernels, y| kernels.rms_norm(y, &scale, 1e-6).unwrap());
        let square = wide.iter().map(|x| x * x).sum::<f64>() / n as f64;
        let exact = |i: usize| wide[i] / (square + 1e-6).sqrt() * f64::from(scale[i]);
        close("RMS norm", &y, &(0..n).map(exact).collect::<Vec<_>>());
    }
}

#[test]
fn cells_are_right() {
    let mut seeded = Seeded(12);
    for n in LENGTHS {
        let (xw, su, b) = (seeded.f32s(4 * n, 3.0), seeded.f32s(4 * n, 3.0), seeded.f32s(4 * n, 1.0));
        let s = seeded.f32s(n, 1.0);
        let sum = |i: usize| f64::from(xw[i]) + f64::from(su[i]) + f64::from(b[i]);
        for inside in [false, true] {
            let gates = 3 * n;
            let run = |kernels: Kernels, s: &mut Vec<f32>| {
                kernels.gru(&xw[..gates], &su[..gates], &b[..gates], inside, s).unwrap();
            };
            let exact = |i: usize| {
                let (r, z, c) = (sigmoid(sum(i)), sigmoid(sum(n + i)), 2 * n + i);
                let (x, u, b) = (f64::from(xw[c]), f64::from(su[c]), f64::from(b[c]));
                let h = if inside { x + (u + b) * r } else { x + u * r + b }.tanh();
                (1.0 - z) * h + z * f64::from(s[i])
            };
            close("gru", &same_bits(&s, run), &(0..n).map(exact).collect::<Vec<_>>());
        }
        // Cell and output one after the other, so that both are compared.
        let run = |kernels: Kernels, s: &mut Vec<f32>| {
            let mut h = vec![0.0; n];
            kernels.lstm(&xw, &su, &b, s, &mut h).unwrap();
            s.extend(h);
        };
        let cell = |i: usize| sigmoid(sum(i)) * f64::from(s[i]) + sigmoid(sum(n + i)) * sum(2 * n + i).tanh();
        let out = |i: usize| sigmoid(sum(3 * n + i)) * cell(i).tanh();
        close("lstm", &same_bits(&s, run), &(0..n).map(cell).chain((0..n).map(out)).collect::<Vec<_>>());
        let run = |kernels: Kernels, s: &mut Vec<f32>| {
            let mut h = vec![0.0; n];
            kernels.ssru(&xw[..n], &su[..n], s, &mut h).unwrap();
            s.extend(h);
        };
        let cell = |i: usize| {
            let f = sigmoid(f64::from(su[i]));
            f * f64::from(s[i]) + (1.0 - f) * f64::from(xw[i])
        };
        let out = |i: usize| cell(i).max(0.0);
        close("ssru", &same_bits(&s, run), &(0..n).map(cell).chain((0..n).map(out)).collect::<Vec<_>>());
    }
}

#[test]
fn attention_is_right_for_each_row_of_queries() {
    let mut seeded = Seeded(13);
    for (heads, width, t, rows) in
        [(8, 32, 17, 3), (4, 64, 1, 1), (2, 24, 33, 2), (1, 5, 16, 4), (2, 8, 0, 2), (3, 16, 40, 9)]
    {
        let d = heads * width;
        let q = seeded.f32s(rows * 2 * d, 2.0); // each row followed by as much that isn't the query's
        let (keys, values) = (seeded.f32s(t * d, 2.0), seeded.f32s(t * d, 2.0));
        let mut memory = Memory::new(d);
        memory.push(&vec![f32::NAN; d], &vec![f32::NAN; d]).unwrap(); // must be gone after clearing
        memory.clear();
        for at in 0..t {
            memory.push(&keys[at * d..][..d], &values[at * d..][..d]).unwrap();
        }
        for kernels in present() {
            let mut at_once = Memory::new(d);
            kernels.remember(&mut at_once, &vec![f32::NAN; 18 * d], &vec![f32::NAN; 18 * d]).unwrap();
            kernels.remember(&mut at_once, &keys, &values).unwrap();
            assert_eq!(
                format!("{at_once:?}"),
                format!("{memory:?}"),
                "{} {heads}x{width}, {t}",
                kernels.isa()
            );
        }
        let queries = Mat::new(&q, rows, 2 * d).unwrap().columns(0..d).unwrap();
        // Results, and after them the weights of the last row, so that both are compared.
        let y = same_bits(&vec![0.0; rows * d], |kernels, out| {
            let mut weights = vec![f32::NAN; 3];
            kernels.attend(queries, &memory, heads, &mut weights, out).unwrap();
            out.extend(weights.chunks(memory.span().max(1)).flat_map(|weights| &weights[..t]));
        });
        let (y, weights) = y.split_at(rows * d);
        let score = |row: usize, head: usize, t: usize| -> f64 {
            let part = head * width..(head + 1) * width;
            let dot: f64 = part.map(|i| f64::from(q[row * 2 * d + i]) * f64::from(keys[t * d + i])).sum();
            dot / (width as f64).sqrt()
        };
        let share = |row: usize, head: usize| -> Vec<f64> {
            let all: Vec<f64> = (0..t).map(|t| score(row, head, t).exp()).collect();
            let sum: f64 = all.iter().sum();
            all.iter().map(|w| w / sum).collect()
        };
        let exact = |at: usize| {
            let (row, i) = (at / d, at % d);
            let terms = share(row, i / width).into_iter().enumerate();
            terms.map(|(t, w)| w * f64::from(values[t * d + i])).sum()
        };
        close("attention", y, &(0..rows * d).map(exact).collect::<Vec<_>>());
        for (head, weights) in weights.chunks(t.max(1)).enumerate() {
            close("attention weights", weights, &share(rows - 1, head));
        }
    }
}

#[test]
fn additive_attention_is_right() {
    let mut seeded = Seeded(14);
    for (c, t) in [(1, 1), (15, 3), (16, 16), (33, 5), (512, 20)] {
        let (rows, state, direction) = (seeded.f32s(t * c, 1.0), seeded.f32s(c, 1.0), seeded.f32s(c, 0.1));
        let y =
            same_bits(&vec![0.0; t], |kernels, y| kernels.energies(&rows, &state, &direction, y).unwrap());
        let energy = |at: usize| -> f64 {
            (0..c)
                .map(|i| f64::from(direction[i]) * (f64::from(rows[at * c + i]) + f64::from(state[i])).tanh())
                .sum()
        };
        close("energies", &y, &(0..t).map(energy).collect::<Vec<_>>());
        let weights = seeded.f32s(t, 1.0);
        let y = same_bits(&vec![0.0; c], |kernels, y| kernels.weighted_sum(&weights, &rows, y).unwrap());
        let exact = |i: usize| (0..t).map(|t| f64::from(weights[t]) * f64::from(rows[t * c + i])).sum();
        close("weighted sum", &y, &(0..c).map(exact).collect::<Vec<_>>());
    }
}

#[test]
fn averages_and_gates_are_right() {
    let mut seeded = Seeded(15);
    for n in LENGTHS {
        let (x, gates) = (seeded.f32s(n, 2.0), seeded.f32s(2 * n, 4.0));
        let old = seeded.f32s(n, 2.0);
        let (wide_x, wide_old, gate) = (wide(&x), wide(&old), |i: usize| sigmoid(f64::from(gates[i])));
        for before in [0, 1, 6] {
            let y = same_bits(&old, |kernels, y| kernels.average(&x, before, y).unwrap());
            let t = before as f64;
            let exact = |i: usize| (wide_old[i] * t + wide_x[i]) / (t + 1.0);
            close("average", &y, &(0..n).map(exact).collect::<Vec<_>>());
        }
        let y = same_bits(&old, |kernels, y| kernels.mix(&x, &gates[..n], y, &gates[n..]).unwrap());
        let exact = |i: usize| gate(i) * wide_x[i] + gate(n + i) * wide_old[i];
        close("gate", &y, &(0..n).map(exact).collect::<Vec<_>>());
        let y = same_bits(&old, |kernels, y| kernels.highway(&x, &gates[..n], y).unwrap());
        let exact = |i: usize| gate(i) * wide_old[i] + (1.0 - gate(i)) * wide_x[i];
        close("highway", &y, &(0..n).map(exact).collect::<Vec<_>>());
    }
}

#[test]
fn logarithms_of_the_softmax_are_within_a_millionth() {
    let mut seeded = Seeded(16);
    for n in LENGTHS.into_iter().chain([32_000]) {
        let mut x = seeded.f32s(n, 20.0);
        x[n / 2] = 30.0;
        let wide = wide(&x);
        let log = wide.iter().map(|x| (x - 30.0).exp()).sum::<f64>().ln() + 30.0;
        let within = |y: f32, exact: f64| {
            assert!((f64::from(y) - exact).abs() <= 1e-6 * exact.abs().max(1.0), "{y}, not {exact}, of {n}");
        };
        let y = same_bits(&x, |kernels, y| kernels.log_softmax(y));
        y.iter().zip(&wide).for_each(|(y, x)| within(*y, x - log));
        let y = same_bits(&x, |kernels, y| *y = vec![kernels.log_sum_exp(y)]);
        within(y[0], log);
    }
}

#[test]
fn the_greatest_magnitude_is_found_in_any_lane() {
    for n in LENGTHS {
        for at in 0..n {
            let mut x = vec![0.5; n];
            x[at] = -7.0;
            for kernels in present() {
                assert_eq!(kernels.abs_max(&x), 7.0, "{} {at} of {n}", kernels.isa());
            }
        }
    }
    assert_eq!(Kernels::best().abs_max(&[]), 0.0);
}

#[test]
fn attention_over_nothing_is_zero_and_without_heads_an_error() {
    for kernels in present() {
        let (mut weights, mut out) = (Vec::new(), [f32::NAN; 4]);
        let query = [1.0; 4];
        let queries = Mat::new(&query, 1, 4).unwrap();
        kernels.attend(queries, &Memory::new(4), 2, &mut weights, &mut out).unwrap();
        assert_eq!(out, [0.0; 4], "{}", kernels.isa());
        assert!(kernels.attend(queries, &Memory::new(4), 0, &mut weights, &mut out).is_err());
        let mut narrow = Memory::new(0);
        narrow.push(&[], &[]).unwrap();
        kernels.attend(Mat::new(&[], 1, 0).unwrap(), &narrow, 1, &mut weights, &mut []).unwrap();
        kernels.energies(&[], &[], &[], &mut out).unwrap();
        assert_eq!(out, [0.0; 4], "{}", kernels.isa());
    }
}

#[test]
fn the_greatest_are_those_that_sorting_would_give() {
    let mut seeded = Seeded(71);
    for n in [0, 1, 5, 15, 16, 17, 31, 100, 1000] {
        // Of few different values, so that many are equal.
        let mut x: Vec<f32> = (0..n).map(|_| (seeded.f32() * 9.0).round()).collect();
        for (at, odd) in [(3, f32::NAN), (7, f32::NEG_INFINITY), (20, f32::INFINITY), (99, f32::NAN)] {
            x.get_mut(at).into_iter().for_each(|x| *x = odd);
        }
        let mut sorted: Vec<Best> =
            x.iter().enumerate().map(|(column, &value)| Best { value, column }).collect();
        sorted.retain(|best| best.value > f32::NEG_INFINITY);
        sorted.sort_by(|a, b| b.value.partial_cmp(&a.value).unwrap().then(a.column.cmp(&b.column)));
        for room in [0, 1, 2, 6, 12, 40] {
            let mut expected = sorted.clone();
            expected.resize(room, Best::NONE);
            for kernels in present() {
                let mut best = vec![Best { value: 1e9, column: 1 }; room];
                kernels.greatest(&x, &mut best);
                assert_eq!(best, expected, "{} {room} of {n}", kernels.isa());
            }
        }
    }
}
