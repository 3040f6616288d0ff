//! Self-attention in the decoder, over a cache of keys and values.

use std::sync::Arc;

use dyno_formats::Result;

use super::attention::{Attention, Buffers};
use super::autoregression::{Autoregression, AutoregressionState};
use super::history::History;
use super::{Options, Scratch};
use crate::math::together;
use crate::params::Params;
use crate::watch::Operator;

/// The parameters of self-attention in one layer.
pub struct SelfAttention {
    attention: Attention,
    /// Whether keys and values come from the normalised input.
    normalised_keys: bool,
}

impl SelfAttention {
    /// Reads the parameters of the decoder's layer that is stored under `number`.
    ///
    /// # Errors
    /// When a parameter is missing or has another shape.
    pub fn new(params: Params<'_>, options: &Options, number: usize) -> Result<Self> {
        let prefix = format!("decoder_l{number}_self");
        let attention = Attention::new(params, options, &prefix)?;
        let normalised_keys = options.normalised_keys || attention.before.is_empty();
        Ok(Self { attention, normalised_keys })
    }
}

impl Autoregression for SelfAttention {
    fn state(self: Arc<Self>) -> Box<dyn AutoregressionState> {
        let history = History::new(self.attention.width);
        Box::new(Cache { history, buffers: Buffers::default(), layer: self })
    }
}

/// State of self-attention: keys and values of all steps.
struct Cache {
    history: History,
    buffers: Buffers,
    layer: Arc<SelfAttention>,
}

impl AutoregressionState for Cache {
    fn start(&mut self, rows: usize) {
        self.history.start(rows);
    }

    fn step(&mut self, rows: &mut Vec<f32>, step: usize, scratch: &mut Scratch) {
        self.project(rows, step, scratch);
        self.attend(rows.len(), step);
        let Buffers { heads, out, .. } = &mut self.buffers;
        self.layer.attention.finish(heads, rows, out, scratch);
    }

    fn reorder(&mut self, kept: &[usize]) {
        self.history.reorder(kept);
    }
}

impl Cache {
    /// Computes queries, keys and values of the sublayer's input `rows` [hypotheses, D]; at the first step
    /// also the result of attention.
    ///
    /// In Marian's models keys and values come from the input itself: Marian stores those, not the keys and
    /// values of the normalised input (`LayerAttention` in its transformer.h). Only at the first step Marian
    /// normalises its one key, and the result of attention is the value of that key.
    fn project(&mut self, rows: &[f32], step: usize, scratch: &mut Scratch) {
        let SelfAttention { attention, normalised_keys } = &*self.layer;
        let Buffers { query, keys, values, heads, .. } = &mut self.buffers;
        let prepared = attention.before.prepare(rows, &mut scratch.prepared);
        let stored = [(&attention.key, &mut *keys), (&attention.value, &mut *values)];
        if *normalised_keys {
            let [key, value] = stored;
            together(prepared, &mut scratch.operands, [(&attention.query, query), key, value]);
        } else {
            attention.query.apply(prepared, &mut scratch.operands, query);
            if step == 0 {
                attention.value.apply(prepared, &mut scratch.operands, heads);
            }
            together(rows, &mut scratch.operands, stored);
        }
    }

    /// Attends to each hypothesis' own past; the result is `heads` [hypotheses, D], `len` values.
    fn attend(&mut self, len: usize, step: usize) {
        let _attend = Operator::Attention.span();
        let attention = &self.layer.attention;
        let Buffers { query, keys, values, heads, weights, .. } = &mut self.buffers;
        self.history.push(keys, values);
        if step > 0 {
            heads.resize(len, 0.0);
            let width = attention.width;
            let rows = query.chunks_exact(width).zip(heads.chunks_exact_mut(width));
            for (row, (query, out)) in rows.enumerate() {
                attention.attend(query, self.history.of(row), out, weights);
            }
        } else if self.layer.normalised_keys {
            std::mem::swap(heads, values);
        }
    }
}
