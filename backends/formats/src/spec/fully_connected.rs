//! Description of a network whose decoder has fully-connected layers above a recurrent one.

use super::recurrent::Cell;

/// Shape of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullyConnectedSpec {
    /// Width of embeddings, E.
    pub embedding: usize,
    /// Recurrent layers of the source.
    pub source: SourceSpec,
    /// Recurrent layer at the bottom of the target.
    pub target: TargetSpec,
    /// Number of fully-connected layers, and their width F.
    pub fc: (usize, usize),
    /// Layers between the fully-connected layers and the output layer.
    pub top: TopSpec,
    /// Whether recurrent layers add their input, from the third layer of a stack on (Wu et al. 2016).
    pub skip: bool,
}

/// Recurrent layers of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceSpec {
    /// Kind of cell.
    pub cell: Cell,
    /// Number of layers.
    pub depth: usize,
    /// Width of one direction, S.
    pub width: usize,
    /// Whether all layers run in both directions, or the first one alone.
    pub both: bool,
}

/// Recurrent layer at the bottom of the target, which attends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetSpec {
    /// Kind of cell.
    pub cell: Cell,
    /// Width, R.
    pub width: usize,
    /// Width of the attention, A.
    pub attention: usize,
}

/// Layers between the fully-connected layers and the output layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopSpec {
    /// No layer.
    None,
    /// A fully-connected layer of this width with tanh.
    Tanh(usize),
    /// Recurrent layers.
    Recurrent {
        /// Kind of cell.
        cell: Cell,
        /// Number of layers.
        depth: usize,
        /// Width of a layer.
        width: usize,
    },
}

impl FullyConnectedSpec {
    /// Width of the source words that attention reads, C.
    pub fn context(&self) -> usize {
        self.source.ways(self.source.depth) * self.source.width
    }

    /// Width of the output layer's input, H.
    pub fn hidden(&self) -> usize {
        match self.top {
            TopSpec::None => self.below_top(),
            TopSpec::Tanh(width) | TopSpec::Recurrent { width, .. } => width,
        }
    }

    /// Width of the top's input.
    pub fn below_top(&self) -> usize {
        if self.fc.0 > 0 { self.fc.1 } else { self.target.width }
    }
}

impl SourceSpec {
    /// Number of directions in which a layer runs; layers count from 1.
    pub fn ways(&self, layer: usize) -> usize {
        if self.both || layer == 1 { 2 } else { 1 }
    }
}

impl TopSpec {
    /// Widths of the recurrent layers in the top.
    pub fn states(self) -> impl Iterator<Item = usize> {
        let (depth, width) = match self {
            Self::Recurrent { depth, width, .. } => (depth, width),
            Self::None | Self::Tanh(_) => (0, 0),
        };
        std::iter::repeat_n(width, depth)
    }
}
