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

/// Words of all hypotheses of a sentence, and the finished paths.
#[derive(Default)]
pub(super) struct Paths {
    nodes: Vec<Node>,
    finished: Vec<Finished>,
}

/// The words of one path, in a reusable buffer.
#[derive(Default)]
pub(super) struct Trace {
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

impl Paths {
    /// Removes all paths and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.finished.clear();
    }

    /// Continues the path that ends at `parent`.
    pub(super) fn push(&mut self, parent: usize, word: u32, aligned: usize) -> usize {
        self.nodes.push(Node { word, aligned, parent });
        self.nodes.len() - 1
    }

    /// The words of the path that ends at `node`, last first.
    pub(super) fn back(&self, node: usize) -> impl Iterator<Item = u32> {
        std::iter::successors(self.nodes.get(node), |node| self.nodes.get(node.parent)).map(|node| node.word)
    }

    pub(super) fn word(&self, node: usize) -> Option<u32> {
        self.nodes.get(node).map(|node| node.word)
    }

    pub(super) fn finish(&mut self, finished: Finished) {
        self.finished.push(finished);
    }

    /// Keeps the `most` best finished paths; gives the least of their values, once they are so many.
    pub(super) fn keep_best(&mut self, most: usize) -> Option<f32> {
        self.sort(most);
        self.finished.get(most - 1).and_then(|last| last.value)
    }

    /// Sorts the translations, best first, and keeps `most` of them.
    pub(super) fn rank(&mut self, most: usize) {
        self.sort(most);
        if self.finished.is_empty() {
            // Where every word was suppressed, the answer is an empty translation.
            self.finished.push(Finished { node: NONE, value: Some(f32::NEG_INFINITY) });
        }
    }

    /// Sorts finished paths, best first, and keeps `most` of them. Of equal values, the first finished one is
    /// first.
    fn sort(&mut self, most: usize) {
        self.finished.sort_by(|a, b| b.value.unwrap_or(0.0).total_cmp(&a.value.unwrap_or(0.0)));
        self.finished.truncate(most);
    }

    /// Number of translations.
    pub(super) fn count(&self) -> usize {
        self.finished.len()
    }

    /// A translation; rank 0 is the best.
    pub(super) fn found<'a>(&self, rank: usize, trace: &'a mut Trace) -> Found<'a> {
        let Finished { node, value } = self.finished[rank];
        trace.ids.clear();
        trace.aligned.clear();
        let mut at = node;
        while let Some(node) = self.nodes.get(at) {
            trace.ids.push(node.word);
            trace.aligned.push(node.aligned);
            at = node.parent;
        }
        trace.ids.reverse();
        trace.aligned.reverse();
        Found { ids: &trace.ids, aligned: &trace.aligned, score: value }
    }
}
