//! Paths of words: shared beginnings are stored once.

/// A path's last word, and where the path came from.
#[derive(Clone, Copy, Debug)]
struct Node {
    word: u32,
    /// The source word that it looked at most.
    aligned: usize,
    /// `NONE` at a sentence's first word.
    parent: usize,
}

/// No node: the beginning.
pub(super) const NONE: usize = usize::MAX;

/// All words of all hypotheses of a batch, and the paths that are finished.
#[derive(Default)]
pub(crate) struct Results {
    nodes: Vec<Node>,
    /// For each sentence.
    finished: Vec<Vec<Finished>>,
    ids: Vec<u32>,
    aligned: Vec<usize>,
}

/// The end of a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finished {
    pub(super) node: usize,
    /// What it is ranked by; `None` where nobody asked.
    pub(super) value: Option<f32>,
}

/// A translation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    /// Its words; the end is among them unless the limit came first.
    pub(crate) ids: &'a [u32],
    /// For each word the source word that it looked at most, if that was asked for.
    pub(crate) aligned: &'a [usize],
    /// What it was ranked by.
    pub(crate) score: Option<f32>,
}

impl Results {
    /// Forgets all, for a batch of this many sentences.
    pub(super) fn start(&mut self, sentences: usize) {
        self.clear();
        self.finished.resize_with(sentences, Vec::new);
    }

    /// Forgets all, and keeps the memory.
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

    /// Sorts a sentence's translations, best first, and keeps so many. Among equals the first to finish is first.
    pub(super) fn rank(&mut self, sentence: usize, most: usize) {
        let finished = &mut self.finished[sentence];
        finished.sort_by(|a, b| b.value.unwrap_or(0.0).total_cmp(&a.value.unwrap_or(0.0)));
        finished.truncate(most);
        if finished.is_empty() {
            // Every word was forbidden: an empty translation is still an answer.
            finished.push(Finished { node: NONE, value: Some(f32::NEG_INFINITY) });
        }
    }

    /// How many translations of a sentence there are.
    pub(crate) fn count(&self, sentence: usize) -> usize {
        self.finished[sentence].len()
    }

    /// One translation of a sentence; rank 0 is the best.
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
