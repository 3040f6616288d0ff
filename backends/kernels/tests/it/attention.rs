//! Attention of several heads and of one layer: its formulas in 64 bits, and the same bits everywhere.

use crate::oracle::{Seeded, bits, close, present, same_bits};
use dyno_kernels::{KeyValues, Mat};

#[test]
fn attention_is_right_for_each_row_of_queries() {
    let mut seeded = Seeded(13);
    for (heads, width, t, rows) in
        [(8, 32, 17, 3), (4, 64, 1, 1), (2, 24, 33, 2), (1, 5, 16, 4), (2, 8, 0, 2), (3, 16, 40, 9)]
    {
        let d = heads * width;
        let q = seeded.f32s(rows * 2 * d, 2.0); // each row has values behind it that aren't the query's
        let (keys, values) = (seeded.f32s(t * d, 2.0), seeded.f32s(t * d, 2.0));
        let mut memory = KeyValues::new(d);
        memory.push(&vec![f32::NAN; d], &vec![f32::NAN; d]).unwrap(); // must be gone after clearing
        memory.clear();
        for at in 0..t {
            memory.push(&keys[at * d..][..d], &values[at * d..][..d]).unwrap();
        }
        for kernels in present() {
            let mut at_once = KeyValues::new(d);
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
fn queries_attend_together_with_the_bits_of_each_alone() {
    let mut seeded = Seeded(15);
    for (heads, width, t, rows) in [(8, 32, 17, 4), (2, 64, 40, 6), (2, 24, 33, 5), (3, 16, 9, 11)] {
        let d = heads * width;
        let (q, keys, values) =
            (seeded.f32s(rows * d, 2.0), seeded.f32s(t * d, 2.0), seeded.f32s(t * d, 2.0));
        for kernels in present() {
            let mut memory = KeyValues::new(d);
            kernels.remember(&mut memory, &keys, &values).unwrap();
            let attend = |q: &[f32]| {
                let (mut weights, mut out) = (Vec::new(), vec![0.0; q.len()]);
                let queries = Mat::new(q, q.len() / d, d).unwrap();
                kernels.attend(queries, &memory, heads, &mut weights, &mut out).unwrap();
                out
            };
            let alone: Vec<f32> = q.chunks(d).flat_map(attend).collect();
            assert_eq!(bits(&attend(&q)), bits(&alone), "{} {heads}x{width}", kernels.isa());
        }
    }
}

#[test]
fn additive_attention_is_right() {
    let mut seeded = Seeded(14);
    for (c, t) in [(1, 1), (15, 3), (16, 16), (33, 5), (512, 20)] {
        let (rows, state, direction) = (seeded.f32s(t * c, 1.0), seeded.f32s(c, 1.0), seeded.f32s(c, 0.1));
        let energies = |near: bool| {
            same_bits(&vec![0.0; t], |kernels, y| {
                kernels.energies(&rows, &state, &direction, near, y).unwrap();
            })
        };
        let energy = |at: usize| -> f64 {
            (0..c)
                .map(|i| f64::from(direction[i]) * (f64::from(rows[at * c + i]) + f64::from(state[i])).tanh())
                .sum()
        };
        let exact: Vec<f64> = (0..t).map(energy).collect();
        close("energies", &energies(false), &exact);
        let error = 1e-3 * direction.iter().map(|u| f64::from(u.abs())).sum::<f64>();
        for (near, exact) in energies(true).iter().zip(&exact) {
            assert!((f64::from(*near) - exact).abs() <= error, "{near} for {exact}");
        }
        let weights = seeded.f32s(t, 1.0);
        let y = same_bits(&vec![0.0; c], |kernels, y| kernels.weighted_sum(&weights, &rows, y).unwrap());
        let exact = |i: usize| (0..t).map(|t| f64::from(weights[t]) * f64::from(rows[t * c + i])).sum();
        close("weighted sum", &y, &(0..c).map(exact).collect::<Vec<_>>());
    }
}

#[test]
fn attention_over_nothing_is_zero_and_without_heads_an_error() {
    for kernels in present() {
        let (mut weights, mut out) = (Vec::new(), [f32::NAN; 4]);
        let query = [1.0; 4];
        let queries = Mat::new(&query, 1, 4).unwrap();
        kernels.attend(queries, &KeyValues::new(4), 2, &mut weights, &mut out).unwrap();
        assert_eq!(out, [0.0; 4], "{}", kernels.isa());
        assert!(kernels.attend(queries, &KeyValues::new(4), 0, &mut weights, &mut out).is_err());
        let mut narrow = KeyValues::new(0);
        narrow.push(&[], &[]).unwrap();
        kernels.attend(Mat::new(&[], 1, 0).unwrap(), &narrow, 1, &mut weights, &mut []).unwrap();
        kernels.energies(&[], &[], &[], false, &mut out).unwrap();
        assert_eq!(out, [0.0; 4], "{}", kernels.isa());
    }
}

#[test]
fn a_window_gives_what_its_positions_alone_give() {
    let (d, heads, rows) = (32, 2, 5);
    for (t, window) in [(40, 40), (40, 1), (40, 17), (33, 16), (16, 100)] {
        let mut seeded = Seeded(21);
        let q = seeded.f32s(rows * d, 2.0);
        let (mut all, mut last) = (KeyValues::new(d), KeyValues::new(d));
        for at in 0..t + 3 {
            let (key, value) = (seeded.f32s(d, 2.0), seeded.f32s(d, 2.0));
            all.push(&key, &value).unwrap();
            if (t - window.min(t)..t).contains(&at) {
                last.push(&key, &value).unwrap();
            }
        }
        all.truncate(t);
        all.see_last(window);
        let attended = |memory: &KeyValues| {
            same_bits(&vec![0.0; rows * d], |kernels, out| {
                let queries = Mat::new(&q, rows, d).unwrap();
                kernels.attend(queries, memory, heads, &mut Vec::new(), out).unwrap();
            })
        };
        let exact = attended(&last).into_iter().map(f64::from).collect::<Vec<_>>();
        close("window", &attended(&all), &exact);
    }
}
