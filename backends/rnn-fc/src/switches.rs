//! Settings of this engine: the techniques of the paper, each as a switch.

use dyno_translator::{Position, Switch};

/// Number of words, from the first of the vocabulary, whose products with the first layers are computed when
/// the model is loaded (the paper's k of 4.2).
pub const EMBEDDINGS: &str = "precomputed-embeddings";

/// Whether the context's share in the target's gates is an average of products of the source words, computed
/// once for each sentence (4.3). Without it, the share is the product of the averaged source words.
pub const ATTENTION: &str = "precomputed-attention";

/// Whether σ and tanh come from tables (4.4).
pub const TABLES: &str = "table-activations";

/// Whether hypotheses with the same state share its products (4.5).
pub const MERGED: &str = "merged-states";

/// The switches with their defaults.
pub(crate) const SWITCHES: [Switch; 4] = [
    Switch { name: EMBEDDINGS, position: Position::Count(0) },
    Switch { name: ATTENTION, position: Position::Flag(true) },
    Switch { name: TABLES, position: Position::Flag(false) },
    Switch { name: MERGED, position: Position::Flag(true) },
];
