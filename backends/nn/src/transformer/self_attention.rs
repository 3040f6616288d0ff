//! Self-attention in the decoder, over a cache of keys and values.

use std::sync::Arc;

use dyno_formats::Result;

use super::Options;
use super::attention::{Attention, Weights};
use super::autoregression::{Autoregression, Memory};
use crate::params::Params;
use crate::rows::Rows;

/// The sublayer's parameters.
pub struct SelfAttention {
    attention: Attention,
    width: usize,
}

impl SelfAttention {
    /// Reads those of the decoder's layer that is stored under `number`.
    ///
    /// # Errors
    /// When one is missing, or has another shape.
    pub fn new(params: Params<'_>, options: &Options, number: usize) -> Result<Self> {
        let prefix = format!("decoder_l{number}_self");
        Ok(Self { attention: Attention::new(params, options, &prefix)?, width: options.width })
    }
}

impl Autoregression for SelfAttention {
    fn memory(self: Arc<Self>) -> Box<dyn Memory> {
        Box::new(Cache {
            layer: self,
            keys: Vec::new(),
            values: Vec::new(),
            query: Vec::new(),
            input: Vec::new(),
            spare: Vec::new(),
            weights: Weights::default(),
        })
    }
}

/// Keys and values, step by step.
struct Cache {
    layer: Arc<SelfAttention>,
    /// One for each step: [hypotheses, D].
    keys: Vec<Rows>,
    values: Vec<Rows>,
    query: Vec<f32>,
    input: Vec<f32>,
    spare: Vec<f32>,
    weights: Weights,
}

impl Cache {
    fn remember(&mut self, step: usize) {
        let attention = &self.layer.attention;
        for (linear, cache) in [(&attention.key, &mut self.keys), (&attention.value, &mut self.values)] {
            cache.truncate(step);
            linear.apply(&self.input, &mut self.spare);
            let mut rows = Rows::new(self.layer.width);
            rows.set(&self.spare);
            cache.push(rows);
        }
    }
}

impl Memory for Cache {
    fn start(&mut self, _rows: usize) {
        self.keys.clear();
        self.values.clear();
    }

    fn step(&mut self, rows: &mut Vec<f32>, step: usize) {
        self.input.clone_from(rows);
        self.remember(step);
        let layer = Arc::clone(&self.layer);
        let attention = &layer.attention;
        attention.before.apply(rows, &[]);
        if step == 0 {
            // One key only, so that its value is all. Marian normalises it at this step alone: later on, keys and
            // values come from its stored inputs, which were not (`LayerAttention` in its transformer.h).
            attention.value.apply(rows, &mut self.query);
            std::mem::swap(rows, &mut self.query);
        } else {
            attention.query.apply(rows, &mut self.query);
            for (row, (query, out)) in
                self.query.chunks_exact(layer.width).zip(rows.chunks_exact_mut(layer.width)).enumerate()
            {
                let (key, value) = (|at: usize| self.keys[at].row(row), |at: usize| self.values[at].row(row));
                attention.attend(query, step + 1, key, value, out, &mut self.weights);
            }
        }
        attention.finish(rows, &self.input, &mut self.spare);
    }

    fn reorder(&mut self, kept: &[usize]) {
        self.keys.iter_mut().chain(&mut self.values).for_each(|rows| rows.reorder(kept));
    }
}
