//! Normalisation: from a line as given to the text that is divided into pieces.
//!
//! User-defined symbols are protected: each is copied as it is. All other text is replaced by the longest
//! rule or copied. A byte of no character becomes U+FFFD. Then spaces are merged, trimmed and marked as the
//! model asks.
//!
//! Most text is ASCII that no rule changes. For each ASCII byte, loading computes whether it stands for
//! itself when another ASCII byte follows; runs of such bytes are copied whole.

use crate::Result;
use crate::charsmap::Charsmap;
use crate::model::WireNormalizer;
use crate::trie::{Step, Trie};
use crate::utf8::{REPLACEMENT, SPACE, char_len};

/// Greatest number of nested user-defined symbols that a lookup follows, the shortest first, as in the
/// reference.
const MAX_NESTED_SYMBOLS: usize = 64;

/// A finder of user-defined symbols at the start of text.
pub(crate) struct Symbols(Option<Trie>);

impl Symbols {
    /// A finder of `symbols`.
    pub fn new(symbols: Vec<(&[u8], u32)>) -> Result<Self> {
        Ok(Self(if symbols.is_empty() { None } else { Some(Trie::build(symbols)?) }))
    }

    /// A finder without symbols.
    pub fn none() -> Self {
        Self(None)
    }

    /// Length and id of the longest symbol at the start of `text`.
    #[inline]
    pub fn longest(&self, text: &[u8]) -> Option<(usize, u32)> {
        let mut walk = self.0.as_ref()?.walk();
        let mut longest = None;
        let mut matches = 0;
        for (i, &byte) in text.iter().enumerate() {
            match walk.step(byte) {
                Step::Out => break,
                Step::Key(id) if matches < MAX_NESTED_SYMBOLS => {
                    longest = Some((i + 1, id));
                    matches += 1;
                }
                _ => {}
            }
        }
        longest
    }

    fn begins_with(&self, first: u8) -> bool {
        self.0.as_ref().is_some_and(|trie| !matches!(trie.walk().step(first), Step::Out))
    }
}

/// The normalisation of a model.
pub(crate) struct Normalizer {
    rules: Option<Charsmap>,
    space: &'static [u8],
    dummy_prefix: bool,
    dummy_suffix: bool,
    remove_extra: bool,
    /// ASCII bytes except the space that stand for themselves before ASCII bytes and at the end.
    plain: [bool; 256],
    plain_space: bool,
}

impl Normalizer {
    /// The normalisation of `wire`; with `suffix` the dummy space follows the text instead of preceding it.
    pub fn new(wire: &WireNormalizer<'_>, suffix: bool, symbols: &Symbols) -> Result<Self> {
        let rules = if wire.charsmap.is_empty() { None } else { Some(Charsmap::read(wire.charsmap)?) };
        let mut plain = [false; 256];
        for byte in 0..0x80_u8 {
            let ruled = rules.as_ref().is_some_and(|rules| rules.touches_ascii(byte));
            plain[usize::from(byte)] = !ruled && !symbols.begins_with(byte);
        }
        let plain_space = std::mem::take(&mut plain[usize::from(b' ')]);
        Ok(Self {
            rules,
            space: if wire.escape_whitespaces { SPACE.as_bytes() } else { b" " },
            dummy_prefix: wire.add_dummy_prefix && !suffix,
            dummy_suffix: wire.add_dummy_prefix && suffix,
            remove_extra: wire.remove_extra_whitespaces,
            plain,
            plain_space,
        })
    }

    /// Replaces `out` by the normal form of `line`.
    pub fn normalize(&self, line: &[u8], symbols: &Symbols, out: &mut Vec<u8>) {
        out.clear();
        let line = if self.remove_extra { self.without_leading_space(line, symbols) } else { line };
        if line.is_empty() {
            return;
        }
        if self.dummy_prefix {
            out.extend_from_slice(self.space);
        }
        self.copy(line, symbols, out);
        if self.remove_extra {
            while out.ends_with(self.space) {
                out.truncate(out.len() - self.space.len());
            }
        }
        if self.dummy_suffix {
            out.extend_from_slice(self.space);
        }
    }

    fn without_leading_space<'a>(&self, mut line: &'a [u8], symbols: &Symbols) -> &'a [u8] {
        while !line.is_empty() {
            let (form, len) = self.prefix(line, symbols);
            if form != b" " {
                break;
            }
            line = &line[len..];
        }
        line
    }

    fn copy(&self, mut line: &[u8], symbols: &Symbols, out: &mut Vec<u8>) {
        let mut after_space = self.remove_extra;
        while !line.is_empty() {
            let run = self.plain_run(line);
            if run > 0 {
                out.extend_from_slice(&line[..run]);
                after_space = false;
                line = &line[run..];
                continue;
            }
            let (form, len) = self.prefix(line, symbols);
            line = &line[len..];
            let form = if after_space { without_spaces(form) } else { form };
            if !form.is_empty() {
                self.append(form, out);
                after_space = self.remove_extra && form.ends_with(b" ");
            }
        }
    }

    /// Number of bytes at the start of `line` that stand for themselves. The last one before a byte beyond
    /// ASCII is excluded, because a combining accent may follow.
    #[inline]
    fn plain_run(&self, line: &[u8]) -> usize {
        let run = line.iter().position(|&byte| !self.plain[usize::from(byte)]).unwrap_or(line.len());
        let before_other = line.get(run).is_some_and(|&byte| byte >= 0x80);
        run - usize::from(run > 0 && before_other)
    }

    #[inline]
    fn append(&self, form: &[u8], out: &mut Vec<u8>) {
        for part in form.split_inclusive(|&byte| byte == b' ') {
            match part.split_last() {
                Some((b' ', text)) => {
                    out.extend_from_slice(text);
                    out.extend_from_slice(self.space);
                }
                _ => out.extend_from_slice(part),
            }
        }
    }

    /// The normal form of the start of `line` (not empty), and the length of that start.
    #[inline]
    fn prefix<'a>(&'a self, line: &'a [u8], symbols: &Symbols) -> (&'a [u8], usize) {
        if line[0] == b' ' && self.plain_space && line.get(1).is_none_or(|&next| next < 0x80) {
            return (b" ", 1);
        }
        if let Some((len, _)) = symbols.longest(line) {
            return (&line[..len], len);
        }
        if let Some((len, form)) = self.rules.as_ref().and_then(|rules| rules.longest(line)) {
            return (form, len);
        }
        match char_len(line) {
            Some(len) => (&line[..len], len),
            None => (REPLACEMENT.as_bytes(), 1),
        }
    }
}

fn without_spaces(form: &[u8]) -> &[u8] {
    let spaces = form.iter().take_while(|&&byte| byte == b' ').count();
    &form[spaces..]
}
