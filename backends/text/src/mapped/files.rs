//! The files beside the pieces: ids, words for languages, special words, and settings.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value as Json;
use tokenizers::AddedToken;

use crate::error::shown;
use crate::{Error, Result, SentencePiece};

/// Side of a vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Vocabulary of the lines.
    Source,
    /// Vocabulary of the translations.
    Target,
}

/// Words that are special in any model that has them.
const SPECIAL: [&str; 4] = ["</s>", "<unk>", "<pad>", "<mask>"];

/// First words of NLLB-200, whose ids come before those of the pieces.
const FIRST: [&str; 4] = ["<s>", "<pad>", "</s>", "<unk>"];

/// Further special words in lists of words: the beginning of a sentence, and OpenNMT's name for padding.
const BLANKS: [&str; 2] = ["<s>", "<blank>"];

/// Words with their ids, and settings.
pub(super) struct Tokens {
    ids: HashMap<Box<str>, u32>,
    /// Words by id; ids without a word are empty.
    words: Vec<Box<str>>,
    special: BTreeSet<u32>,
    /// Words that are found in a line before it is divided into pieces.
    found: HashMap<Box<str>, AddedToken>,
    cleans_up: bool,
}

/// `tokenizer_config.json` and `special_tokens_map.json`, as far as they matter.
#[derive(Default, Deserialize)]
struct WireSettings {
    clean_up_tokenization_spaces: Option<bool>,
    #[serde(default)]
    added_tokens_decoder: HashMap<String, WireToken>,
    additional_special_tokens: Option<Json>,
    /// The newer name of the same list; other models have a map here.
    extra_special_tokens: Option<Json>,
    bos_token: Option<WireToken>,
    language_codes: Option<String>,
    /// Whether `target_vocab.json` has the target's ids.
    separate_vocabs: Option<bool>,
}

/// A token, which may have properties.
#[derive(Deserialize)]
#[serde(untagged)]
enum WireToken {
    Text(String),
    Whole {
        content: String,
        special: Option<bool>,
        #[serde(default)]
        lstrip: bool,
        #[serde(default)]
        rstrip: bool,
        #[serde(default)]
        single_word: bool,
    },
}

impl WireToken {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Whole { content: text, .. } => text,
        }
    }

    fn is_special(&self) -> bool {
        !matches!(self, Self::Whole { special: Some(false), .. })
    }

    /// The word as it is found in a line.
    fn found(&self) -> AddedToken {
        let token = AddedToken::from(self.text(), false);
        match *self {
            Self::Text(_) => token,
            Self::Whole { lstrip, rstrip, single_word, .. } => {
                token.lstrip(lstrip).rstrip(rstrip).single_word(single_word)
            }
        }
    }
}

impl WireSettings {
    /// Further special words, in the order of their ids.
    fn listed(&self) -> Vec<String> {
        let lists = [&self.additional_special_tokens, &self.extra_special_tokens].into_iter().flatten();
        let listed = lists.filter_map(Json::as_array).flatten();
        listed.filter_map(|token| token.as_str().or(token["content"].as_str()).map(str::to_owned)).collect()
    }
}

impl Tokens {
    /// Reads the files of one side. The words `usual` are found in any line, unless the files are CTranslate2's.
    pub(super) fn open(
        files: &[PathBuf],
        pieces: &SentencePiece,
        side: Side,
        usual: &[&str],
    ) -> Result<Self> {
        if let Some(list) = list_of(files, side) {
            return read(list, |bytes| Self::of_list(bytes, list));
        }
        let named = |name: &str| files.iter().find(|file| file.file_name().is_some_and(|own| own == name));
        let settings =
            named("tokenizer_config.json").map(|file| read(file, json::<WireSettings>)).transpose()?;
        let apart = settings.and_then(|settings| settings.separate_vocabs);
        let of_target = named("target_vocab.json").filter(|_| side == Side::Target && apart != Some(false));
        if side == Side::Target && apart == Some(true) && of_target.is_none() {
            let fault = "is missing, but tokenizer_config.json has `separate_vocabs`; copy it from the model's origin";
            return Err(Error::model("target_vocab.json", fault));
        }
        let own = of_target.or(named("vocab.json"));
        let mut tokens = match own {
            Some(file) => read(file, Self::of_map)?,
            None => Self::after_first(pieces),
        };
        usual.iter().for_each(|word| tokens.find(word));
        let mut languages = Vec::new();
        if let Some(file) = named("added_tokens.json") {
            let added: HashMap<String, u32> = read(file, json)?;
            tokens.add_all(added.iter().map(|(word, id)| (word.as_str(), *id)), file)?;
            added.keys().for_each(|word| tokens.find(word));
        }
        for file in ["special_tokens_map.json", "tokenizer_config.json"].into_iter().filter_map(named) {
            let settings: WireSettings = read(file, json)?;
            tokens.apply(&settings, file)?;
            settings.listed().iter().for_each(|word| tokens.find(word));
            languages.extend(settings.listed());
            if settings.language_codes.as_deref() == Some("m2m100") {
                languages.extend(M2M_LANGUAGES.split(' ').map(|code| format!("__{code}__")));
            }
        }
        languages.iter().for_each(|word| tokens.append(word));
        Ok(tokens)
    }

