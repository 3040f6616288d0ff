//! The tuner: completes a tuning by timing products of freshly packed weights, once for each shape.

use super::{Input, Rows, Weights};
use crate::Precision;
use crate::tile::{Activation, Best, Blocking, Blockings, CLASSES, MatMut, Output, class};
use crate::tuning::{Choice, Tuning};
use std::time::Instant;

/// Number of rows that represents the class without a limit.
const MANY: usize = 192;
/// Rounds through all candidates. Candidates take turns, so that a disturbance hits all alike; odd, for the
/// median.
const ROUNDS: usize = 7;
/// Duration of a candidate's turn, long against the resolution of the clock.
const TURN_SECONDS: f64 = 0.000_1;
/// Gain from which a candidate replaces the built-in blocking: more than the scatter of the measurements.
const WORTH: f64 = 1.02;
/// Number of outputs above which a trial takes the best column of each row, as output layers do, instead of
/// all values.
const LOGITS: usize = 10_000;

/// Sets the blockings of freshly packed `weights` to the tuning's, and measures those that the tuning lacks.
pub(crate) fn tune(tuning: &Tuning, weights: &mut Weights) {
    let mut choices = tuning.choices();
    for rows in CLASSES.into_iter().chain([MANY]) {
        let shape = (weights.precision().name(), weights.k(), weights.n(), class(rows));
        if tuning.measures() && !choices.contains_key(&shape) {
            choices.extend(fastest(weights, rows).map(|choice| (shape, choice)));
        }
        if let Some(choice) = choices.get(&shape) {
            weights.set_blocking(rows, choice.blocking);
        }
    }
}

/// The blocking for `rows` rows with the best median time; `None` for weights without values.
fn fastest(weights: &mut Weights, rows: usize) -> Option<Choice> {
    if weights.k() == 0 || weights.n() == 0 {
        return None;
    }
    let built_in = Blockings::built_in(weights.bytes()).of(rows);
    let mut candidates: Vec<(Blocking, Vec<f64>)> = vec![(built_in, Vec::new())];
    candidates.extend(others(built_in, rows).into_iter().map(|blocking| (blocking, Vec::new())));
    let mut trial = Trial::new(weights, rows);
    for _ in 0..ROUNDS {
        for (blocking, seconds) in &mut candidates {
            weights.set_blocking(rows, *blocking);
            seconds.push(trial.seconds(weights));
        }
    }
    let medians = candidates.into_iter().map(|(blocking, mut seconds)| {
        seconds.sort_by(f64::total_cmp);
        (blocking, seconds[ROUNDS / 2])
    });
    let medians: Vec<_> = medians.collect();
    let (_, base) = medians[0];
    let (blocking, least) = medians.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let gain = base / least;
    Some(if gain > WORTH { Choice { blocking, gain } } else { Choice { blocking: built_in, gain: 1.0 } })
}

/// The candidates for `rows` rows besides the built-in blocking.
fn others(built_in: Blocking, rows: usize) -> Vec<Blocking> {
    let mut candidates = Vec::new();
    for tile_rows in [4, 6].into_iter().filter(|tile_rows| *tile_rows == 4 || *tile_rows < rows + 4) {
        for pass_rows in [0, 48, 96].into_iter().filter(|pass_rows| *pass_rows < rows) {
            let (tile_rows, pass_rows) = (tile_rows as u8, pass_rows as u16);
            let blocking = |prefetch| Blocking { tile_rows, pass_rows, prefetch };
            candidates.extend([0, 128, if rows <= 2 { 32 } else { Blocking::NEXT_PANEL }].map(blocking));
        }
    }
    candidates.retain(|candidate| *candidate != built_in);
    candidates
}

/// Operands and results of trial products with one weight.
struct Trial {
    rows: usize,
    values: Vec<f32>,
    quantised: Option<Rows>,
    out: Vec<f32>,
    best: Vec<Best>,
}

impl Trial {
    fn new(weights: &Weights, rows: usize) -> Self {
        let all = weights.n() > LOGITS;
        let values = like_activations(rows * weights.k());
        let quantised = (weights.precision().of_rows() != Precision::F32).then(|| {
            let mut quantised = weights.kernels().rows(weights.precision(), rows, weights.k());
            quantised.quantise(&values, rows).expect("rows of the weight's inputs");
            quantised
        });
        Self {
            rows,
            values,
            quantised,
            out: vec![0.0; if all { 0 } else { rows * weights.n() }],
            best: vec![Best::NONE; if all { rows } else { 0 }],
        }
    }

    /// The mean time of one product over a turn.
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
        let n = weights.n();
        let a = match &self.quantised {
            Some(quantised) => quantised.view(),
            None => Input::f32(&self.values, self.rows, weights.k()).expect("rows of the weight's inputs"),
        };
        let to = match MatMut::new(&mut self.out, self.rows, n) {
            Ok(out) => Output::F32(out),
            Err(_) => Output::Best { best: &mut self.best, mask: None },
        };
        weights.multiply(a, 0..n, Activation::None, None, to).expect("operands were made for it");
    }
}

/// Numbers that are spread as activations are, which are near a normal distribution: the time of an int8 product on
/// AVX2 depends on the magnitudes. Each is a sum of four numbers of a linear congruential sequence (Knuth's MMIX).
fn like_activations(count: usize) -> Vec<f32> {
    let mut state = 1u64;
    let mut between = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..count).map(|_| (0..4).map(|_| between()).sum()).collect()
}
