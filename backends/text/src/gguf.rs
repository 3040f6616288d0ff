//! The tokenisers of GGUF files: byte-level BPE (`gpt2`) and SentencePiece's BPE (`llama`).
//!
//! The file gives pieces and merges; what divides text before the merges, it gives by a name alone. The crate
//! `tokenizers` does byte-level BPE, as in the sentence encoder, and [`SentencePiece`] the other. Control words,
//! which begin and end parts of a prompt, never come from text: a caller asks for them by
//! [`GgufTokenizer::control`]. So no line can end its own prompt. Words of users stay in text; llama.cpp puts
//! a space behind each where it puts one before text, SentencePiece and this crate don't.

use std::collections::HashMap;

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::normalizer::SplitDelimiterBehavior::Isolated;
use tokenizers::{AddedToken, Tokenizer};

use crate::model::{Algorithm, Kind, WireModel, WireNormalizer, WirePiece, WireTrainer, kind};
use crate::pieces::byte_of;
use crate::utf8::SPACE;
use crate::{Error, Result, Scratch, SentencePiece};

/// What a file says of its tokeniser.
#[derive(Debug)]
pub struct GgufPieces<'a> {
    /// Name of the kind of tokeniser (`tokenizer.ggml.model`).
    pub model: &'a str,
    /// Name of the division before merges (`tokenizer.ggml.pre`).
    pub division: &'a str,
    /// Pieces by id.
    pub texts: Vec<&'a str>,
    /// Codes of the pieces' kinds, which are SentencePiece's.
    pub kinds: Vec<u64>,
    /// Scores of the pieces, for `llama`.
    pub scores: Vec<f32>,
    /// Pairs of pieces, for `gpt2`.
    pub merges: Vec<&'a str>,
    /// Whether a space is put before text, for `llama`.
    pub space_first: bool,
}

impl GgufPieces<'_> {
    /// Whether a text begins with the start word where the file says nothing of it.
    pub fn begin_by_default(&self) -> bool {
        self.model == "llama" || self.are_of_llama3()
    }

    fn are_of_llama3(&self) -> bool {
        self.model == "gpt2" && LLAMA3_NAMES.contains(&self.division)
    }
}

/// A division of text before merges: llama.cpp's name for it, and expressions that are applied one after
/// another.
type Division = (&'static str, &'static [&'static str]);

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const QWEN2: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);
const LLAMA3: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);

/// The expressions are those of llama.cpp (`llama-vocab.cpp`), with its rest, `\s+`, written out.
const DIVISIONS: [Division; 7] = [
    ("gpt-2", &[GPT2]),
    ("smollm", &[r"\p{N}", GPT2]),
    ("qwen2", &[QWEN2]),
    ("deepseek-r1-qwen", &[QWEN2]),
    (LLAMA3_NAMES[0], &[LLAMA3]),
    (LLAMA3_NAMES[1], &[LLAMA3]),
    (LLAMA3_NAMES[2], &[LLAMA3]),
];

/// Names of Llama 3's division. A part becomes a piece without merges where there is one, and a text begins with the
/// start word where nothing else is said (`ignore_merges` and `add_bos` of llama.cpp).
const LLAMA3_NAMES: [&str; 3] = ["llama-bpe", "llama3", "llama-v3"];

enum Cutter {
    BytePairs(Box<Tokenizer>),
    Pieces(Box<SentencePiece>),
}

/// A tokeniser of a GGUF file.
pub struct GgufTokenizer {
    cutter: Cutter,
    /// Text of all pieces; that of a control word is empty.
    bytes: Vec<u8>,
    /// End of each piece in `bytes`.
    ends: Vec<usize>,
    control: HashMap<Box<str>, u32>,
}

