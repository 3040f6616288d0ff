//! Functions and slices: near the exact result over the float range, and the same bits everywhere.

use crate::oracle::{LENGTHS, Seeded, close, present, same_bits, sigmoid, wide};
use dyno_kernels::{Activation, Best, Kernels};

/// A sample of all floats, NaNs and infinities too: every 12,289th bit pattern (a prime, so that all
/// mantissas mix).
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
    let x: Vec<f32> = floats().into_iter().filter(|x| x.abs() < 1e30).collect();
    let nearly = |kind, error: f64, share: &dyn Fn(f64) -> f64| {
        for (x, y) in wide(&x).iter().zip(same_bits(&x, |kernels, y| kernels.activate(kind, y))) {
            assert!(
                (f64::from(y) - x * share(*x)).abs() <= error * x.abs().max(1.0),
                "{kind:?} of {x} is {y}"
            );
        }
    };
    nearly(Activation::GeluNear, 3e-5, &phi);
    nearly(Activation::SwishNear, 4.2e-4, &sigmoid);
    let approximation = |x: f64| {
        let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
        0.5 * x * (1.0 + inner.tanh())
    };
    near("gelu by tanh", 4e-7, |kernels, y| kernels.activate(Activation::GeluTanh, y), approximation);
    near("relu", 0.0, |kernels, y| kernels.activate(Activation::Relu, y), |x| x.max(0.0));
}

#[test]
fn tables_are_within_a_hundred_thousandth() {
    near("sigmoid table", 1e-5, |kernels, y| kernels.sigmoid_table(y), sigmoid);
    near("tanh table", 1e-5, |kernels, y| kernels.tanh_table(y), f64::tanh);
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
