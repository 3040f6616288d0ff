//! Recurrent cells, averages and gates: their formulas in 64 bits, and the same bits everywhere.

use crate::oracle::{LENGTHS, Seeded, close, same_bits, sigmoid, wide};
use dyno_kernels::Kernels;

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
