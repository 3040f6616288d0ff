//! Description of a recurrent encoder and decoder.

/// Shape of a recurrent network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecurrentSpec {
    /// Whether the file has the names of the program Nematus for its tensors.
    pub renamed: bool,
    /// Width of embeddings, E.
    pub embedding: usize,
    /// Width of a state, S.
    pub state: usize,
    /// Directions of the encoder's layers.
    pub encoder: EncoderKind,
    /// Cells of the encoder.
    pub encoder_cell: Cell,
    /// Number of layers of the encoder.
    pub encoder_depth: usize,
    /// Number of cells in a layer of the encoder.
    pub encoder_cells: usize,
    /// Cells of the decoder.
    pub decoder_cell: Cell,
    /// Number of layers of the decoder.
    pub decoder_depth: usize,
    /// Number of cells in the decoder's first layer, and in its other layers.
    pub decoder_cells: [usize; 2],
    /// Whether products are normalised.
    pub normalised: bool,
    /// Style of attention, start state and deep output; cells have the style of their kind.
    pub style: NormStyle,
    /// Whether layers add their input, from the second one on.
    pub skip: bool,
}

impl RecurrentSpec {
    /// Width of the encoder's output, C: two directions, unless layers in reading order stand above them.
    pub fn context(&self) -> usize {
        let upper = self.encoder == EncoderKind::BiUnidirectional && self.encoder_depth > 1;
        if upper { self.state } else { 2 * self.state }
    }
}

/// Directions of the encoder's layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncoderKind {
    /// Two stacks, one for each direction, joined at the top.
    Bidirectional,
    /// Two stacks, each of which changes its direction at each layer.
    Alternating,
    /// One layer in both directions, and above it layers in reading order.
    BiUnidirectional,
}

/// A kind of cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Gated recurrent unit.
    Gru,
    /// Gated recurrent unit with the norms of Nematus, where the model has norms.
    GruNematus,
    /// Long short-term memory.
    Lstm,
}

/// Position of layer normalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormStyle {
    /// No normalisation.
    None,
    /// Norm of products, with a scale; the bias follows the norm.
    Gamma,
    /// Norm of products with their bias; the norm has its own scale and bias.
    Nematus,
}
