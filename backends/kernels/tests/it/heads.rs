//! Attention within a sentence: its formula in 64 bits, and the same bits everywhere.

use crate::oracle::{Seeded, close, same_bits, wide};
use dyno_kernels::{Kernels, KeyValues, Mat, MatMut, Precision, SelfAttention};

/// Positions, heads and width of a head: parts of tiles, blocks of queries and panels, and whole ones.
/// Up to 32 positions all heads attend at once; from 128 on, products in int8 are in integers.
const SHAPES: [(usize, usize, usize); 12] = [
    (1, 2, 8),
    (7, 1, 5),
    (16, 2, 32),
    (17, 3, 24),
    (32, 4, 16),
    (33, 4, 16),
    (48, 1, 64),
    (65, 2, 80),
    (128, 2, 32),
    (130, 1, 16),
    (145, 1, 5),
    (197, 2, 80),
];

/// Greatest error in int8 of values in -2..2: scores are wrong by some units of queries and keys, which are 2/127.
/// Weights and values are nearly exact.
const MOST_WRONG: f64 = 0.05;

#[test]
fn each_head_attends_by_the_formula() {
    let mut seeded = Seeded(31);
    for (positions, heads, width) in SHAPES {
        let d = heads * width;
        let all = seeded.f32s(positions * 3 * d, 2.0); // queries, keys and values side by side
        let attend_in = |precision: Precision| {
            same_bits(&vec![f32::NAN; positions * d], |kernels, out| {
                attend(kernels.self_attention(precision), &all, (positions, heads, width), out);
            })
        };
        let at = |position: usize, column: usize| f64::from(all[position * 3 * d + column]);
        let exact = |index: usize| {
            let (query, column) = (index / d, index % d);
            let head = column / width * width;
            let score = |key: usize| -> f64 {
                let dot: f64 = (head..head + width).map(|i| at(query, i) * at(key, d + i)).sum();
                (dot / (width as f64).sqrt()).exp()
            };
            let sum: f64 = (0..positions).map(score).sum();
            (0..positions).map(|key| score(key) / sum * at(key, 2 * d + column)).sum::<f64>()
        };
        let exact: Vec<f64> = (0..positions * d).map(exact).collect();
        close("attention", &attend_in(Precision::F32), &exact);
        for (index, (y, exact)) in attend_in(Precision::Int8).iter().zip(&exact).enumerate() {
            assert!((f64::from(*y) - exact).abs() < MOST_WRONG, "{y} for {exact} in {index} of {positions}");
        }
    }
}

/// Queries, keys and values [positions, 3·width] of a head in which all queries give the first position `share` of
/// their weight, and all others the same. A score is the first value of a query, times that of a key, by √width.
fn sink(share: f64, (positions, width): (usize, usize), value: impl Fn(usize, usize) -> f32) -> Vec<f32> {
    let score = (share / (1.0 - share) * (positions - 1) as f64).ln();
    let mut all = vec![0.0; positions * 3 * width];
    for (position, row) in all.chunks_exact_mut(3 * width).enumerate() {
        row[0] = (score * (width as f64).sqrt()) as f32;
        row[width] = if position == 0 { 1.0 } else { 0.0 };
        (0..width).for_each(|column| row[2 * width + column] = value(position, column));
    }
    all
}

/// A softmax sums up to 1, also where one position has most of it and all others next to nothing.
#[test]
fn positions_beside_a_sink_keep_their_weight() {
    let width = 16;
    for (positions, share) in [(128, 0.6), (384, 0.6), (384, 0.95), (1023, 0.99)] {
        let attend_to = |value: &dyn Fn(usize, usize) -> f32| {
            let all = sink(share, (positions, width), value);
            same_bits(&vec![f32::NAN; positions * width], |kernels, out| {
                attend(kernels.self_attention(Precision::Int8), &all, (positions, 1, width), out);
            })
        };
        let all = attend_to(&|_, _| 1.0);
        assert!(all.iter().all(|y| (y - 1.0).abs() < 1e-3), "{} of all weight is left", all[0]);
        let others = attend_to(&|position, _| if position == 0 { 0.0 } else { 1.0 });
        let expected = (1.0 - share) as f32;
        assert!(others.iter().all(|y| (y / expected - 1.0).abs() < 0.03), "{} for {expected}", others[0]);
    }
}

