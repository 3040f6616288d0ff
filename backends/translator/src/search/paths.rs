//! Paths of words; common beginnings are stored once.

/// Last word of a path, and the path before it.
#[derive(Clone, Copy, Debug)]
struct Node {
    word: u32,
    /// Source word that the word attends to most.
    aligned: usize,
    /// Node of the word before; [`NONE`] for the first word of a sentence.
    parent: usize,
}

/// The node before the first word.
pub(super) const NONE: usize = usize::MAX;

/// Words of all hypotheses of a batch, and the finished paths.
#[derive(Default)]
pub(crate) struct Results {
    nodes: Vec<Node>,
    /// Finished paths of each sentence.
    finished: Vec<Vec<Finished>>,
    ids: Vec<u32>,
    aligned: Vec<usize>,
}

/// End of a finished path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finished {
    pub(super) node: usize,
    /// Ranking value; `None` for greedy search.
    pub(super) value: Option<f32>,
}

/// A translation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    /// Words of the translation, with the end of the sentence unless the greatest length came first.
    pub(crate) ids: &'a [u32],
    /// For each word the source word that it attends to most, if the search notes it.
    pub(crate) aligned: &'a [usize],
    /// Ranking value.
    pub(crate) score: Option<f32>,
}

impl Results {
    /// Removes all paths, for a batch of this many sentences.
    pub(super) fn start(&mut self, sentences: usize) {
        self.clear();
        self.finished.resize_with(sentences, Vec::new);
    }

    /// Removes all paths and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.finished.iter_mut().for_each(Vec::clear);
    }

    /// Continues the path that ends at `parent`.
    pub(super) fn push(&mut self, parent: usize, word: u32, aligned: usize) -> usize {
        self.nodes.push(Node { word, aligned, parent });
        self.nodes.len() - 1
    }

    pub(super) fn word(&self, node: usize) -> Option<u32> {
        self.nodes.get(node).map(|node| node.word)
    }

    pub(super) fn finish(&mut self, sentence: usize, finished: Finished) {
        self.finished[sentence].push(finished);
    }

    /// Keeps the `most` best finished paths of a sentence; gives the least of their values, once they are so many.
    pub(super) fn keep_best(&mut self, sentence: usize, most: usize) -> Option<f32> {
        let finished = &mut self.finished[sentence];
        sort(finished);
        finished.truncate(most);
        finished.get(most - 1).and_then(|last| last.value)
    }

    /// Sorts the translations of a sentence, best first, and keeps `most` of them. Of equal values, the first
    /// finished one is first.
    pub(super) fn rank(&mut self, sentence: usize, most: usize) {
        let finished = &mut self.finished[sentence];
        sort(finished);
        finished.truncate(most);
        if finished.is_empty() {
            // Where every word was suppressed, the answer is an empty translation.
            finished.push(Finished { node: NONE, value: Some(f32::NEG_INFINITY) });
        }
    }

    /// Number of translations of a sentence.
    pub(crate) fn count(&self, sentence: usize) -> usize {
        self.finished[sentence].len()
    }

    /// A translation of a sentence; rank 0 is the best.
    pub(crate) fn found(&mut self, sentence: usize, rank: usize) -> Found<'_> {
        let Finished { node, value } = self.finished[sentence][rank];
        self.trace(node);
        Found { ids: &self.ids, aligned: &self.aligned, score: value }
    }

    fn trace(&mut self, end: usize) {
        self.ids.clear();
        self.aligned.clear();
        let mut at = end;
        while let Some(node) = self.nodes.get(at) {
            self.ids.push(node.word);
            self.aligned.push(node.aligned);
            at = node.parent;
        }
        self.ids.reverse();
        self.aligned.reverse();
    }
}

/// Sorts finished paths, best first; of equal values, the first finished one is first.
fn sort(finished: &mut [Finished]) {
    finished.sort_by(|a, b| b.value.unwrap_or(0.0).total_cmp(&a.value.unwrap_or(0.0)));
}
