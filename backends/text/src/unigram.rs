//! Unigram models: the division with the highest sum of log-probabilities, by Viterbi's algorithm over byte
//! positions.
//!
//! The last bit may decide between two divisions, so that the arithmetic is the reference's. Sums have 32
//! bits and run from left to right, and a later candidate wins only if it is strictly better. An unknown
//! character costs the worst normal piece less 10. A user-defined symbol earns a tenth for each byte after
//! the first. Sums beyond a threshold are pulled back to zero.

use crate::emit::{Emitter, NO_PIECE};
use crate::model::Kind;
use crate::pieces::Pieces;
use crate::trie::{Step, Trie};
use crate::utf8::chunk_len;
use crate::{Error, Result};

/// Difference between the score of an unknown character and the worst piece.
const UNKNOWN_PENALTY: f32 = 10.0;

/// Bonus for each byte after the first, with which longer symbols win over several shorter ones.
const USER_DEFINED_BONUS: f64 = 0.1;

/// Threshold of sums, beyond which they can't tell pieces apart; the reference then subtracts the first sum.
const RESET_THRESHOLD: f32 = 100_000.0;

/// The best division of the text up to a position: its score and its last piece.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    score: f32,
    /// Length of the last piece in bytes; 0 where no division reaches the position so far.
    len: u32,
    id: u32,
}

const UNREACHED: Node = Node { score: 0.0, len: 0, id: NO_PIECE };

/// The scores of a model, and its pieces in a trie.
pub(crate) struct Unigram {
    trie: Trie,
    /// Scores by id, with the bonus of user-defined symbols.
    scores: Vec<f32>,
    unknown_score: f32,
    longest_piece: usize,
}

impl Unigram {
    /// The model of the surface pieces.
    pub fn new(pieces: &Pieces) -> Result<Self> {
        if let Some(id) = pieces.scores.iter().position(|score| !score.is_finite()) {
            return Err(Error::model(format!("piece {id}"), "its score is not finite"));
        }
        if pieces.surfaces().next().is_none() {
            return Err(Error::model("pieces", "none that text could become"));
        }
        let normal = (0..pieces.len()).filter(|&id| pieces.kinds[id] == Kind::Normal);
        let worst = normal.map(|id| pieces.scores[id]).fold(f32::MAX, f32::min);
        let used = |&(_, _, kind): &(u32, &str, Kind)| kind != Kind::Unused;
        let keys = pieces.surfaces().filter(used).map(|(id, text, _)| (text.as_bytes(), id));
        Ok(Self {
            trie: Trie::build(keys.collect())?,
            scores: scores(pieces),
            unknown_score: worst - UNKNOWN_PENALTY,
            longest_piece: pieces.surfaces().map(|(_, text, _)| text.len()).max().unwrap_or(0),
        })
    }

    /// Divides `text` and appends the ids **in reverse**; `nodes` is a buffer.
    pub fn cut_reversed(&self, text: &[u8], nodes: &mut Vec<Node>, emitter: &mut Emitter<'_>) {
        nodes.clear();
        nodes.resize(text.len() + 1, UNREACHED);
        let mut start = 0;
        while start < text.len() {
            self.relax(&text[start..], start, nodes);
            start += chunk_len(&text[start..]);
        }
        let mut end = text.len();
        while end > 0 {
            let Node { len, id, .. } = nodes[end];
            let start = end - len as usize;
            match id {
                NO_PIECE => emitter.unknown(text[start..end].iter().rev().copied()),
                id => emitter.known(id),
            }
            end = start;
        }
    }

    /// Offers every piece at the start of `rest`, the text from `start` on, to the node at its end.
    #[inline]
    fn relax(&self, rest: &[u8], start: usize, nodes: &mut [Node]) {
        if nodes[start].score.abs() > RESET_THRESHOLD {
            self.reset(&mut nodes[start..]);
        }
        let here = nodes[start].score;
        let char_len = chunk_len(rest) as u32;
        let ends = &mut nodes[start + 1..];
        let mut char_is_piece = false;
        let mut walk = self.trie.walk();
        let mut len = 0;
        for (&byte, end) in rest.iter().zip(ends.iter_mut()) {
            len += 1;
            match walk.step(byte) {
                Step::Out => break,
                Step::Inside => {}
                Step::Key(id) => {
                    offer(end, Node { score: self.scores[id as usize] + here, len, id });
                    char_is_piece |= len == char_len;
                }
            }
        }
        if !char_is_piece {
            let unknown = Node { score: self.unknown_score + here, len: char_len, id: NO_PIECE };
            offer(&mut ends[char_len as usize - 1], unknown);
        }
    }

    /// Subtracts the first node's score from all reached nodes.
    #[cold]
    fn reset(&self, nodes: &mut [Node]) {
        let offset = nodes[0].score;
        nodes[0].score = 0.0;
        // No node beyond the length of a piece, or of a character, can be reached so far.
        for node in nodes.iter_mut().skip(1).take(self.longest_piece.max(4)).filter(|node| node.len > 0) {
            node.score -= offset;
        }
    }
}

#[inline(always)]
fn offer(best: &mut Node, candidate: Node) {
    if best.len == 0 || candidate.score > best.score {
        *best = candidate;
    }
}

fn scores(pieces: &Pieces) -> Vec<f32> {
    let mut scores = pieces.scores.clone();
    for (id, text, kind) in pieces.surfaces() {
        if kind == Kind::UserDefined {
            scores[id as usize] = (USER_DEFINED_BONUS * (text.len() as f64 - 1.0)) as f32;
        }
    }
    scores
}