    /// The words of a `vocab.json`.
    pub(super) fn of_map(bytes: &[u8]) -> Result<Self> {
        let ids: HashMap<Box<str>, u32> = json(bytes)?;
        // Each word takes some bytes of the file, so that a greater id is a fault.
        if let Some((word, id)) = ids.iter().find(|(_, id)| **id as usize >= bytes.len()) {
            let fault = format!("id {id} is beyond all reason for a file of this size");
            return Err(Error::model(shown(word), fault));
        }
        let len = ids.values().max().map_or(0, |last| *last as usize + 1);
        let mut words = vec![Box::from(""); len];
        ids.iter().for_each(|(word, id)| words[*id as usize] = word.clone());
        let special = SPECIAL.iter().filter_map(|word| ids.get(*word)).copied().collect();
        Ok(Self { ids, words, special, ..Self::none() })
    }

    /// The words of CTranslate2: a JSON list, or a word in each line. Words in the form of a language's are special.
    fn of_list(bytes: &[u8], file: &Path) -> Result<Self> {
        let is_json = file.extension().is_some_and(|suffix| suffix == "json");
        let words: Vec<Box<str>> = if is_json {
            json(bytes)?
        } else {
            let text = std::str::from_utf8(bytes).map_err(|_| Error::words(1, "this is not UTF-8"))?;
            text.strip_suffix('\n').unwrap_or(text).split('\n').map(Box::from).collect()
        };
        let mut ids = HashMap::new();
        for (id, word) in (0..).zip(&words) {
            ids.entry(word.clone()).or_insert(id);
        }
        let listed = |word: &str| SPECIAL.contains(&word) || BLANKS.contains(&word) || is_language(word);
        let special = (0..).zip(&words).filter(|(_, word)| listed(word)).map(|(id, _)| id).collect();
        Ok(Self { ids, words, special, ..Self::none() })
    }

    fn none() -> Self {
        let (special, found) = (BTreeSet::new(), HashMap::new());
        Self { ids: HashMap::new(), words: Vec::new(), special, found, cleans_up: false }
    }

    /// The words of NLLB-200: four special ones, then the pieces behind the model's own three.
    fn after_first(pieces: &SentencePiece) -> Self {
        let mut tokens = Self::none();
        FIRST.iter().for_each(|word| tokens.append(word));
        for id in 3..pieces.len() as u32 {
            let word = pieces.piece(id).unwrap_or_default();
            tokens.ids.entry(word.into()).or_insert(tokens.words.len() as u32);
            tokens.words.push(word.into());
        }
        tokens
    }

    fn apply(&mut self, settings: &WireSettings, file: &Path) -> Result<()> {
        self.cleans_up = settings.clean_up_tokenization_spaces.unwrap_or(self.cleans_up);
        let number = |text: &str| text.parse::<u32>().ok();
        let whole = settings.added_tokens_decoder.values();
        self.found.extend(whole.map(|token| (token.text().into(), token.found())));
        let added = settings.added_tokens_decoder.iter();
        let added = added.filter_map(|(id, token)| Some((token.text(), number(id)?, token.is_special())));
        let (special, plain): (Vec<_>, Vec<_>) = added.partition(|(_, _, special)| *special);
        self.add_all(special.into_iter().map(|(word, id, _)| (word, id)), file)?;
        for (word, id, _) in plain {
            self.place(word, id, file)?;
        }
        if let Some(id) = settings.bos_token.as_ref().and_then(|token| self.id(token.text())) {
            self.special.insert(id);
        }
        Ok(())
    }

