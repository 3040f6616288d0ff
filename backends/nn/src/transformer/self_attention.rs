//! Self-attention in the decoder, over a cache of keys and values.

use std::sync::Arc;

use dyno_formats::Result;
use dyno_formats::spec::TransformerSpec;

use super::attention::{Attention, Buffers};
use super::autoregression::{Autoregression, AutoregressionState};
use super::history::History;
use crate::math::together;
use crate::params::Params;
use crate::watch::Operator;
use crate::{Row, Scratch};

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
    pub fn new(params: Params<'_>, spec: &TransformerSpec, number: usize) -> Result<Self> {
        let prefix = format!("decoder_l{number}_self");
        let attention = Attention::new(params, spec, spec.heads[1], &prefix)?;
        let normalised_keys = spec.normalised_keys || attention.before.is_empty();
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
    fn admit(&mut self, rows: usize) {
        self.history.admit(rows);
    }

    fn step(&mut self, vectors: &mut Vec<f32>, rows: &[Row], scratch: &mut Scratch) {
        let first = self.layer.attention.width * rows.partition_point(|row| row.position > 0);
        self.project(vectors, first, scratch);
        self.attend(first);
        let Buffers { heads, out, .. } = &mut self.buffers;
        self.layer.attention.finish(heads, vectors, out, scratch);
    }

    fn reorder(&mut self, kept: &[usize]) {
        self.history.reorder(kept);
    }
}

impl Cache {
    /// Computes queries, keys and values of the sublayer's input `vectors` [hypotheses, D]. From `first` on
    /// the values belong to hypotheses at their first step: `out` receives their results of attention.
    ///
    /// In Marian's models keys and values come from the input itself: Marian stores those, not the keys and
    /// values of the normalised input (`LayerAttention` in its transformer.h). Only at the first step Marian
    /// normalises its one key, and the result of attention is the value of that key.
    fn project(&mut self, vectors: &[f32], first: usize, scratch: &mut Scratch) {
        let SelfAttention { attention, normalised_keys } = &*self.layer;
        let Buffers { query, keys, values, out, .. } = &mut self.buffers;
        let Scratch { operands, prepared, .. } = scratch;
        let prepared = attention.before.prepare(vectors, prepared, &mut operands.threads);
        let stored = [(&attention.key, &mut *keys), (&attention.value, &mut *values)];
        if *normalised_keys {
            let [key, value] = stored;
            together(prepared, operands, [(&attention.query, query), key, value]);
            out.clear();
            out.extend_from_slice(&values[first..]);
        } else {
            attention.query.apply(prepared, operands, query);
            attention.value.apply(&prepared[first..], operands, out);
            together(vectors, operands, stored);
        }
    }

    /// Attends to each hypothesis' own past; the result is `heads` [hypotheses, D], of which the part from
    /// `first` on is known.
    fn attend(&mut self, first: usize) {
        let _attend = Operator::Attention.span();
        let attention = &self.layer.attention;
        let Buffers { query, keys, values, heads, out, weights } = &mut self.buffers;
        self.history.push(keys, values);
        heads.resize(first, 0.0);
        let width = attention.width;
        let rows = query.chunks_exact(width).zip(heads.chunks_exact_mut(width));
        for (row, (query, out)) in rows.enumerate() {
            attention.attend(query, self.history.of(row), out, weights);
        }
        heads.extend_from_slice(out);
    }
}
