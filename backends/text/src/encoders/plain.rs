//! BERT's tokens of plain words: those of printable ASCII, between spaces.
//!
//! The crate follows each character through its normalisers with its place in the text, and makes a string of each
//! word and of each try at a piece: some 2 µs a token, a twentieth of MiniLM's time with a line on Zen 5. Threads
//! can't share that time. Of a plain word it only lowers the letters and sets punctuation apart, so that the pieces
//! can be looked up at once. All other words go through the crate.

use std::ops::Range;

use tokenizers::models::ModelWrapper;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::{Model, Tokenizer};

/// What a tokeniser of BERT's kind does with plain words.
#[derive(Debug)]
pub(super) struct Plain {
    lowers: bool,
    /// Id of a word that has no pieces.
    unknown: u32,
    /// Bytes with which added words begin. A line with one of them goes through the crate.
    marks: Vec<u8>,
    /// Ids before and after those of a line.
    ends: [Vec<u32>; 2],
    /// Greatest number of a line's ids between the ends.
    most: usize,
}

impl Plain {
    /// What `tokenizer` does with plain words in lines of `most` tokens; `None` where it is of another kind.
    pub(super) fn of(tokenizer: &Tokenizer, most: usize) -> Option<Self> {
        let Some(NormalizerWrapper::BertNormalizer(normalizer)) = tokenizer.get_normalizer() else {
            return None;
        };
        let Some(PreTokenizerWrapper::BertPreTokenizer(_)) = tokenizer.get_pre_tokenizer() else {
            return None;
        };
        let model = word_pieces(tokenizer)?;
        let added = tokenizer.get_added_vocabulary().get_added_tokens_decoder().values();
        // A normalised word is looked for after normalisation, where its first byte may be another.
        let mark = |word: &tokenizers::AddedToken| word.content.bytes().next().filter(|_| !word.normalized);
        let ends = ends(tokenizer)?;
        Some(Self {
            lowers: normalizer.lowercase,
            unknown: model.token_to_id(&model.unk_token)?,
            marks: added.map(mark).collect::<Option<_>>()?,
            most: most.checked_sub(ends.concat().len())?,
            ends,
        })
    }

    /// Adds the ids of `line`. Without effect, it returns false for a line that goes through the crate as a whole.
    pub(super) fn encode(
        &self,
        tokenizer: &Tokenizer,
        line: &str,
        ids: &mut Vec<u32>,
    ) -> tokenizers::Result<bool> {
        let Some(model) = word_pieces(tokenizer) else { return Ok(false) };
        if line.bytes().any(|byte| self.marks.contains(&byte)) {
            return Ok(false);
        }
        ids.extend(&self.ends[0]);
        let most = ids.len() + self.most;
        let mut lowered = line.to_owned();
        if self.lowers {
            lowered.make_ascii_lowercase();
        }
        for (run, plain) in runs(line) {
            if plain {
                tokens(&lowered[run]).for_each(|token| self.push(model, token, ids));
            } else {
                ids.extend_from_slice(tokenizer.encode_fast(&line[run], false)?.get_ids());
            }
            if ids.len() >= most {
                break;
            }
        }
        ids.truncate(most);
        ids.extend(&self.ends[1]);
        Ok(true)
    }

    /// Adds the pieces of a token: from its beginning, the longest in the vocabulary, and so on.
    fn push(&self, model: &WordPiece, token: &str, ids: &mut Vec<u32>) {
        let first = ids.len();
        let (mut piece, mut from) = (String::new(), 0);
        let mut known = token.len() <= model.max_input_chars_per_word;
        while known && from < token.len() {
            piece.clear();
            piece.push_str(if from > 0 { &model.continuing_subword_prefix } else { "" });
            let prefix = piece.len();
            piece.push_str(&token[from..]);
            let id = longest(model, &mut piece, prefix);
            from += piece.len() - prefix;
            ids.extend(id);
            known = id.is_some();
        }
        if !known {
            ids.truncate(first);
            ids.push(self.unknown);
        }
    }
}

/// The longest beginning of `piece` that has an id, and more than `prefix` bytes; `piece` is cut to it.
fn longest(model: &WordPiece, piece: &mut String, prefix: usize) -> Option<u32> {
    while piece.len() > prefix {
        if let Some(id) = model.token_to_id(piece) {
            return Some(id);
        }
        piece.pop();
    }
    None
}

fn word_pieces(tokenizer: &Tokenizer) -> Option<&WordPiece> {
    match tokenizer.get_model() {
        ModelWrapper::WordPiece(model) => Some(model),
        _ => None,
    }
}

/// Ids that the tokeniser puts before and after those of a line; `None` where a line has other places as well.
fn ends(tokenizer: &Tokenizer) -> Option<[Vec<u32>; 2]> {
    let ids = |adds| Some(tokenizer.encode_fast("a", adds).ok()?.get_ids().to_vec());
    let (alone, whole) = (ids(false)?, ids(true)?);
    let places = || (0..whole.len()).filter(|at| !alone.is_empty() && whole[*at..].starts_with(&alone));
    let [at] = places().collect::<Vec<_>>()[..] else { return None };
    Some([whole[..at].to_vec(), whole[at + alone.len()..].to_vec()])
}

