//! Rows: what goes through the network.

/// A word of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Id of the word.
    pub id: u32,
    /// Place of the line's keys and values. A line's rows follow each other in the order of its words.
    pub slot: usize,
    /// Position of the word in its line.
    pub position: usize,
}
