//! Sums: exact in int8 and int16, the same bits in f32 and bf16, whatever the shape.

use crate::oracle::{Seeded, bf16, bits, f16, packed_int8, packed_int16, present, whole_product};
use dyno_kernels::{Activation, Error, Input, Kernels, Layout, MatMut, Output, Precision, Weights};

/// Around every tile, panel and group: one less, exact, one more; nothing at all; and some that are
/// long, one of which fills a huge page.
const SHAPES: [(usize, usize, usize); 22] = [
    (1, 1, 1),
    (1, 4, 16),
    (2, 3, 15),
    (3, 5, 17),
    (4, 64, 63),
    (5, 7, 64),
    (6, 8, 65),
    (7, 33, 80),
    (8, 31, 100),
    (9, 32, 127),
    (11, 1, 128),
    (12, 2, 129),
    (13, 65, 31),
    (16, 256, 48),
    (17, 129, 33),
    (64, 17, 70),
    (1, 2051, 130),
    (1, 2051, 1040),
    (67, 1030, 1040),
    (0, 8, 8),
    (3, 8, 0),
    (2, 0, 20),
];

/// All results of a product, in f32, by way of shares of two threads.
fn product(weights: &Weights, a: Input<'_>, rows: usize) -> Vec<f32> {
    let n = weights.n();
    let mut y = vec![f32::NAN; rows * n];
    let first = weights.share(0, 2);
    let (left, right) = MatMut::new(&mut y, rows, n).unwrap().split_columns(first.end);
    weights.multiply(a, first, Activation::None, None, Output::F32(left)).unwrap();
    weights.multiply(a, weights.share(1, 2), Activation::None, None, Output::F32(right)).unwrap();
    y
}

fn int8(kernels: Kernels, a: &[i32], b: &[i32], (m, k, n): (usize, usize, usize)) -> Vec<f32> {
    let b: Vec<i8> = b.iter().map(|&x| x as i8).collect();
    let weights = kernels.pack_int8(&b, k, n, Layout::Kn).unwrap();
    let mut rows = kernels.rows(Precision::Int8, m, k);
    rows.quantise_fixed(&a.iter().map(|&x| x as f32).collect::<Vec<_>>(), m, 1.0).unwrap();
    product(&weights, rows.view(), m)
}

fn int16(kernels: Kernels, a: &[i32], b: &[i32], (m, k, n): (usize, usize, usize), bound: u16) -> Vec<f32> {
    // The other layout, so that both are tested.
    let b: Vec<i16> = (0..n * k).map(|at| b[at % k.max(1) * n + at / k.max(1)] as i16).collect();
    let weights = kernels.pack_int16(&b, k, n, Layout::Nk, bound).unwrap();
    let mut rows = kernels.rows(Precision::Int16, m, k);
    rows.quantise_fixed(&a.iter().map(|&x| x as f32).collect::<Vec<_>>(), m, 1.0).unwrap();
    product(&weights, rows.view(), m)
}

#[test]
fn int8_is_exact() {
    let mut seeded = Seeded(1);
    for (m, k, n) in SHAPES {
        let a: Vec<i32> = (0..m * k).map(|_| seeded.whole(127)).collect();
        let b: Vec<i32> = (0..k * n).map(|_| seeded.whole(127)).collect();
        let expected: Vec<f32> = whole_product(&a, &b, (m, k, n)).iter().map(|&x| x as f32).collect();
        for kernels in present() {
            assert_eq!(int8(kernels, &a, &b, (m, k, n)), expected, "{} {m}x{k}x{n}", kernels.isa());
        }
    }
}

#[test]
fn int8_is_exact_at_its_extremes() {
    let (m, k, n) = (7, 4099, 65);
    for (a, b) in [(127, 127), (-127, 127), (127, -127), (-127, -127), (0, -127)] {
        let expected = vec![(a * b * k as i32) as f32; m * n];
        for kernels in present() {
            let y = int8(kernels, &vec![a; m * k], &vec![b; k * n], (m, k, n));
            assert_eq!(y, expected, "{} {a}·{b}", kernels.isa());
        }
    }
}

/// Activations in fours that AVX2 may add in 16 bits: their magnitudes sum up to 250 to 261, on both sides of the
/// bound.
fn fours_around_the_bound(seeded: &mut Seeded, count: usize, negative: bool) -> Vec<i32> {
    let mut a = vec![0; count];
    for eight in a.as_chunks_mut::<8>().0 {
        for four in [[0, 1, 4, 5], [2, 3, 6, 7]] {
            let mut left = 250 + (seeded.next() % 12) as i32;
            for (at, others) in four.into_iter().zip([3, 2, 1, 0]) {
                let least = (left - 127 * others).max(0);
                let own = least.max((seeded.next() % 128) as i32).min(left);
                left -= own;
                eight[at] = if negative && seeded.next().is_multiple_of(2) { -own } else { own };
            }
        }
    }
    a
}