    /// Adds special words with their ids.
    fn add_all<'a>(&mut self, words: impl Iterator<Item = (&'a str, u32)>, file: &Path) -> Result<()> {
        for (word, id) in words {
            self.place(word, id, file)?;
            self.special.insert(id);
        }
        Ok(())
    }

    /// Gives `word` the id `id`, unless the vocabulary has it.
    fn place(&mut self, word: &str, id: u32, file: &Path) -> Result<()> {
        /// Greatest number of ids without a word, in all: each of them takes room, too.
        const GAP: usize = 1 << 16;
        let at = id as usize;
        if at > self.ids.len() + GAP {
            return Err(Error::model(shown(word), format!("has the far id {id}")).in_file(file));
        }
        self.words.resize(self.words.len().max(at + 1), "".into());
        if self.words[at].is_empty() {
            self.words[at] = word.into();
        }
        self.ids.entry(word.into()).or_insert(id);
        Ok(())
    }

    /// Gives a special word the next id, unless the vocabulary has it.
    fn append(&mut self, word: &str) {
        let next = self.words.len() as u32;
        let id = *self.ids.entry(word.into()).or_insert(next);
        if id == next {
            self.words.push(word.into());
        }
        self.special.insert(id);
    }

    /// Has `word` found in lines, unless a file says how.
    fn find(&mut self, word: &str) {
        self.found.entry(word.into()).or_insert_with(|| AddedToken::from(word, false));
    }

    /// Words that are found in a line before it is divided into pieces, by id.
    pub(super) fn found(&self) -> BTreeMap<u32, AddedToken> {
        self.found.iter().filter_map(|(word, token)| Some((self.id(word)?, token.clone()))).collect()
    }

    pub(super) fn id(&self, word: &str) -> Option<u32> {
        self.ids.get(word).copied()
    }

    pub(super) fn word(&self, id: u32) -> Option<&str> {
        self.words.get(id as usize).map(|word| &**word)
    }

    pub(super) fn is_special(&self, id: u32) -> bool {
        self.special.contains(&id)
    }

    pub(super) fn cleans_up(&self) -> bool {
        self.cleans_up
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }
}

/// The list of words of one side among `files`, by CTranslate2's names.
fn list_of(files: &[PathBuf], side: Side) -> Option<&PathBuf> {
    let own = if side == Side::Source { "source_vocabulary" } else { "target_vocabulary" };
    files.iter().find(|file| file.file_stem().is_some_and(|stem| stem == own || stem == "shared_vocabulary"))
}

/// Whether a word has the form of a language's: `__de__` of M2M-100, `deu_Latn` of NLLB-200, `>>deu<<` of MarianMT.
fn is_language(word: &str) -> bool {
    let marked = [("__", "__"), (">>", "<<")].into_iter().any(|(before, after)| {
        let code = word.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        code.is_some_and(|code| !code.is_empty() && code.is_ascii())
    });
    let script = |script: &str| {
        script.len() == 4 && script.starts_with(|first: char| first.is_ascii_uppercase()) && script.is_ascii()
    };
    marked
        || word.split_once('_').is_some_and(|(code, rest)| code.len() == 3 && code.is_ascii() && script(rest))
}

/// Reads a file and names it in the fault.
fn read<T>(path: &Path, parse: impl Fn(&[u8]) -> Result<T>) -> Result<T> {
    let bytes = dyno_api::files::read(path).map_err(Error::reading(path))?;
    parse(&bytes).map_err(|fault| fault.in_file(path))
}

fn json<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let fault = |error: serde_json::Error| Error::words(error.line(), format!("{error}; copy the file anew"));
    serde_json::from_slice(bytes).map_err(fault)
}

/// Languages of M2M-100 in the order of their ids, for models whose files don't list them.
const M2M_LANGUAGES: &str = "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he \
    hi hr ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no \
    ns oc or pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo \
    zh zu";
