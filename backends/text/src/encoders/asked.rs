//! What a tokeniser must know of the network that reads its ids.

use std::path::Path;

/// What a network and the modules around it say about its tokeniser.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Folder with the tokeniser's files.
    pub folder: &'a Path,
    /// Class of the tokeniser in Python, where the network's configuration names it.
    pub class: Option<&'a str>,
    /// Class for networks of this kind, where no file names one.
    pub usual_class: &'a str,
    /// Number of words of the network.
    pub words: usize,
    /// Greatest number of tokens that the network takes.
    pub positions: usize,
    /// Greatest number of tokens of a line, where it is given.
    pub most_tokens: Option<usize>,
    /// Whether text is put into lower case first.
    pub lower_case: bool,
    /// Text that is put before each line.
    pub prompt: &'a str,
}