/// Weights are extremes of all signs, and one sign in the first two columns. The rows take several passes.
#[test]
fn int8_is_exact_around_the_bound_of_16_bits() {
    let mut seeded = Seeded(9);
    let (m, k, n) = (64, 4104, 17);
    let sign = |seeded: &mut Seeded| if seeded.next().is_multiple_of(2) { 127 } else { -127 };
    let mut b: Vec<i32> = (0..k * n).map(|_| sign(&mut seeded)).collect();
    b.chunks_mut(n).for_each(|row| row[..2].copy_from_slice(&[127, -127]));
    for negative in [false, true] {
        let a = fours_around_the_bound(&mut seeded, m * k, negative);
        let expected: Vec<f32> = whole_product(&a, &b, (m, k, n)).iter().map(|&x| x as f32).collect();
        for kernels in present() {
            assert_eq!(int8(kernels, &a, &b, (m, k, n)), expected, "{} {negative}", kernels.isa());
        }
    }
}

/// Value `at` of `k` values: zeros, one sign, signs in turn, one value among zeros, a great eight after two small ones.
fn patterned(kind: usize, at: usize, k: usize) -> i32 {
    match kind % 6 {
        0 => 0,
        1 => 127,
        2 => -127,
        3 => [-127, 127][at % 2],
        4 => [0, -127][usize::from(at == k / 2)],
        _ => [3, 3, -127][at / 8 % 3],
    }
}

/// Each tile has rows of several kinds. Which pairs AVX2 adds in 16 bits takes more than a block for the longest row.
#[test]
fn int8_is_exact_for_rows_of_unlike_kinds() {
    for (m, k, n) in SHAPES.into_iter().chain([(13, 4113, 33), (1, 8200, 16)]) {
        for shift in 0..6 {
            let a: Vec<i32> = (0..m * k).map(|at| patterned(at / k + shift, at % k, k)).collect();
            let b: Vec<i32> = (0..k * n).map(|at| patterned(at % n, at / n, k)).collect();
            let expected: Vec<f32> = whole_product(&a, &b, (m, k, n)).iter().map(|&x| x as f32).collect();
            for kernels in present() {
                assert_eq!(
                    int8(kernels, &a, &b, (m, k, n)),
                    expected,
                    "{} {m}x{k}x{n} {shift}",
                    kernels.isa()
                );
            }
        }
    }
}

#[test]
fn int16_is_exact() {
    let mut seeded = Seeded(2);
    for (m, k, n) in SHAPES {
        let limit = 32767.min((f64::from(i32::MAX) / k.max(1) as f64).sqrt() as i32);
        let a: Vec<i32> = (0..m * k).map(|_| seeded.whole(limit)).collect();
        let b: Vec<i32> = (0..k * n).map(|_| seeded.whole(limit)).collect();
        let expected: Vec<f32> = whole_product(&a, &b, (m, k, n)).iter().map(|&x| x as f32).collect();
        for kernels in present() {
            let y = int16(kernels, &a, &b, (m, k, n), limit as u16);
            assert_eq!(y, expected, "{} {m}x{k}x{n}", kernels.isa());
        }
    }
}

/// The product of what was rounded to bf16, by way of a buffer that held what is no number.
fn in_bf16(kernels: Kernels, a: &[f32], b: &[f32], (m, k, n): (usize, usize, usize)) -> Vec<f32> {
    let weights = kernels.pack_bf16(b, k, n, Layout::Kn).unwrap();
    let mut rows = kernels.rows(Precision::Bf16, m, k + 1);
    rows.quantise(&vec![f32::NAN; m * (k + 1)], m).unwrap();
    rows.reshape(Precision::Bf16, m, k);
    rows.quantise(a, m).unwrap();
    product(&weights, rows.view(), m)
}

#[test]
fn bf16_rounds_to_the_nearest_and_halves_to_even() {
    let mut seeded = Seeded(10);
    let mut values = seeded.f32s(1000, 3.0);
    values.extend([257.0 / 256.0, 259.0 / 256.0, -257.0 / 256.0, 0.0, 1e30, -1e-30]);
    let rounded: Vec<f32> = values.iter().copied().map(bf16).collect();
    assert_eq!(rounded[1000..1003], [1.0, 260.0 / 256.0, -1.0], "halves");
    for kernels in present() {
        let shape = (values.len(), 1, 1);
        assert_eq!(bits(&in_bf16(kernels, &values, &[1.0], shape)), bits(&rounded), "{}", kernels.isa());
        let weights = in_bf16(kernels, &[1.0], &values, (1, 1, values.len()));
        assert_eq!(bits(&weights), bits(&rounded), "{}", kernels.isa());
    }
}

