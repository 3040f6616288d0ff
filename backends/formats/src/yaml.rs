//! YAML as in Marian's configurations: maps, lists and scalars, kept as written.
//!
//! Scalars stay text until a caller asks for a number, as in Marian: the value of
//! `transformer-guided-alignment-layer` may be `last` or `3`. Aliases are refused, because a few of them
//! unfold into gigabytes. Tags, duplicate keys and deep nesting are refused as well.

use saphyr_parser::{Event, Marker, Parser, Span, StrInput};

use crate::Fault;
use crate::error::{Located, clip};

/// Greatest depth of nesting; Marian's configurations have two levels.
const DEEPEST: usize = 16;

/// Greatest length of a configuration; real ones have 2 to 4 KiB.
pub(crate) const LONGEST: usize = 1 << 20;

/// A YAML value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A scalar as written, without its quotes.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A map, in the order of the file.
    Map(Entries),
}

/// A map's keys and values, in the order of the file.
pub type Entries = Vec<(String, Value)>;

/// Checks whether `bytes` are a configuration that the reader accepts.
///
/// # Errors
/// The first fault, with line and column.
pub fn check(bytes: &[u8]) -> Result<(), Fault> {
    parse(std::str::from_utf8(bytes).map_err(crate::bytes::not_utf8)?).map(drop)
}

/// The map at the top of the only document of `text`.
///
/// # Errors
/// Anything but such a map, with line and column.
pub fn parse(text: &str) -> Result<Entries, Fault> {
    if text.len() > LONGEST {
        return Err(format!("has {} bytes; a configuration may have {LONGEST}", text.len()).into());
    }
    let mut reader = Reader { parser: Parser::new_from_str(text) };
    let (first, place) = reader.document()?;
    let entries = match first {
        Event::MappingStart(..) => reader.map(0)?,
        Event::Scalar(text, ..) if text.is_empty() || text == "~" => Vec::new(),
        Event::StreamEnd => return Ok(Vec::new()),
        _ => return Err(located(&place, "a map of keys and values was expected")),
    };
    reader.end()?;
    Ok(entries)
}

fn located(place: &Marker, fault: impl Into<Fault>) -> Fault {
    fault.into().at(place.line(), place.col() + 1)
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Marker), Fault> {
        match self.parser.next_event() {
            Some(Ok((event, Span { start, .. }))) => Ok((event, start)),
            Some(Err(error)) => Err(located(error.marker(), clip(error.info()))),
            None => Ok((Event::StreamEnd, Marker::default())),
        }
    }

    /// The first event of the first document.
    fn document(&mut self) -> Result<(Event<'a>, Marker), Fault> {
        loop {
            let (event, place) = self.next()?;
            if !matches!(event, Event::Nothing | Event::StreamStart | Event::DocumentStart(_)) {
                return Ok((event, place));
            }
        }
    }

    fn end(&mut self) -> Result<(), Fault> {
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(()),
                (Event::DocumentStart(_), place) => return Err(located(&place, "a second document begins")),
                _ => {}
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Entries, Fault> {
        let mut entries: Entries = Vec::new();
        loop {
            let (event, place) = self.next()?;
            let key = match self.value(event, &place, depth)? {
                None => break,
                Some(Value::Text(key)) => key,
                Some(_) => return Err(located(&place, "a key must be a word")),
            };
            let (event, place) = self.next()?;
            let value = self.value(event, &place, depth).of(&key)?;
            entries.push((key, value.ok_or_else(|| located(&place, "a value was expected"))?));
        }
        no_duplicates(&entries)?;
        Ok(entries)
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Value>, Fault> {
        let mut values = Vec::new();
        loop {
            let (event, place) = self.next()?;
            match self.value(event, &place, depth)? {
                Some(value) => values.push(value),
                None => return Ok(values),
            }
        }
    }

    /// The value that `event` begins; `None` where it ends a list or map.
    fn value(&mut self, event: Event<'a>, place: &Marker, depth: usize) -> Result<Option<Value>, Fault> {
        if depth > DEEPEST {
            return Err(located(place, "nests deeper than any configuration"));
        }
        let value = match event {
            Event::Scalar(text, _, _, None) => Value::Text(text.into_owned()),
            Event::SequenceStart(_, None) => Value::List(self.list(depth + 1)?),
            Event::MappingStart(_, None) => Value::Map(self.map(depth + 1)?),
            Event::SequenceEnd | Event::MappingEnd => return Ok(None),
            Event::Alias(_) => {
                let fault = Fault::unsupported("an alias", "write the value out in its place");
                return Err(located(place, fault));
            }
            Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) => {
                return Err(located(place, Fault::unsupported("a tag", "leave it out")));
            }
            _ => return Err(located(place, "a value was expected")),
        };
        Ok(Some(value))
    }
}

fn no_duplicates(entries: &Entries) -> Result<(), Fault> {
    let mut keys: Vec<&str> = entries.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    match keys.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Fault::from("is there twice").of(pair[0])),
        None => Ok(()),
    }
}