/// Whether all characters of `text` are letters, digits or punctuation of ASCII.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Words between spaces, and whether they are plain. Neighbours that aren't are one run: a call of the crate costs
/// some words.
fn runs(line: &str) -> impl Iterator<Item = (Range<usize>, bool)> {
    let end = |from: usize| line[from..].find(' ').map_or(line.len(), |at| from + at);
    let mut from = 0;
    std::iter::from_fn(move || {
        let first = (from <= line.len()).then_some(from)?;
        let mut to = end(first);
        let plain = is_plain(&line[first..to]);
        while !plain && to < line.len() && !is_plain(&line[to + 1..end(to + 1)]) {
            to = end(to + 1);
        }
        from = to + 1;
        Some((first..to, plain))
    })
}

/// Tokens of a plain word: each punctuation mark, and what stands between.
fn tokens(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let end = rest.bytes().position(|byte| byte.is_ascii_punctuation()).unwrap_or(rest.len());
        let (token, others) = rest.split_at(end.max(1).min(rest.len()));
        rest = others;
        (!token.is_empty()).then_some(token)
    })
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};
    use tokenizers::AddedToken;
    use tokenizers::normalizers::BertNormalizer;
    use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
    use tokenizers::processors::bert::BertProcessing;
    use tokenizers::utils::truncation::TruncationParams;

    use super::*;

    const WORDS: [&str; 22] = [
        "[CLS]", "[SEP]", "[UNK]", "a", "b", "A", "ab", "aba", "##a", "##b", "##ab", "##ba", "##A", "e",
        "##e", "1", "-", "'", "!", "中", "é", "##1",
    ];

    /// Parts of drawn lines: letters with and without pieces, marks, spaces and controls, accents, added words.
    const PARTS: [&str; 30] = [
        "a", "b", "ab", "A", "B", "e", "z", "1", " ", " ", " ", "  ", "-", "'", "!", "~", "é", "e\u{301}",
        "\u{301}", "中", "\t", "\u{b}", "\u{7f}", "\u{a0}", "\u{200d}", "\u{fffd}", "[SEP]", "[", "İ", "…",
    ];

    fn tokenizer(lowers: bool, strips: Option<bool>, most: usize) -> Tokenizer {
        let words = WORDS.iter().zip(0..).map(|(word, id)| ((*word).to_owned(), id));
        let words: tokenizers::models::bpe::Vocab = words.collect();
        let model = WordPiece::builder().vocab(words).unk_token("[UNK]".into()).max_input_chars_per_word(8);
        let mut made = Tokenizer::new(model.build().unwrap());
        let cut = TruncationParams { max_length: most, ..TruncationParams::default() };
        made.with_normalizer(Some(BertNormalizer::new(true, true, strips, lowers)))
            .unwrap()
            .with_pre_tokenizer(Some(BertPreTokenizer))
            .with_post_processor(Some(BertProcessing::new(("[SEP]".into(), 1), ("[CLS]".into(), 0))))
            .with_truncation(Some(cut))
            .unwrap();
        made.add_special_tokens(["[CLS]", "[SEP]"].map(|word| AddedToken::from(word, true))).unwrap();
        made
    }

    /// A line of up to `most` parts, most of which are the first ones.
    fn drawn(random: &mut Xoshiro256PlusPlus, most: u64) -> String {
        let count = random.next_u64() % most;
        let mut part = || {
            let among = if random.next_u64().is_multiple_of(8) { PARTS.len() } else { 16 };
            PARTS[random.next_u64() as usize % among]
        };
        (0..count).map(|_| part()).collect()
    }

    #[test]
    fn ids_are_those_of_the_crate() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for (lowers, strips, most) in
            [(true, None, 200), (true, Some(false), 12), (false, None, 12), (false, Some(true), 3)]
        {
            let tokenizer = tokenizer(lowers, strips, most);
            let plain = Plain::of(&tokenizer, most).unwrap();
            let mut alone = 0;
            for _ in 0..4000 {
                let line = drawn(&mut random, 40);
                let mut ids = Vec::new();
                let done = plain.encode(&tokenizer, &line, &mut ids).unwrap();
                assert_eq!(done, !line.contains('['), "{line:?}");
                if done {
                    assert_eq!(ids, tokenizer.encode_fast(&*line, true).unwrap().get_ids(), "{line:?}");
                    alone += 1;
                }
            }
            assert!(alone > 2000, "{alone} lines");
        }
    }

    #[test]
    fn tokenisers_of_other_kinds_are_left_to_the_crate() {
        let kinds: [fn(&mut Tokenizer); 3] = [
            |made| _ = made.with_normalizer(None::<BertNormalizer>).unwrap(),
            |made| _ = made.with_pre_tokenizer(None::<BertPreTokenizer>),
            |made| _ = made.add_tokens([AddedToken::from("ab", false)]).unwrap(),
        ];
        for change in kinds {
            let mut made = tokenizer(true, None, 8);
            assert!(Plain::of(&made, 8).is_some());
            change(&mut made);
            assert!(Plain::of(&made, 8).is_none());
        }
    }
}