#[test]
fn floats_have_one_order_on_all_and_are_near_the_exact_sum() {
    for precision in [Precision::F32, Precision::Bf16] {
        one_order(precision);
    }
}

/// Each value of `y` lies within what rounding may add to the exact sum.
fn assert_near_exact(y: &[f32], (a, b): (&[f32], &[f32]), (m, k, n): (usize, usize, usize)) {
    for (at, y) in y.iter().enumerate() {
        let terms = || (0..k).map(|p| f64::from(a[at / n * k + p]) * f64::from(b[p * n + at % n]));
        let bound = terms().map(f64::abs).sum::<f64>() * k as f64 * f64::from(f32::EPSILON);
        assert!((f64::from(*y) - terms().sum::<f64>()).abs() <= bound + 1e-12, "{m}x{k}x{n}");
    }
}

fn one_order(precision: Precision) {
    let mut seeded = Seeded(3);
    for (m, k, n) in SHAPES {
        let (mut a, mut b) = (seeded.f32s(m * k, 1.0), seeded.f32s(k * n, 1.0));
        let mut first: Option<Vec<u32>> = None;
        if precision == Precision::Bf16 {
            for values in [&mut a, &mut b] {
                values.iter_mut().for_each(|x| *x = bf16(*x));
            }
        }
        for kernels in present() {
            let y = if precision == Precision::Bf16 {
                in_bf16(kernels, &a, &b, (m, k, n))
            } else {
                let weights = kernels.pack_f32(&b, k, n, Layout::Kn).unwrap();
                product(&weights, Input::f32(&a, m, k).unwrap(), m)
            };
            // All have the bits of the first, which is near the exact sums.
            let first = first.get_or_insert_with(|| {
                assert_near_exact(&y, (&a, &b), (m, k, n));
                bits(&y)
            });
            assert_eq!(first, &bits(&y), "{} {m}x{k}x{n}", kernels.isa());
        }
    }
}

#[test]
fn weights_in_half_precision_have_the_results_of_the_same_weights_in_f32() {
    let mut seeded = Seeded(11);
    for (m, k, n) in SHAPES {
        // All signs and magnitudes, among them those below the normal ones.
        let (x, b) =
            (seeded.f32s(m * k, 1.0), (0..k * n).map(|_| seeded.next() as u16 & 0xBBFF).collect::<Vec<_>>());
        let wide: Vec<f32> = b.iter().map(|bits| f16(*bits)).collect();
        for kernels in present() {
            let weights = kernels.pack_f16(&b, k, n, Layout::Kn);
            if k % 2 == 1 {
                assert!(matches!(weights, Err(Error::Shape { .. })), "{k}");
                continue;
            }
            let [half, single] = [weights, kernels.pack_f32(&wide, k, n, Layout::Kn)]
                .map(|weights| product(&weights.unwrap(), Input::f32(&x, m, k).unwrap(), m));
            assert_eq!(bits(&half), bits(&single), "{} {m}x{k}x{n}", kernels.isa());
        }
    }
    let odd = Kernels::best().pack_f16(&[0x3C00, 0x3C00, 0x3C00, 0x7C00], 2, 2, Layout::Kn).unwrap_err();
    assert_eq!(odd, Error::NotFinite { column: 1 });
}

#[test]
fn a_row_does_not_depend_on_the_rows_beside_it() {
    let mut seeded = Seeded(4);
    let (m, k, n) = (19, 67, 90);
    let (x, b) = (seeded.f32s(m * k, 3.0), seeded.f32s(k * n, 1.0));
    for kernels in present() {
        let weights = kernels.pack_f32(&b, k, n, Layout::Kn).unwrap();
        let all = product(&weights, Input::f32(&x, m, k).unwrap(), m);
        for row in 0..m {
            let alone = product(&weights, Input::f32(&x, m, k).unwrap().rows(row..row + 1), 1);
            assert_eq!(bits(&alone), bits(&all[row * n..][..n]), "{} row {row}", kernels.isa());
        }
    }
}

#[test]
fn a_reshaped_buffer_multiplies_like_a_new_one() {
    let mut seeded = Seeded(8);
    for kernels in present() {
        let mut rows = kernels.rows(Precision::Int16, 0, 0);
        for (m, k, n) in [(5, 300, 20), (2, 7, 33), (9, 64, 16)] {
            let (x, b) =
                (seeded.f32s(m * k, 3.0), (0..k * n).map(|_| seeded.whole(127) as i8).collect::<Vec<_>>());
            let weights = kernels.pack_int8(&b, k, n, Layout::Kn).unwrap();
            let mut fresh = kernels.rows(Precision::Int8, m, k);
            fresh.quantise(&x, m).unwrap();
            rows.reshape(Precision::Int8, m, k);
            rows.quantise(&x, m).unwrap();
            assert_eq!(bits(&product(&weights, rows.view(), m)), bits(&product(&weights, fresh.view(), m)));
            assert!(
                rows.quantise(&seeded.f32s(100 * k, 1.0), 100).is_err(),
                "more rows than there is room for"
            );
        }
    }
}

