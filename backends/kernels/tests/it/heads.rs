//! Attention within a sentence: its formula in 64 bits, and the same bits everywhere.

use crate::oracle::{Seeded, close, same_bits};
use dyno_kernels::{Kernels, Mat, MatMut};

/// Positions, heads and width of a head: parts of tiles, blocks of queries and panels, and whole ones.
const SHAPES: [(usize, usize, usize); 7] =
    [(1, 2, 8), (7, 1, 5), (16, 2, 32), (17, 3, 24), (48, 1, 64), (65, 2, 80), (130, 1, 16)];

#[test]
fn each_head_attends_by_the_formula() {
    let mut seeded = Seeded(31);
    for (positions, heads, width) in SHAPES {
        let d = heads * width;
        let all = seeded.f32s(positions * 3 * d, 2.0); // queries, keys and values side by side
        let y = same_bits(&vec![f32::NAN; positions * d], |kernels, out| {
            attend(kernels, &all, (positions, heads, width), out);
        });
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
        close("attention", &y, &(0..positions * d).map(exact).collect::<Vec<_>>());
    }
}

fn attend(kernels: Kernels, all: &[f32], (positions, heads, width): (usize, usize, usize), out: &mut [f32]) {
    let d = heads * width;
    let side = |from: usize| Mat::new(all, positions, 3 * d).unwrap().columns(from..from + width).unwrap();
    let mut buffers = kernels.self_attention();
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
    let mut buffers = Kernels::best().self_attention();
    let x = [0.0; 12];
    let (right, wrong) = (Mat::new(&x, 3, 4).unwrap(), Mat::new(&x, 4, 3).unwrap());
    let mut out = [0.0; 12];
    for [q, k, v] in [[wrong, right, right], [right, wrong, right], [right, right, wrong]] {
        assert!(buffers.attend(q, k, v, MatMut::new(&mut out, 3, 4).unwrap()).is_err());
    }
    let none = Mat::new(&[], 0, 4).unwrap();
    buffers.attend(none, none, none, MatMut::new(&mut [], 0, 4).unwrap()).unwrap();
}
