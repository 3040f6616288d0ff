//! The names of the tensors in a layer of a sentence encoder, as `transformers` writes them: one list for the
//! engine that reads such files and for the generator that draws them.

/// Names in the layers of a kind of network.
#[derive(Clone, Copy, Debug)]
pub struct LayerLayout {
    /// Name of the layers' stack.
    stack: &'static str,
    /// Names within a layer, without `.weight` and `.bias`.
    names: [&'static str; 8],
}

impl LayerLayout {
    /// BERT, RoBERTa and networks of their layout.
    pub const BERT: Self = Self {
        stack: "encoder",
        names: [
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "attention.output.LayerNorm",
            "intermediate.dense",
            "output.dense",
            "output.LayerNorm",
        ],
    };
    /// RoBERTa with norms before the sublayers.
    pub const PRE_NORM: Self = Self {
        stack: "encoder",
        names: [
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "attention.LayerNorm",
            "intermediate.dense",
            "output.dense",
            "intermediate.LayerNorm",
        ],
    };
    /// DistilBERT.
    pub const DISTILBERT: Self = Self {
        stack: "transformer",
        names: [
            "attention.q_lin",
            "attention.k_lin",
            "attention.v_lin",
            "attention.out_lin",
            "sa_layer_norm",
            "ffn.lin1",
            "ffn.lin2",
            "output_layer_norm",
        ],
    };

    /// Names of the layer `number`: queries, keys, values, the product after attention, the norm of attention, the
    /// two products of the feed-forward sublayer, its norm.
    pub fn names(&self, number: usize) -> [String; 8] {
        self.names.map(|name| format!("{}.layer.{number}.{name}", self.stack))
    }
}
