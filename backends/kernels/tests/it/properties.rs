//! Properties over random shapes and values: each instruction set present against
//! whole-number sums, and against the plain code's bits; shares of threads against the whole.

use crate::oracle::{Seeded, bits, present, whole_product};
use dyno_kernels::{Activation, Best, Kernels, Layout, Mat, MatMut, Output, Precision, Weights};
use proptest::prelude::*;

/// A dimension: around lanes, groups and panels often; nothing now and then.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![
        1 => Just(0usize),
        2 => Just(1usize),
        4 => (1usize..9, -1i32..2).prop_map(|(i, off)| (i as i32 * 16 + off) as usize),
        3 => 2usize..140,
    ]
}

/// Whole numbers within a limit, the extremes and zero often. Only the seed is drawn by the strategy: a
/// strategy for each of a million numbers takes seconds, and a failure shrinks by its shape.
fn wholes(n: usize, limit: i32) -> impl Strategy<Value = Vec<i32>> {
    (1..u64::MAX).prop_map(move |seed| {
        let mut seeded = Seeded(seed);
        let one = |_| if seeded.next().is_multiple_of(10) { 0 } else { seeded.whole(limit) };
        (0..n).map(one).collect()
    })
}

/// m, k, n, A [m, k] and B [k, n].
fn operands(
    limit: impl Fn(usize) -> i32 + Copy,
) -> impl Strategy<Value = (usize, usize, usize, Vec<i32>, Vec<i32>)> {
    (0usize..20, prop_oneof![9 => size(), 1 => 1000usize..3000], size()).prop_flat_map(move |(m, k, n)| {
        let n = if k >= 1000 { n.min(20) } else { n };
        (Just(m), Just(k), Just(n), wholes(m * k, limit(k)), wholes(k * n, limit(k)))
    })
}

fn pack(kernels: Kernels, precision: Precision, b: &[i32], k: usize, n: usize, bound: i32) -> Weights {
    match precision {
        Precision::Int8 => {
            kernels.pack_int8(&b.iter().map(|&x| x as i8).collect::<Vec<_>>(), k, n, Layout::Kn).unwrap()
        }
        _ => {
            let b: Vec<i16> = b.iter().map(|&x| x as i16).collect();
            kernels.pack_int16(&b, k, n, Layout::Kn, bound as u16).unwrap()
        }
    }
}

fn sums(
    kernels: Kernels,
    precision: Precision,
    a: &[i32],
    b: &[i32],
    (m, k, n): (usize, usize, usize),
    bound: i32,
) -> Vec<f32> {
    let weights = pack(kernels, precision, b, k, n, bound);
    let mut rows = kernels.rows(precision, m, k);
    rows.quantise_fixed(&a.iter().map(|&x| x as f32).collect::<Vec<_>>(), m, 1.0).unwrap();
    let mut y = vec![f32::NAN; m * n];
    let out = Output::F32(MatMut::new(&mut y, m, n).unwrap());
    weights.multiply(rows.view(), 0..n, Activation::None, None, out).unwrap();
    y
}

