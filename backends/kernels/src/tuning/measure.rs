//! The fastest walk through a weight, by trying all that make sense.

use super::{Choice, Walk, Walks};
use crate::product::{Best, Input, MatMut};
use crate::{Activation, Output, Precision, Weights};
use std::time::Instant;

/// Rows that stand for the class without an end.
pub(super) const MANY: usize = 192;
/// Rounds through all candidates, which take turns, so that a disturbance hits them alike; odd, so that one is the median.
const ROUNDS: usize = 7;
/// A candidate's turn: long against the clock's grain.
const TURN_SECONDS: f64 = 0.000_1;
/// A walk replaces the built-in one only if it is faster by more than measuring scatters.
const WORTH: f64 = 1.02;
/// Above this many outputs nobody writes them all: the best column is what is asked for.
const LOGITS: usize = 10_000;

/// Of the walks for so many rows the one whose median is best; nothing of a weight without values.
pub(super) fn fastest(weights: &mut Weights, rows: usize) -> Option<Choice> {
    if weights.k() == 0 || weights.n() == 0 {
        return None;
    }
    let built_in = Walks::built_in(weights.bytes()).of(rows);
    let mut candidates: Vec<(Walk, Vec<f64>)> = vec![(built_in, Vec::new())];
    candidates.extend(others(built_in, rows).into_iter().map(|walk| (walk, Vec::new())));
    let mut trial = Trial::new(weights, rows);
    for _ in 0..ROUNDS {
        for (walk, seconds) in &mut candidates {
            weights.set_walk(rows, *walk);
            seconds.push(trial.seconds(weights));
        }
    }
    let medians = candidates.into_iter().map(|(walk, mut seconds)| {
        seconds.sort_by(f64::total_cmp);
        (walk, seconds[ROUNDS / 2])
    });
    let medians: Vec<_> = medians.collect();
    let (_, base) = medians[0];
    let (walk, least) = medians.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let gain = base / least;
    Some(if gain > WORTH { Choice { walk, gain } } else { Choice { walk: built_in, gain: 1.0 } })
}

/// The walks that differ from the built-in one for so many rows.
fn others(built_in: Walk, rows: usize) -> Vec<Walk> {
    let mut walks = Vec::new();
    for tall in [4, 6].into_iter().filter(|tall| *tall == 4 || *tall < rows + 4) {
        for pass in [0, 48, 96].into_iter().filter(|pass| *pass < rows) {
            let walk = |ahead| Walk { tall: tall as u8, pass: pass as u16, ahead };
            walks.extend([0, 128, if rows <= 2 { 32 } else { Walk::PANEL }].map(walk));
        }
    }
    walks.retain(|walk| *walk != built_in);
    walks
}

/// What a trial of a weight needs.
struct Trial {
    rows: usize,
    bytes: Vec<u8>,
    scales: Vec<f32>,
    out: Vec<f32>,
    best: Vec<Best>,
}

impl Trial {
    fn new(weights: &Weights, rows: usize) -> Self {
        let all = weights.n() > LOGITS;
        Self {
            rows,
            bytes: vec![0; rows * stride(weights)],
            scales: vec![1.0; rows],
            out: vec![0.0; if all { 0 } else { rows * weights.n() }],
            best: vec![Best::NONE; if all { rows } else { 0 }],
        }
    }

    /// Of one product, the mean over a turn.
    fn seconds(&mut self, weights: &Weights) -> f64 {
        self.product(weights);
        let (start, mut runs) = (Instant::now(), 0.0);
        while start.elapsed().as_secs_f64() < TURN_SECONDS {
            self.product(weights);
            runs += 1.0;
        }
        start.elapsed().as_secs_f64() / runs
    }

    fn product(&mut self, weights: &Weights) {
        let (k, n, precision) = (weights.k(), weights.n(), weights.precision());
        let scales = (precision != Precision::F32).then_some(&self.scales[..]);
        let flip = weights.flip();
        let a = Input {
            precision,
            flip,
            bytes: &self.bytes,
            stride: stride(weights),
            k,
            rows: self.rows,
            scales,
        };
        let to = match MatMut::new(&mut self.out, self.rows, n) {
            Ok(out) => Output::F32(out),
            Err(_) => Output::Best { best: &mut self.best, mask: None },
        };
        weights.multiply(a, 0..n, Activation::None, None, to).expect("operands were made for it");
    }
}

/// Bytes from row to row, as activations have them.
fn stride(weights: &Weights) -> usize {
    weights.precision().stride(weights.k())
}
