//! Description of a Transformer.

/// Shape of a Transformer.
#[derive(Clone, Debug, PartialEq)]
pub struct TransformerSpec {
    /// Width of the model, D.
    pub width: usize,
    /// Number of attention heads in encoder and decoder.
    pub heads: [usize; 2],
    /// Number of layers of the encoder.
    pub encoder_depth: usize,
    /// For each layer of the decoder, the number under which its parameters are stored, from 1.
    pub decoder_layers: Vec<usize>,
    /// The decoder's sublayer that reads the words before.
    pub autoregression: AutoregressionSpec,
    /// Shapes of the feed-forward sublayers in encoder and decoder.
    pub feeds: [FeedSpec; 2],
    /// Activation of the feed-forward sublayers.
    pub activation: Activation,
    /// Operations before a sublayer.
    pub before: ChainSpec,
    /// Operations after a sublayer.
    pub after: ChainSpec,
    /// Operations after embeddings.
    pub after_embedding: ChainSpec,
    /// Operations after the last layer.
    pub after_top: ChainSpec,
    /// Positions of words.
    pub positions: Positions,
    /// Factor of embeddings with sines and cosines.
    pub embedding_scale: f32,
    /// Input of the decoder's first step; zeros where there is none.
    pub start_word: Option<u32>,
    /// Whether the decoder's self-attention takes keys and values from its normalised input.
    pub normalised_keys: bool,
    /// Whether attention ends with a projection.
    pub projection: bool,
    /// Index of the decoder's layer whose attention is the alignment, from 0.
    pub alignment_layer: usize,
}

/// The decoder's sublayer that reads the words before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AutoregressionSpec {
    /// Self-attention.
    SelfAttention,
    /// Average attention: the mean of all inputs so far.
    Average(AverageSpec),
    /// Simpler simple recurrent units.
    Ssru(SsruSpec),
}

/// Shape of average attention.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AverageSpec {
    /// Width between the feed-forward layers, A.
    pub width: usize,
    /// Number of feed-forward layers, 1 or more.
    pub depth: usize,
    /// Whether gates mix the average with the input.
    pub gated: bool,
    /// Activation of the feed-forward layers.
    pub activation: Activation,
}

/// Shape of simpler simple recurrent units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SsruSpec {
    /// Whether products are normalised.
    pub normalised: bool,
    /// Whether the units end with a projection.
    pub projected: bool,
}

/// Shape of the feed-forward sublayers of one stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedSpec {
    /// Width between the layers.
    pub width: usize,
    /// Number of layers.
    pub depth: usize,
}

/// Operations around a sublayer, in order, and the epsilon of their norms.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainSpec {
    /// The operations.
    pub operations: Vec<Operation>,
    /// Epsilon of norms.
    pub epsilon: f32,
}

/// An operation around a sublayer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Layer normalisation.
    LayerNorm,
    /// Root-mean-square normalisation.
    RmsNorm,
    /// Addition of the sublayer's input.
    Add,
    /// A highway around the sublayer.
    Highway,
}

/// Positions of words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Positions {
    /// Sines and cosines, on scaled embeddings.
    Sinusoid {
        /// Divisor of an index in the exponent of wave lengths: D/2 − 1 in Marian and M2M-100, D/2 in MarianMT.
        divisor: f32,
        /// Position of the first word.
        first: usize,
    },
    /// Trained vectors; embeddings as they are.
    Trained,
    /// A table with a vector for each position, on scaled embeddings.
    Tabulated,
    /// No positions; embeddings as they are.
    None,
}

/// Activation of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// max(x, 0).
    Relu,
    /// x·σ(x).
    Swish,
    /// x·Φ(x), in its exact form.
    Gelu,
    /// x·Φ(x), with Φ by the hyperbolic tangent.
    GeluTanh,
    /// σ(x).
    Sigmoid,
}
