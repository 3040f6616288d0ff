//! Attention within a sentence: its formula in 64 bits, and the same bits everywhere.

use crate::oracle::{Seeded, close, same_bits};
use dyno_kernels::{Kernels, Mat, MatMut, Precision, SelfAttention};

/// Positions, heads and width of a head: parts of tiles, blocks of queries and panels, and whole ones.
/// From 128 positions on, products in int8 are in int8.
const SHAPES: [(usize, usize, usize); 10] = [
    (1, 2, 8),
    (7, 1, 5),
    (16, 2, 32),
    (17, 3, 24),
    (48, 1, 64),
    (65, 2, 80),
    (128, 2, 32),
    (130, 1, 16),
    (145, 1, 5),
    (197, 2, 80),
];

/// Greatest error in int8 of values in -2..2. A value is wrong by half of its unit of 2/127 at most, and so is their
/// mean. Weights are wrong by half of 1/127 of the greatest, and scores by some units of theirs.
const MOST_WRONG: f64 = 0.1;

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

fn attend(
    mut buffers: SelfAttention,
    all: &[f32],
    (positions, heads, width): (usize, usize, usize),
    out: &mut [f32],
) {
    let d = heads * width;
    let side = |from: usize| Mat::new(all, positions, 3 * d).unwrap().columns(from..from + width).unwrap();
    // The buffers were as large before: old values must not count.
    let nan = [f32::NAN; 20 * 9];
    let old = Mat::new(&nan, 20, 9).unwrap();
    buffers.attend(old, old, old, MatMut::new(&mut [0.0; 20 * 9], 20, 9).unwrap()).unwrap();
    let mut rest = MatMut::new(out, positions, d).unwrap();
    for from in (0..d).step_by(width) {
        let (head, others) = rest.split_columns(width);
        rest = others;
        buffers.attend(side(from), side(d + from), side(2 * d + from), head).unwrap();
    }
}

#[test]
fn operands_of_other_shapes_are_refused() {
    let mut buffers = Kernels::best().self_attention(Precision::F32);
    let x = [0.0; 12];
    let (right, wrong) = (Mat::new(&x, 3, 4).unwrap(), Mat::new(&x, 4, 3).unwrap());
    let mut out = [0.0; 12];
    for [q, k, v] in [[wrong, right, right], [right, wrong, right], [right, right, wrong]] {
        assert!(buffers.attend(q, k, v, MatMut::new(&mut out, 3, 4).unwrap()).is_err());
    }
    let none = Mat::new(&[], 0, 4).unwrap();
    buffers.attend(none, none, none, MatMut::new(&mut [], 0, 4).unwrap()).unwrap();
}