/// The values of positions beside a sink are seen, each with its weight: the sink itself has none.
#[test]
fn positions_beside_a_sink_are_told_apart() {
    let (positions, width) = (384, 32);
    let values = Seeded(37).f32s(positions * width, 1.0);
    let value = |at: usize, column: usize| if at == 0 { 0.0 } else { values[at * width + column] };
    let all = sink(0.6, (positions, width), value);
    let mut y = vec![0.0; positions * width];
    attend(Kernels::best().self_attention(Precision::Int8), &all, (positions, 1, width), &mut y);
    let mean = |column: usize| -> f64 { (1..positions).map(|at| f64::from(value(at, column))).sum() };
    let exact: Vec<f64> = (0..width).map(|column| 0.4 / 383.0 * mean(column)).collect();
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let y = wide(&y[..width]);
    let cosine = dot(&y, &exact) / (dot(&y, &y) * dot(&exact, &exact)).sqrt();
    assert!(cosine > 0.999, "{cosine}");
}

/// Short sentences take the way of a decoder, and long ones products.
#[test]
fn attention_has_the_bits_of_a_decoders_at_any_length() {
    let mut seeded = Seeded(33);
    for (positions, heads, width) in SHAPES {
        let d = heads * width;
        let all = seeded.f32s(positions * 3 * d, 2.0);
        let side = |from: usize| Mat::new(&all, positions, 3 * d).unwrap().columns(from..from + d).unwrap();
        let by_products = same_bits(&vec![f32::NAN; positions * d], |kernels, out| {
            attend(kernels.self_attention(Precision::F32), &all, (positions, heads, width), out);
        });
        let as_decoders = same_bits(&vec![f32::NAN; positions * d], |kernels, out| {
            let mut memory = KeyValues::new(d);
            (0..positions).for_each(|at| memory.push(side(d).row(at), side(2 * d).row(at)).unwrap());
            kernels.attend(side(0), &memory, heads, &mut Vec::new(), out).unwrap();
        });
        assert_eq!(by_products, as_decoders, "{positions} {heads} {width}");
    }
}

fn attend(
    mut buffers: SelfAttention,
    all: &[f32],
    (positions, heads, width): (usize, usize, usize),
    out: &mut [f32],
) {
    let d = heads * width;
    let side = |from: usize| Mat::new(all, positions, 3 * d).unwrap().columns(from..from + d).unwrap();
    // The buffers were as large before: old values must not count.
    let nan = [f32::NAN; 40 * 9];
    for rows in [20, 40] {
        let (old, mut results) = (Mat::new(&nan[..rows * 9], rows, 9).unwrap(), vec![0.0; rows * 9]);
        buffers.attend([old; 3], 3, MatMut::new(&mut results, rows, 9).unwrap()).unwrap();
    }
    buffers.attend([0, d, 2 * d].map(side), heads, MatMut::new(out, positions, d).unwrap()).unwrap();
}

#[test]
fn operands_of_other_shapes_are_refused() {
    let mut buffers = Kernels::best().self_attention(Precision::F32);
    let x = [0.0; 12];
    let (right, wrong) = (Mat::new(&x, 3, 4).unwrap(), Mat::new(&x, 4, 3).unwrap());
    let mut out = [0.0; 12];
    for operands in [[wrong, right, right], [right, wrong, right], [right, right, wrong]] {
        assert!(buffers.attend(operands, 1, MatMut::new(&mut out, 3, 4).unwrap()).is_err());
    }
    for heads in [0, 3] {
        assert!(buffers.attend([right; 3], heads, MatMut::new(&mut out, 3, 4).unwrap()).is_err());
    }
    let none = Mat::new(&[], 0, 4).unwrap();
    buffers.attend([none; 3], 2, MatMut::new(&mut [], 0, 4).unwrap()).unwrap();
}