/// What int16 may reach without leaving 32 bits.
fn int16_limit(k: usize) -> i32 {
    32767.min((f64::from(i32::MAX) / k.max(1) as f64).sqrt() as i32)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn int8_products_are_exact((m, k, n, a, b) in operands(|_| 127)) {
        let exact: Vec<f32> = whole_product(&a, &b, (m, k, n)).iter().map(|&x| x as f32).collect();
        for kernels in present() {
            prop_assert_eq!(&sums(kernels, Precision::Int8, &a, &b, (m, k, n), 127), &exact, "{}", kernels.isa());
        }
    }

    #[test]
    fn int16_products_are_exact((m, k, n, a, b) in operands(int16_limit)) {
        let exact: Vec<f32> = whole_product(&a, &b, (m, k, n)).iter().map(|&x| x as f32).collect();
        for kernels in present() {
            prop_assert_eq!(&sums(kernels, Precision::Int16, &a, &b, (m, k, n), int16_limit(k)), &exact, "{}", kernels.isa());
        }
    }

    #[test]
    fn everything_at_once_has_the_plain_codes_bits(
        (m, k, n, a, b) in operands(|_| 127),
        kind in prop_oneof![
            Just(Activation::None), Just(Activation::Relu), Just(Activation::Swish), Just(Activation::Sigmoid),
            Just(Activation::Tanh), Just(Activation::Gelu), Just(Activation::GeluNear), Just(Activation::SwishNear)
        ],
        unit in 1e-4f32..1e2,
    ) {
        let x: Vec<f32> = a.iter().map(|&x| x as f32 * unit).collect();
        let scales: Vec<f32> = (0..n).map(|n| 0.01 + n as f32 * 1e-3).collect();
        let residual: Vec<f32> = (0..m * n).map(|i| (i as f32).sin()).collect();
        let mut specified: Option<(Vec<u32>, Vec<Best>)> = None;
        for kernels in present() {
            let weights = pack(kernels, Precision::Int8, &b, k, n, 127);
            let weights = if n > 0 { weights.with_scales(&scales).unwrap().with_bias(&scales).unwrap() } else { weights };
            let mut rows = kernels.rows(Precision::Int8, m, k);
            rows.quantise(&x, m).unwrap();
            let mut y = vec![f32::NAN; m * n];
            let around = || Some(Mat::new(&residual, m, n).unwrap());
            weights.multiply(rows.view(), 0..n, kind, around(), Output::F32(MatMut::new(&mut y, m, n).unwrap())).unwrap();
            let mut best = vec![Best::NONE; m];
            weights.multiply(rows.view(), 0..n, kind, around(), Output::Best { best: &mut best, mask: None }).unwrap();
            for (row, best) in y.chunks(n.max(1)).zip(&best) {
                let first = row.iter().position(|x| *x == best.value);
                prop_assert!(row.iter().all(|x| *x <= best.value) && first == Some(best.column), "{}", kernels.isa());
            }
            let found = (bits(&y), best);
            let specified = specified.get_or_insert_with(|| found.clone());
            prop_assert_eq!(&found, &*specified, "{}", kernels.isa());
        }
    }

    #[test]
    fn threads_that_share_a_product_leave_the_bits_of_one(
        (m, k, n, a, b) in operands(|_| 127), threads in 1usize..5, split in 0usize..20,
    ) {
        let x: Vec<f32> = a.iter().map(|&x| x as f32 / 3.0).collect();
        for kernels in present() {
            let weights = pack(kernels, Precision::Int8, &b, k, n, 127);
            let mut rows = kernels.rows(Precision::Int8, m, k);
            rows.quantise(&x, m).unwrap();
            let mut whole = vec![f32::NAN; m * n];
            let out = Output::F32(MatMut::new(&mut whole, m, n).unwrap());
            weights.multiply(rows.view(), 0..n, Activation::Tanh, None, out).unwrap();

            let (mut shared, split) = (vec![f32::NAN; m * n], split.min(m));
            let (above, below) = MatMut::new(&mut shared, m, n).unwrap().split_rows(split);
            std::thread::scope(|scope| {
                for (mut rest, part) in [(above, 0..split), (below, split..m)] {
                    for thread in 0..threads {
                        let columns = weights.share(thread, threads);
                        let (mine, others) = rest.split_columns(columns.len());
                        rest = others;
                        let (a, weights) = (rows.view().rows(part.clone()), &weights);
                        scope.spawn(move || {
                            weights.multiply(a, columns, Activation::Tanh, None, Output::F32(mine)).unwrap();
                        });
                    }
                }
            });
            prop_assert_eq!(bits(&shared), bits(&whole), "{}", kernels.isa());
        }
    }
}
