//! Metadata: numbers, strings, and arrays that are read element by element.

use std::ops::Range;

use crate::Fault;
use crate::bytes::Cursor;
use crate::error::clip;

/// Where the bytes of a part lie in the file.
pub(super) type Span = Range<usize>;

/// A value of the metadata.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A whole number that isn't negative.
    Whole(u64),
    /// A negative whole number.
    Negative(i64),
    /// A number with a fraction.
    Float(f64),
    /// Yes or no.
    Bool(bool),
    /// A text.
    Text(&'a str),
    /// Elements of one type.
    Array(Array<'a>),
}

impl<'a> Value<'a> {
    /// The whole number, if it is one.
    pub fn whole(self) -> Option<u64> {
        if let Self::Whole(number) = self { Some(number) } else { None }
    }

    /// The number, if it is one.
    pub fn number(self) -> Option<f32> {
        match self {
            Self::Whole(number) => Some(number as f32),
            Self::Negative(number) => Some(number as f32),
            Self::Float(number) => Some(number as f32),
            _ => None,
        }
    }

    /// Yes or no, if it is either.
    pub fn flag(self) -> Option<bool> {
        if let Self::Bool(flag) = self { Some(flag) } else { None }
    }

    /// The text, if it is one.
    pub fn text(self) -> Option<&'a str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The array, if it is one.
    pub fn array(self) -> Option<Array<'a>> {
        if let Self::Array(array) = self { Some(array) } else { None }
    }
}

/// Elements of one type, which lie in the file one behind the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Array<'a> {
    kind: Kind,
    count: usize,
    bytes: &'a [u8],
}

impl<'a> Array<'a> {
    /// Number of elements.
    pub fn len(self) -> usize {
        self.count
    }

    /// Whether there is no element.
    pub fn is_empty(self) -> bool {
        self.count == 0
    }

    /// The elements in their order; a text that isn't UTF-8 is a fault.
    pub fn values(self) -> impl Iterator<Item = Result<Value<'a>, Fault>> {
        let (mut cursor, bytes) = (Cursor::new(self.bytes, 0), self.bytes);
        (0..self.count).map(move |_| self.kind.read(&mut cursor, bytes))
    }
}

/// Type of a value, by its code in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Whole number of that many bytes, with or without a sign.
    Whole {
        bytes: usize,
        signed: bool,
    },
    F32,
    F64,
    Bool,
    Text,
    Array,
}

impl Kind {
    fn of_code(code: u32) -> Result<Self, Fault> {
        Ok(match code {
            0 => Self::Whole { bytes: 1, signed: false },
            1 => Self::Whole { bytes: 1, signed: true },
            2 => Self::Whole { bytes: 2, signed: false },
            3 => Self::Whole { bytes: 2, signed: true },
            4 => Self::Whole { bytes: 4, signed: false },
            5 => Self::Whole { bytes: 4, signed: true },
            6 => Self::F32,
            7 => Self::Bool,
            8 => Self::Text,
            9 => Self::Array,
            10 => Self::Whole { bytes: 8, signed: false },
            11 => Self::Whole { bytes: 8, signed: true },
            12 => Self::F64,
            _ => return Err(format!("has the type {code}, which GGUF doesn't know").into()),
        })
    }

    /// Bytes of a value; `None` where they vary.
    fn size(self) -> Option<usize> {
        match self {
            Self::Whole { bytes, .. } => Some(bytes),
            Self::F32 => Some(4),
            Self::F64 => Some(8),
            Self::Bool => Some(1),
            Self::Text | Self::Array => None,
        }
    }

    /// Reads one value that is no array; `bytes` are those of the cursor.
    fn read<'a>(self, cursor: &mut Cursor<'a>, bytes: &'a [u8]) -> Result<Value<'a>, Fault> {
        Ok(match self {
            Self::Whole { bytes, signed } => whole(cursor.take(bytes as u64, "a number")?, signed),
            Self::F32 => Value::Float(f32::from_bits(cursor.u32("a number")?).into()),
            Self::F64 => Value::Float(f64::from_bits(cursor.u64("a number")?)),
            Self::Bool => Value::Bool(cursor.take(1, "a flag")? != [0]),
            Self::Text => Value::Text(text(&bytes[string(cursor)?])?),
            Self::Array => return Err(Fault::unsupported("an array of arrays", "convert the model anew")),
        })
    }
}

fn whole(bytes: &[u8], signed: bool) -> Value<'_> {
    let negative = signed && bytes.last().is_some_and(|last| last & 0x80 != 0);
    let mut wide = [if negative { 0xff } else { 0 }; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    if negative { Value::Negative(i64::from_le_bytes(wide)) } else { Value::Whole(u64::from_le_bytes(wide)) }
}

/// A value's type and place; its bytes are all there.
pub(super) struct Entry {
    kind: Kind,
    /// Type and number of an array's elements.
    elements: Option<(Kind, usize)>,
    place: Span,
}

impl Entry {
    /// Steps over a value.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, Fault> {
        let kind = Kind::of_code(cursor.u32("the type of a value")?)?;
        if kind != Kind::Array {
            let from = cursor.at();
            step_over(kind, 1, cursor)?;
            return Ok(Self { kind, elements: None, place: from..cursor.at() });
        }
        let element = Kind::of_code(cursor.u32("the type of an array")?)?;
        let count = cursor.u64("the length of an array")?;
        let from = cursor.at();
        step_over(element, count, cursor)?;
        // The elements' bytes are in the file, so that their number fits.
        Ok(Self { kind, elements: Some((element, count as usize)), place: from..cursor.at() })
    }

    /// The value in the `bytes` of the file.
    pub(super) fn get<'a>(&self, bytes: &'a [u8]) -> Result<Value<'a>, Fault> {
        let bytes = &bytes[self.place.clone()];
        match self.elements {
            Some((kind, count)) => Ok(Value::Array(Array { kind, count, bytes })),
            None => self.kind.read(&mut Cursor::new(bytes, 0), bytes),
        }
    }
}

fn step_over(kind: Kind, count: u64, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    if let Some(size) = kind.size() {
        let need = count.checked_mul(size as u64).ok_or("claims more values than any file holds")?;
        return cursor.span(need, "a value").map(drop);
    }
    if kind == Kind::Array {
        return Err(Fault::unsupported("an array of arrays", "convert the model anew"));
    }
    (0..count).try_for_each(|_| string(cursor).map(drop)) // ends with the file at the latest
}

/// The place of a string: its length and its bytes.
pub(super) fn string(cursor: &mut Cursor<'_>) -> Result<Span, Fault> {
    let length = cursor.u64("the length of a string")?;
    cursor.span(length, "a string")
}

/// Text from the file.
pub(super) fn text(bytes: &[u8]) -> Result<&str, Fault> {
    let shown = || clip(&String::from_utf8_lossy(bytes));
    std::str::from_utf8(bytes).map_err(|_| format!("`{}` isn't UTF-8", shown()).into())
}
