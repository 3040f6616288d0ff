//! What a decoder-only Transformer is: a language model of the kinds of Llama, Qwen, Gemma 3 and SmolLM.
//!
//! All of them have RMS norms before their sublayers, attention whose query heads share keys and values in
//! groups, rotated positions, and a gated feed-forward sublayer. They differ in the fields below.

use super::transformer::Activation;

/// Description of a decoder-only network.
#[derive(Clone, Debug, PartialEq)]
pub struct DecoderOnlySpec {
    /// Words of the vocabulary.
    pub words: usize,
    /// Values of a position's vector.
    pub width: usize,
    /// Number of layers.
    pub layers: usize,
    /// Values inside of the feed-forward sublayer.
    pub inner: usize,
    /// Query heads.
    pub heads: usize,
    /// Heads of keys and values, a divisor of the query heads.
    pub key_heads: usize,
    /// Values of a head.
    pub head: usize,
    /// Positions for which the network was trained.
    pub context: usize,
    /// Epsilon of the norms.
    pub epsilon: f32,
    /// Activation of the feed-forward sublayer's gate.
    pub gate: Activation,
    /// Factor of the words' vectors.
    pub embedding_scale: f32,
    /// Factor of a query's product with a key.
    pub attention_scale: f32,
    /// Whether queries, keys and values have biases.
    pub biases: bool,
    /// Whether queries and keys are normalised head by head.
    pub head_norms: bool,
    /// Whether norms follow the sublayers, too.
    pub norms_after: bool,
    /// Whether the words' vectors are the output's weights.
    pub tied: bool,
    /// Rotation of layers that see all positions.
    pub rotation: Rotation,
    /// Layers of which each n-th has no rotation; `None` where all have one.
    pub unrotated_every: Option<usize>,
    /// Layers that see a window of positions alone.
    pub windows: Option<Windows>,
}

/// Rotated positions: pairs of a head's values turn by an angle that is proportional to the position.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    /// Values that form a pair.
    pub pairs: Pairs,
    /// Angle per position of each pair.
    pub angles: Vec<f32>,
}

/// Values that form a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// Values 2i and 2i + 1, as in Llama's own files.
    Neighbours,
    /// Value i of each half, as in GPT-NeoX.
    Halves,
}

/// Layers that see a window of positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Windows {
    /// Positions that a position sees, itself among them.
    pub size: usize,
    /// Each n-th layer sees all positions.
    pub all_every: usize,
    /// Rotation of the layers with windows.
    pub rotation: Rotation,
}

impl DecoderOnlySpec {
    /// Rotation of layer `layer`, if it has one.
    pub fn rotation(&self, layer: usize) -> Option<&Rotation> {
        let rotates = self.unrotated_every.is_none_or(|every| !is_nth(layer, every));
        let local = self.windowed(layer).map(|windows| &windows.rotation);
        rotates.then(|| local.unwrap_or(&self.rotation))
    }

    /// Number of positions that layer `layer` sees; `None` for all.
    pub fn window(&self, layer: usize) -> Option<usize> {
        self.windowed(layer).map(|windows| windows.size)
    }

    fn windowed(&self, layer: usize) -> Option<&Windows> {
        self.windows.as_ref().filter(|windows| !is_nth(layer, windows.all_every))
    }

    /// The network's tensors in a GGUF file: names, rows and columns.
    pub fn tensors(&self) -> Vec<(String, usize, usize)> {
        let (queries, keys) = (self.heads * self.head, self.key_heads * self.head);
        let mut all = vec![
            ("token_embd.weight".into(), self.words, self.width),
            ("output_norm.weight".into(), 1, self.width),
        ];
        all.extend((!self.tied).then(|| ("output.weight".into(), self.words, self.width)));
        let always = [
            ("attn_norm.weight", 1, self.width),
            ("attn_q.weight", queries, self.width),
            ("attn_k.weight", keys, self.width),
            ("attn_v.weight", keys, self.width),
            ("attn_output.weight", self.width, queries),
            ("ffn_norm.weight", 1, self.width),
            ("ffn_gate.weight", self.inner, self.width),
            ("ffn_up.weight", self.inner, self.width),
            ("ffn_down.weight", self.width, self.inner),
        ];
        let biases = [("attn_q.bias", 1, queries), ("attn_k.bias", 1, keys), ("attn_v.bias", 1, keys)];
        let head_norms = [("attn_q_norm.weight", 1, self.head), ("attn_k_norm.weight", 1, self.head)];
        let after = [("post_attention_norm.weight", 1, self.width), ("post_ffw_norm.weight", 1, self.width)];
        for layer in 0..self.layers {
            let mut add = |some: &[(&str, usize, usize)]| {
                all.extend(
                    some.iter().map(|(name, rows, columns)| (format!("blk.{layer}.{name}"), *rows, *columns)),
                );
            };
            add(&always);
            add(if self.biases { &biases } else { &[] });
            add(if self.head_norms { &head_norms } else { &[] });
            add(if self.norms_after { &after } else { &[] });
        }
        all
    }
}

fn is_nth(layer: usize, every: usize) -> bool {
    (layer + 1).is_multiple_of(every)
}
