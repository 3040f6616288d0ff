//! Maps from words to ids, in YAML or JSON, read entry by entry.

use std::borrow::Cow;

use saphyr_parser::{Event, Parser};

use crate::error::shown;
use crate::{Error, Result};

/// Length of a character that JSON writes as two escapes of six bytes.
const PAIR_BYTES: usize = 12;

/// The entries of a flat YAML map, one by one; nested values are never followed.
pub(super) struct Entries<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    line: usize,
}

impl<'a> Entries<'a> {
    /// The entries of `text`, which must be a map.
    pub(super) fn open(text: &'a str) -> Result<Self> {
        let mut entries = Self { parser: Parser::new_from_str(text), line: 1 };
        loop {
            match entries.event()? {
                Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
                Event::MappingStart(..) => return Ok(entries),
                _ => return Err(Error::words(entries.line, "a map from words to ids should begin here")),
            }
        }
    }

    /// The next word with its id and line.
    pub(super) fn next(&mut self) -> Result<Option<(String, u32, usize)>> {
        let word = match self.event()? {
            Event::MappingEnd => return Ok(None),
            Event::Scalar(word, ..) => word.into_owned(),
            _ => return Err(Error::words(self.line, "this should be a word")),
        };
        let line = self.line;
        let id = match self.event()? {
            Event::Scalar(id, ..) => id.parse().ok(),
            _ => None,
        };
        let fault = || Error::words(line, format!("the id of `{}` is no whole number", shown(&word)));
        let id = id.ok_or_else(fault)?;
        Ok(Some((word, id, line)))
    }

    fn event(&mut self) -> Result<Event<'a>> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => {
                self.line = span.start.line();
                Ok(event)
            }
            Some(Err(fault)) => Err(Error::words(fault.marker().line(), fault.info())),
            None => Err(Error::words(self.line, "the file ends inside of the map")),
        }
    }
}

/// Replaces characters that JSON writes as two escapes, `\\ud83d\\ude00`, which YAML doesn't know.
pub(super) fn join_surrogates(text: &str) -> Cow<'_, str> {
    if !text.trim_start().starts_with('{') {
        return Cow::Borrowed(text); // in plain YAML the same letters may stand for themselves
    }
    let mut joined = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        joined.push_str(before);
        match surrogate_pair(escape) {
            Some(char) => joined.push(char),
            None => joined.extend(escape.chars().take(2)),
        }
        let len =
            surrogate_pair(escape).map_or(escape.chars().take(2).map(char::len_utf8).sum(), |_| PAIR_BYTES);
        rest = &escape[len..];
    }
    joined.push_str(rest);
    Cow::Owned(joined)
}

/// The character at the start of `escape`, if it is written as two escapes.
fn surrogate_pair(escape: &str) -> Option<char> {
    let half = |at: usize| u16::from_str_radix(escape.get(at..at + 6)?.strip_prefix("\\u")?, 16).ok();
    char::decode_utf16([half(0)?, half(6)?]).next()?.ok().filter(|char| char.len_utf16() == 2)
}