impl GgufTokenizer {
    /// The tokeniser of `pieces`.
    ///
    /// # Errors
    /// When the pieces contradict themselves, or the tokeniser is of another kind.
    pub fn new(pieces: &GgufPieces<'_>) -> Result<Self> {
        if pieces.kinds.len() != pieces.texts.len() {
            let fault = format!("{} kinds for {} pieces", pieces.kinds.len(), pieces.texts.len());
            return Err(Error::model("tokenizer.ggml.token_type", fault));
        }
        let kinds: Vec<Kind> = pieces.kinds.iter().map(|code| kind(*code).unwrap_or(Kind::Normal)).collect();
        let (cutter, byte_level) = match pieces.model {
            "gpt2" => (Cutter::BytePairs(Box::new(byte_pairs(pieces, &kinds)?)), true),
            "llama" => (Cutter::Pieces(Box::new(sentence_pieces(pieces, &kinds)?)), false),
            other => {
                let fault = format!("{:?} isn't supported; take a model with gpt2 or llama", clip(other));
                return Err(Error::model("tokenizer.ggml.model", fault));
            }
        };
        let bytes_of = byte_level.then(bytes_of_letters);
        let mut made = Self { cutter, bytes: Vec::new(), ends: Vec::new(), control: HashMap::new() };
        for ((text, kind), id) in pieces.texts.iter().zip(kinds).zip(0..) {
            match (kind, &bytes_of) {
                (Kind::Control | Kind::Unknown, _) => drop(made.control.insert((*text).into(), id)),
                (Kind::Byte, _) => made.bytes.extend(byte_of(text)),
                (Kind::Normal, Some(bytes_of)) => text.chars().for_each(|c| match bytes_of.get(&c) {
                    Some(byte) => made.bytes.push(*byte),
                    None => made.bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
                }),
                (_, Some(_)) => made.bytes.extend(text.bytes()),
                (_, None) => made.bytes.extend(text.replace(SPACE, " ").bytes()),
            }
            made.ends.push(made.bytes.len());
        }
        Ok(made)
    }

    /// Adds the ids of `text` to `ids`. No control word is among them.
    ///
    /// # Errors
    /// When the text is too intricate for the division's expressions.
    pub fn encode(&self, text: &str, scratch: &mut Scratch, ids: &mut Vec<u32>) -> Result<()> {
        match &self.cutter {
            Cutter::BytePairs(_) if text.is_empty() => Ok(()),
            Cutter::BytePairs(tokenizer) => {
                let encoded = tokenizer.encode_fast(text, false);
                let encoded = encoded.map_err(|fault| Error::model("line", fault.to_string()))?;
                ids.extend_from_slice(encoded.get_ids());
                Ok(())
            }
            Cutter::Pieces(pieces) => {
                let mut own = Vec::new();
                pieces.encode_into(text.as_bytes(), scratch, &mut own);
                ids.append(&mut own);
                Ok(())
            }
        }
    }

    /// Id of a control word.
    pub fn control(&self, word: &str) -> Option<u32> {
        self.control.get(word).copied()
    }

    /// The control words.
    pub fn controls(&self) -> impl Iterator<Item = (&str, u32)> {
        self.control.iter().map(|(word, id)| (&**word, *id))
    }

    /// Bytes of a piece, which may be a part of a character; none of a control word or an unknown id.
    pub fn bytes(&self, id: u32) -> &[u8] {
        let Some(end) = self.ends.get(id as usize) else { return &[] };
        let start = (id as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..*end]
    }

    /// Number of pieces.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn byte_pairs(pieces: &GgufPieces<'_>, kinds: &[Kind]) -> Result<Tokenizer> {
    let fault = |error: tokenizers::Error| {
        Error::model("tokenizer.ggml.merges", format!("{error}; convert the model anew"))
    };
    let expressions = expressions(pieces.division)?;
    let texts = || pieces.texts.iter().map(|text| (*text).to_owned());
    let units: Vocab = texts().zip(0..).collect();
    let pairs = pieces.merges.iter().map(|pair| match pair.split_once(' ') {
        Some((one, other)) => Ok((one.to_owned(), other.to_owned())),
        None => Err(Error::model("tokenizer.ggml.merges", format!("{:?} is no pair", clip(pair)))),
    });
    let model = BPE::builder()
        .vocab_and_merges(units, pairs.collect::<Result<Vec<_>>>()?)
        .ignore_merges(pieces.are_of_llama3())
        .build();
    let mut tokenizer = Tokenizer::new(model.map_err(fault)?);
    let mut steps = Vec::new();
    for expression in expressions {
        let pattern = SplitPattern::Regex((*expression).into());
        steps.push(Split::new(pattern, Isolated, false).map_err(fault)?.into());
    }
    steps.push(ByteLevel::new(false, false, false).into());
    tokenizer.with_pre_tokenizer(Some(Sequence::new(steps)));
    let of_users = texts().zip(kinds).filter(|(text, kind)| **kind == Kind::UserDefined && !text.is_empty());
    let of_users = of_users.map(|(text, _)| AddedToken::from(text, false).normalized(false));
    tokenizer.add_tokens(of_users.collect::<Vec<_>>()).map_err(fault)?;
    Ok(tokenizer)
}