#[test]
fn what_can_not_be_multiplied_exactly_is_refused() {
    let kernels = Kernels::best();
    let error = kernels.pack_int8(&[1, 2, 3, -128], 2, 2, Layout::Kn).unwrap_err();
    assert_eq!(error, Error::OutOfRange { column: 1 });
    let error = kernels.pack_int16(&[32767; 4], 4, 1, Layout::Kn, 32767).unwrap_err();
    assert_eq!(error, Error::Wraps { column: 0, bound: 32767, reach: 4 * 32767 * 32767 });
    assert!(error.to_string().contains("scale per column"), "{error}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let kernels = Kernels::best();
    let weights = kernels.pack_f32(&[1.0; 4 * 70], 4, 70, Layout::Kn).unwrap();
    let x = [0.0; 4];
    let mut y = [0.0; 70];
    let a = Input::f32(&x, 1, 4).unwrap();
    let mut run = |a, columns: std::ops::Range<usize>| {
        let out = MatMut::new(&mut y[..columns.len()], 1, columns.len()).unwrap();
        weights.multiply(a, columns, Activation::None, None, Output::F32(out))
    };
    assert_eq!(run(a, 0..70), Ok(()));
    assert_eq!(run(a, 64..70), Ok(()));
    assert!(matches!(run(a, 3..70), Err(Error::Columns { .. })));
    assert!(matches!(run(a, 0..66), Err(Error::Columns { .. })));
    assert!(matches!(run(Input::f32(&x, 2, 2).unwrap(), 0..70), Err(Error::Shape { .. })));
    assert!(matches!(run(kernels.rows(Precision::Int8, 1, 4).view(), 0..70), Err(Error::Form { .. })));
}

#[test]
fn what_is_no_number_stays_in_its_row_and_is_the_same_everywhere() {
    let mut seeded = Seeded(51);
    let (m, k, n) = (6, 40, 70);
    let b = seeded.f32s(k * n, 1.0);
    let mut x = seeded.f32s(m * k, 1.0);
    let ordinary = x[5 * k..].to_vec();
    for (row, odd) in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-39, f32::MAX].into_iter().enumerate() {
        x[row * k + 3] = odd;
    }
    x[k * 3..][..k].iter_mut().filter(|x| **x != 1e-39).for_each(|x| *x = 0.0);
    for quantised in [Some(Precision::Int8), Some(Precision::Int16), Some(Precision::Bf16), None] {
        let mut first: Option<Vec<u32>> = None;
        for kernels in present() {
            let run = |x: &[f32], m: usize| match quantised {
                Some(precision) => {
                    let weights = match precision {
                        Precision::Int8 => packed_int8(kernels, &b, (k, n), Layout::Kn),
                        Precision::Bf16 => kernels.pack_bf16(&b, k, n, Layout::Kn).unwrap(),
                        _ => packed_int16(kernels, &b, (k, n), Layout::Kn),
                    };
                    let mut rows = kernels.rows(precision, m, k);
                    rows.quantise(x, m).unwrap();
                    product(&weights, rows.view(), m)
                }
                None => {
                    let weights = kernels.pack_f32(&b, k, n, Layout::Kn).unwrap();
                    product(&weights, Input::f32(x, m, k).unwrap(), m)
                }
            };
            let y = run(&x, m);
            assert_eq!(bits(&y[5 * n..]), bits(&run(&ordinary, 1)), "{quantised:?} {}", kernels.isa());
            assert!(y[3 * n..4 * n].iter().all(|y| y.abs() <= 2e-39), "{quantised:?} {}", kernels.isa());
            assert_eq!(first.get_or_insert_with(|| bits(&y)), &bits(&y), "{quantised:?} {}", kernels.isa());
        }
    }
}

#[test]
fn buffers_that_can_not_hold_what_is_asked_are_refused() {
    let kernels = Kernels::best();
    let mut nothing: [f32; 0] = [];
    assert!(MatMut::new(&mut nothing, 1 << 33, 1 << 31).is_err(), "a size that overflows is none");
    assert!(Input::f32(&[], 1 << 33, 1 << 31).is_err(), "a size that overflows is none");
    assert!(matches!(kernels.rows(Precision::Int16, 1, 4).target(1, 1.0), Err(Error::Form { .. })));
    assert_eq!(kernels.rows(Precision::F32, 1, 4).quantise(&[0.0; 4], 1), Err(Error::Unquantised));
}
