//! Vocabularies and tokenisers.

use std::fs::copy;
use std::path::Path;

use dyno_text::{Error, Format, Scratch, Side, Vocabulary};

use crate::parser::Parser;
use crate::project::{file, files};

const GOLDENS: &str = "backends/text/tests/goldens";

const YAML: &[u8] = b"</s>: 0\n<unk>: 1\n\"a \\u00e4\": 2\n'b''c': 3\n? d\n: 4\n\xC3\xA9: 5 # six\n";
const JSON: &[u8] = br#"{"eos": 0, "UNK": 1, "\"": 2, "\u00e9\/": 3, "b": 4}"#;
const TOKENIZER: &[u8] = br#"{"version":"1.0","added_tokens":[{"id":0,"content":"<s>","single_word":false,"lstrip":false,
"rstrip":false,"normalized":false,"special":true},{"id":2,"content":"</s>","single_word":false,"lstrip":false,"rstrip":false,
"normalized":false,"special":true}],"normalizer":{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "},"pre_tokenizer":
{"type":"Metaspace","replacement":"_","prepend_scheme":"always","split":true},"decoder":{"type":"Metaspace","replacement":"_",
"prepend_scheme":"always","split":true},"model":{"type":"BPE","unk_token":"<unk>","fuse_unk":true,"byte_fallback":false,
"vocab":{"<s>":0,"<pad>":1,"</s>":2,"<unk>":3,"a":4,"_":5,"_a":6,"l":7,"m":8,"lm":9},"merges":[["_","a"],["l","m"]]}}"#;
const IDS: &[u8] =
    br#"{"</s>": 0, "<unk>": 1, "a": 2, "\u2581": 3, "l": 4, "<pad>": 5, "\u2581E": 6, ">>deu<<": 7}"#;
const LIST: &[u8] = b"</s>\n<unk>\nthe\n\xC3\xA9\r\nend\n";
/// Settings of tokens, under each of the names that they have.
const CONFIG: &[u8] =
    br#"{"added_tokens_decoder": {"5": {"content": "<pad>", "special": true}, "8": {"content": "x", "special": false}},
"additional_special_tokens": ["deu_Latn", {"content": "eng_Latn"}], "bos_token": "<s>", "clean_up_tokenization_spaces": true,
"extra_special_tokens": ["<a>"], "language_codes": "m2m100", "separate_vocabs": false}"#;
const SPECIAL: &[u8] =
    br#"{"additional_special_tokens": ["deu_Latn"], "bos_token": {"content": "<s>", "lstrip": true}}"#;
const ADDED: &[u8] = br#"{"<mask>": 9, "deu_Latn": 10, "eng_Latn": 11}"#;

/// SentencePiece models of all kinds.
const PIECES: [&str; 10] = [
    "char.spm",
    "word.spm",
    "unigram-rules.spm",
    "unigram-spaces.spm",
    "unigram-bytes.spm",
    "unigram-ties.spm",
    "bpe-plain.spm",
    "bpe-symbols.spm",
    "bpe-bytes.spm",
    "bpe-unused.spm",
];

pub(crate) fn parsers() -> Vec<Parser> {
    let checked =
        |name, seeds, format: Format| Parser::of(name, seeds, move |bytes: &[u8]| format.check(bytes));
    vec![
        checked("sentencepiece", files(GOLDENS, &PIECES), Format::SentencePiece),
        checked("word-map", vec![YAML.into(), JSON.into()], Format::Yaml),
        checked("word-list", vec![LIST.into()], Format::Text),
        // A regular expression of the file may take what its crate allows: 10 MiB, several times.
        Parser {
            least_bytes: 64 << 20,
            ..checked("tokenizer.json", vec![TOKENIZER.into()], Format::Tokenizer)
        },
        ids(),
        settings("tokenizer_config.json", CONFIG),
        settings("special_tokens_map.json", SPECIAL),
        settings("added_tokens.json", ADDED),
    ]
}

/// A `vocab.json` with the ids of pieces.
fn ids() -> Parser {
    let pieces = files(GOLDENS, &["char.spm"]).remove(0);
    Parser::of("vocab.json", vec![IDS.into()], move |bytes: &[u8]| {
        let vocabulary = Vocabulary::of_pieces_and_ids(&pieces, bytes)?;
        let (mut scratch, mut ids, mut text) = (Scratch::default(), Vec::new(), String::new());
        for line in ["Ein Film,  a\u{308} 👩", ">>deu<< allm", ">>x<<", ">>\u{3b1}"] {
            vocabulary.encode_into(line.as_bytes(), &mut scratch, &mut ids);
            vocabulary.decode_into(&ids, &mut text)?;
        }
        decoded(&vocabulary)
    })
}

/// A file beside a SentencePiece model. With no other ids, the pieces follow the four first words.
fn settings(name: &'static str, text: &[u8]) -> Parser {
    let fill = |folder: &Path| {
        copy(file(GOLDENS).join("char.spm"), folder.join("char.spm"))
            .expect("the scratch folder is writable");
    };
    let parser = Parser::of_file((name, name), vec![text.into()], fill, move |folder: &Path| {
        decoded(&Vocabulary::open(&folder.join("char.spm"), &[folder.join(name)], Side::Target)?)
    });
    // Ids without a word take room, too: 65,536 of them at most, in a list that grows by doubling.
    Parser { least_bytes: 4 << 20, ..parser }
}

/// Text of all ids.
fn decoded(vocabulary: &Vocabulary) -> Result<(), Error> {
    let (mut text, all) = (String::new(), (0..vocabulary.len() as u32).collect::<Vec<_>>());
    vocabulary.decode_into(&all, &mut text)
}
