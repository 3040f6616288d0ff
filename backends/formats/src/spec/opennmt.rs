//! Description of OpenNMT's recurrent network: stacked layers, global attention above the decoder's, and
//! input feeding (Luong et al. 2015, "Effective Approaches to Attention-based Neural Machine Translation").

use super::recurrent::Cell;

/// Shape of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenNmtSpec {
    /// Widths of the embeddings of source and target.
    pub embeddings: [usize; 2],
    /// Width of a decoder's layer, and of the words that attention reads, H.
    pub state: usize,
    /// Cells of both sides.
    pub cell: Cell,
    /// Number of layers of encoder and decoder.
    pub depths: [usize; 2],
    /// Directions of the encoder's layers.
    pub directions: Directions,
    /// Whether the decoder's first layer reads the last attentional vector beside the word (input feeding).
    pub feeds: bool,
    /// Kind of attention.
    pub attention: GlobalAttention,
    /// Word that the decoder reads first.
    pub start_word: u32,
}

impl OpenNmtSpec {
    /// Number of directions of the encoder.
    pub fn ways(&self) -> usize {
        if self.directions == Directions::Forward { 1 } else { 2 }
    }

    /// Width of an encoder's layer in one direction, S.
    pub fn width(&self) -> usize {
        if self.directions == Directions::Joined { self.state / 2 } else { self.state }
    }

    /// Width of an encoder's layer's input.
    pub fn encoder_inputs(&self, layer: usize) -> usize {
        if layer == 1 { self.embeddings[0] } else { self.state }
    }

    /// Width of a decoder's layer's input: the word, with the last attentional vector in the first layer.
    pub fn decoder_inputs(&self, layer: usize) -> usize {
        match layer {
            1 if self.feeds => self.embeddings[1] + self.state,
            1 => self.embeddings[1],
            _ => self.state,
        }
    }
}

/// How a state h and a source word s give the energy of their attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalAttention {
    /// h·s.
    Dot,
    /// (h·W)·s.
    General,
    /// v·tanh(h·W + b + s·U), whose attentional vector has a bias and no tanh.
    Perceptron,
}

/// Directions of the encoder's layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// Forward only.
    Forward,
    /// Each layer runs in both directions with half of the width, and their outputs stand side by side.
    Joined,
    /// Two stacks, one for each direction, whose outputs and last states are added up.
    Summed,
}