fn expressions(division: &str) -> Result<&'static [&'static str]> {
    DIVISIONS.iter().find(|(known, _)| *known == division).map(|(_, expressions)| *expressions).ok_or_else(
        || {
            let known = DIVISIONS.map(|(known, _)| known).join(", ");
            let fault = format!("{:?} isn't supported; take a model with one of {known}", clip(division));
            Error::model("tokenizer.ggml.pre", fault)
        },
    )
}

fn sentence_pieces(pieces: &GgufPieces<'_>, kinds: &[Kind]) -> Result<SentencePiece> {
    if pieces.scores.len() != pieces.texts.len() {
        let fault = format!("{} scores for {} pieces", pieces.scores.len(), pieces.texts.len());
        return Err(Error::model("tokenizer.ggml.scores", fault));
    }
    // Converters write the words of users with plain spaces, and lines have the mark of a space.
    let marked = |(text, kind): (&&str, &Kind)| match kind {
        Kind::UserDefined => text.replace(' ', SPACE),
        _ => (*text).to_owned(),
    };
    let texts: Vec<String> = pieces.texts.iter().zip(kinds).map(marked).collect();
    let all = texts.iter().zip(&pieces.scores).zip(kinds);
    SentencePiece::new(&WireModel {
        pieces: all.map(|((text, score), kind)| WirePiece { text, score: *score, kind: *kind }).collect(),
        trainer: WireTrainer {
            algorithm: Algorithm::Bpe,
            byte_fallback: kinds.contains(&Kind::Byte),
            ..WireTrainer::default()
        },
        normalizer: WireNormalizer {
            add_dummy_prefix: pieces.space_first,
            remove_extra_whitespaces: false,
            ..WireNormalizer::default()
        },
        denormalizer: None,
    })
}

/// The letters that stand for bytes in byte-level BPE: a printable byte stands for itself, and the others
/// have the letters from U+0100 on (`bytes_to_unicode` of GPT-2).
fn bytes_of_letters() -> HashMap<char, u8> {
    let is_printable = |byte: &u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let (printable, others): (Vec<u8>, Vec<u8>) = (0..=255).partition(is_printable);
    let letters = ('\u{100}'..).zip(others);
    printable.into_iter().map(|byte| (byte.into(), byte)).chain(letters).collect()
}

/// Text of a file for a message.
fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(division: &'static str) -> GgufPieces<'static> {
        let texts = vec!["a", "b", "c", "bc", "abc"];
        let (kinds, merges) = (vec![1; texts.len()], vec!["b c"]);
        GgufPieces { model: "gpt2", division, texts, kinds, scores: vec![], merges, space_first: false }
    }

    #[test]
    fn a_part_of_llama3_becomes_a_piece_that_no_merge_makes_under_each_of_its_names() {
        for (division, expected, begins) in [
            ("llama-bpe", &[4][..], true),
            ("llama3", &[4], true),
            ("llama-v3", &[4], true),
            ("gpt-2", &[0, 3], false),
        ] {
            let (pieces, mut ids) = (pieces(division), Vec::new());
            let tokenizer = GgufTokenizer::new(&pieces).unwrap();
            tokenizer.encode("abc", &mut Scratch::default(), &mut ids).unwrap();
            assert_eq!((&ids[..], pieces.begin_by_default()), (expected, begins), "{division}");
        }
    }

    #[test]
    fn a_word_of_plain_spaces_is_found_in_a_line() {
        let texts = vec!["<unk>", "\u{2581}", "a", "  "];
        let (kinds, scores) = (vec![2, 1, 1, 4], vec![0.0, -1.0, -2.0, -3.0]);
        let pieces = GgufPieces {
            model: "llama",
            division: "default",
            texts,
            kinds,
            scores,
            merges: vec![],
            space_first: false,
        };
        let (tokenizer, mut ids) = (GgufTokenizer::new(&pieces).unwrap(), Vec::new());
        tokenizer.encode("a  a a", &mut Scratch::default(), &mut ids).unwrap();
        assert_eq!(ids, [2, 3, 2, 1, 2]);
        assert_eq!(tokenizer.bytes(3), b"  ");
    }
}
