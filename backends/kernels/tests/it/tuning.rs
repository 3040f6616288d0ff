//! Blockings change no bit, and a tuning survives its text.

use crate::oracle::{Seeded, bits, packed_int8, present};
use dyno_kernels::{
    Activation, Blocking, Error, Input, Isa, Kernels, Layout, MatMut, Output, Precision, Tuning, Weights,
};

fn product(weights: &Weights, a: Input<'_>, rows: usize) -> Vec<f32> {
    let n = weights.n();
    let mut y = vec![f32::NAN; rows * n];
    let out = Output::F32(MatMut::new(&mut y, rows, n).unwrap());
    weights.multiply(a, 0..n, Activation::Relu, None, out).unwrap();
    y
}

#[test]
fn every_blocking_gives_the_same_bits() {
    let (k, n) = (67, 150);
    let mut seeded = Seeded(41);
    let b = seeded.f32s(k * n, 1.0);
    for kernels in present() {
        let mut all =
            [kernels.pack_f32(&b, k, n, Layout::Kn).unwrap(), packed_int8(kernels, &b, (k, n), Layout::Kn)];
        for rows in [1, 2, 4, 7, 16, 25, 65] {
            let x = seeded.f32s(rows * k, 1.0);
            for weights in &mut all {
                let mut quantised = kernels.rows(Precision::Int8, rows, k);
                quantised.quantise(&x, rows).unwrap();
                let plain = Input::f32(&x, rows, k).unwrap();
                let a = if weights.precision() == Precision::F32 { plain } else { quantised.view() };
                let expected = product(weights, a, rows);
                for (tile_rows, pass_rows, prefetch) in [
                    (1, 0, 0),
                    (4, 24, 0),
                    (6, 7, 32),
                    (8, 1, 128),
                    (12, 48, 5),
                    (255, 0, 9),
                    (6, 0, Blocking::NEXT_PANEL),
                    (2, 16, Blocking::NEXT_PANEL),
                ] {
                    weights.set_blocking(rows, Blocking { tile_rows, pass_rows, prefetch });
                    let y = product(weights, a, rows);
                    assert_eq!(
                        bits(&y),
                        bits(&expected),
                        "{} {rows} rows, {tile_rows} {pass_rows} {prefetch}",
                        kernels.isa()
                    );
                }
            }
        }
    }
}

#[test]
fn a_tuning_measures_what_is_packed_and_survives_its_text() {
    let kernels = Kernels::best();
    let tuning: &Tuning = Box::leak(Box::new(Tuning::new(kernels.isa())));
    let tuned = kernels.with_tuning(tuning).unwrap();
    let b = Seeded(42).f32s(20 * 70, 1.0);
    let weights = tuned.pack_f32(&b, 20, 70, Layout::Kn).unwrap();
    let x = Seeded(43).f32s(3 * 20, 1.0);
    let a = Input::f32(&x, 3, 20).unwrap();
    let plain = kernels.pack_f32(&b, 20, 70, Layout::Kn).unwrap();
    assert_eq!(bits(&product(&weights, a, 3)), bits(&product(&plain, a, 3)));

    let text = tuning.to_string();
    assert_eq!(text.lines().count(), 1 + 6, "a line for each number of rows: {text}");
    let again: Tuning = text.parse().unwrap();
    assert_eq!(again.to_string(), text);
    assert!(again.explain().contains("f32 20x70, up to 4 rows"), "{}", again.explain());
    // What was read measures nothing more.
    let again: &Tuning = Box::leak(Box::new(again));
    kernels.with_tuning(again).unwrap().pack_f32(&b, 35, 40, Layout::Kn).unwrap();
    assert_eq!(again.to_string(), text);
}

#[test]
fn a_tuning_that_does_not_fit_is_refused() {
    let error = |text: &str| text.parse::<Tuning>().unwrap_err();
    assert!(matches!(error(""), Error::Tuning { line: 1, .. }));
    assert!(matches!(error("dyno-tuning 2 scalar"), Error::Tuning { line: 1, .. }));
    assert!(matches!(error("dyno-tuning 1 avx9"), Error::UnknownIsa(_)));
    for line in [
        "int8 1 2",
        "int4 1 2 0 6 0 0 1",
        "int8 1 2 6 6 0 0 1",
        "int8 1 2 0 0 0 0 1",
        "int8 1 2 0 6 0 70000 1",
    ] {
        assert!(
            matches!(error(&format!("dyno-tuning 1 scalar\n{line}")), Error::Tuning { line: 2, .. }),
            "{line}"
        );
    }
    let scalar: Tuning = "dyno-tuning 1 scalar\nint8 1 2 0 6 0 0 1".parse().unwrap();
    let scalar: &Tuning = Box::leak(Box::new(scalar));
    assert!(Kernels::forced(Isa::Scalar).unwrap().with_tuning(scalar).is_ok());
    if Kernels::best().isa() != Isa::Scalar {
        assert!(matches!(Kernels::best().with_tuning(scalar), Err(Error::TunedElsewhere { .. })));
    }
}
