//! A test set of drawn shape, for the track `pages`: so many blocks, lines and words as a published
//! comparison had, whose own text isn't at hand.
//!
//! Lines are runs of words of a given text, so that vocabularies find what they know. A line may end within a
//! sentence, and there is no reference: the set is for speed.

use std::path::Path;

use dyno_measure::{TestSet, split_lines};
use dyno_stats::Random;

/// Seed of the draw: the same set on every host.
const SEED: u64 = 1;

/// Exponential parts of a block's and of a line's weight. Blocks of a web page vary from a heading to a long
/// paragraph (one part, exponential); sentences vary less (three parts, whose spread is 58 % of their mean).
const PARTS_OF_A_BLOCK: usize = 1;
const PARTS_OF_A_LINE: usize = 3;

#[derive(Clone, Copy)]
pub struct Shape {
    /// Number of blocks, each a page of the track.
    pub pages: usize,
    /// Number of lines of all blocks.
    pub lines: usize,
    /// Number of words of all lines.
    pub words: usize,
}

/// The set `name` of this shape, with words of `text`.
pub fn drawn(name: &str, text: &Path, shape: Shape) -> Result<TestSet, String> {
    let Shape { pages, lines, words } = shape;
    if !(1 <= pages && pages <= lines && lines <= words) {
        return Err(format!(
            "{pages} `pages`, {lines} `lines` and {words} `words`: pages ≤ lines ≤ words must hold, all from 1"
        ));
    }
    let told =
        dyno_api::files::read_to_string(text).map_err(|error| format!("{}: {error}", text.display()))?;
    let mut order: Vec<&[u8]> = split_lines(told.as_bytes()).collect();
    Random::new(SEED, "order of a text").shuffle(&mut order);
    let there =
        || order.iter().flat_map(|line| line.split(u8::is_ascii_whitespace)).filter(|word| !word.is_empty());
    let count = there().count();
    if count < words {
        return Err(format!("{} has {count} words, of {words}: give a longer text", text.display()));
    }
    let mut rest = there();
    let line = |length: usize| rest.by_ref().take(length).collect::<Vec<_>>().join(&b' ');
    let lengths = parts(words, lines, PARTS_OF_A_LINE, &mut Random::new(SEED, "lines of a shape"));
    let set = TestSet::from_lines(name, lengths.into_iter().map(line).collect::<Vec<Vec<u8>>>());
    let sizes = parts(lines, pages, PARTS_OF_A_BLOCK, &mut Random::new(SEED, "pages of a shape"));
    Ok(set.with_pages(sizes))
}

/// `total` things in `count` parts of at least one, whose weights are sums of `exponentials` exponential
/// numbers.
fn parts(total: usize, count: usize, exponentials: usize, random: &mut Random) -> Vec<usize> {
    let weights: Vec<f64> =
        (0..count).map(|_| (0..exponentials).map(|_| random.exponential()).sum()).collect();
    let (all, further, mut sum, mut given) = (weights.iter().sum::<f64>(), (total - count) as f64, 0.0, 0);
    let part = |weight: &f64| {
        sum += weight;
        let until = ((further * sum / all).round() as usize).min(total - count);
        let own = until - given;
        given = until;
        1 + own
    };
    weights.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawn_set_has_exactly_its_shape_and_the_words_of_its_text() {
        let text = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testsets/everyday-en-de/source.en"));
        let shape = Shape { pages: 103, lines: 403, words: 9513 };
        let set = drawn("blocks", text, shape).unwrap();
        assert_eq!((set.pages.len(), set.source.len(), set.words()), (103, 403, 9513));
        assert_eq!(set.pages.iter().map(ExactSizeIterator::len).sum::<usize>(), 403);
        assert!(
            set.pages.iter().all(|page| !page.is_empty()) && set.source.iter().all(|line| !line.is_empty())
        );
        let distinct: std::collections::HashSet<&Vec<u8>> = set.source.iter().collect();
        assert_eq!(distinct.len(), 403, "no line comes again");
        let sizes: Vec<usize> = set.pages.iter().map(ExactSizeIterator::len).collect();
        assert!(
            sizes.contains(&1) && sizes.iter().any(|&size| size > 12),
            "headings and paragraphs: {sizes:?}"
        );
        assert_eq!(drawn("blocks", text, shape).unwrap().sha256, set.sha256, "the same on every host");
        let fault = |shape| drawn("blocks", text, shape).unwrap_err();
        assert!(fault(Shape { words: 20_000, ..shape }).contains("give a longer text"));
        assert!(fault(Shape { pages: 404, ..shape }).contains("must hold"));
    }
}
