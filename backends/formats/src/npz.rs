//! Marian's `.npz` format: a zip archive of `.npy` arrays, as Marian (cnpy) and numpy write them.
//!
//! Checksums are verified at every load. Marian doesn't verify them, and a flipped bit in a weight would show
//! as a slightly worse translation only.

use crate::bin::MOST_DIMENSIONS;
use crate::bytes::Cursor;
use crate::error::{Located, clip};
use crate::numbers::{DType, elements};
use crate::record::{Directory, ElementOrder, Record};
use crate::zip::{Entry, crc32, entries};
use crate::{Fault, Result};

/// First bytes of every array.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Array types by numpy's letter and size. Big-endian types are left out, because no model has them.
const DESCRIPTIONS: [(&str, DType); 11] = [
    ("f4", DType::F32),
    ("f2", DType::F16),
    ("f8", DType::F64),
    ("i1", DType::I8),
    ("i2", DType::I16),
    ("i4", DType::I32),
    ("i8", DType::I64),
    ("u1", DType::U8),
    ("u2", DType::U16),
    ("u4", DType::U32),
    ("u8", DType::U64),
];

/// Checks whether `bytes` are a file that the reader accepts.
///
/// # Errors
/// The first fault.
pub fn check(bytes: &[u8]) -> Result<(), Fault> {
    parse(bytes).map(drop)
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Directory, Fault> {
    let mut directory = Directory::default();
    let entries = entries(bytes)?;
    for entry in &entries {
        let name = entry.name.strip_suffix(".npy");
        let name = name.ok_or_else(|| Fault::from("isn't an .npy array").of(&entry.name))?;
        let record = array(bytes, entry).of(name)?;
        directory.add(name.into(), record)?;
    }
    for entry in entries {
        if crc32(&bytes[entry.span.clone()]) != entry.crc {
            return Err(Fault::from("fails its checksum: the file is damaged").of(&entry.name));
        }
    }
    Ok(directory)
}

/// Parses an array's header; gives the position of its numbers.
fn array(bytes: &[u8], entry: &Entry) -> Result<Record, Fault> {
    const WHAT: &str = "an array's header";
    let mut cursor = Cursor::new(&bytes[..entry.span.end], entry.span.start);
    if cursor.take(MAGIC.len() as u64, WHAT)? != MAGIC {
        return Err("doesn't begin like an .npy array".into());
    }
    let length = match cursor.u16(WHAT)?.to_le_bytes() {
        [1, _] => u64::from(cursor.u16(WHAT)?),
        [2 | 3, _] => u64::from(cursor.u32(WHAT)?),
        [major, _] => return Err(format!("has version {major} of .npy; 1 to 3 are known").into()),
    };
    let text = cursor.take(length, WHAT)?;
    let text = std::str::from_utf8(text).map_err(|_| "has a header that isn't text")?;
    let (dtype, shape) = Header(text).parse()?;
    let payload = elements(&shape).and_then(|count| count.checked_mul(dtype.size()));
    if payload != Some(cursor.left()) {
        return Err(format!("has shape {shape:?} of {dtype}, but {} bytes of data", cursor.left()).into());
    }
    Ok(Record {
        dtype,
        shape,
        span: cursor.at()..entry.span.end,
        layout: ElementOrder::RowMajor,
        scales: None,
    })
}

/// Rest of an array's header, which is a Python dictionary with three known keys.
struct Header<'a>(&'a str);

impl<'a> Header<'a> {
    fn parse(mut self) -> Result<(DType, Vec<usize>), Fault> {
        let (mut dtype, mut fortran, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.skip('}') {
            let key = self.quoted()?;
            self.expect(':')?;
            let twice = match key {
                "descr" => dtype.replace(self.dtype()?).is_some(),
                "fortran_order" => fortran.replace(self.boolean()?).is_some(),
                "shape" => shape.replace(self.shape()?).is_some(),
                other => return Err(format!("has the unknown key `{}` in its header", clip(other)).into()),
            };
            if twice {
                return Err(format!("has the key `{key}` twice in its header").into());
            }
            self.skip(',');
        }
        match (self.0.trim(), dtype, fortran, shape) {
            ("", Some(dtype), Some(false), Some(shape)) => Ok((dtype, shape)),
            ("", Some(_), Some(true), Some(_)) => {
                Err(Fault::unsupported("Fortran order", "save numpy.ascontiguousarray of it"))
            }
            _ => Err("has a header that lacks type, order or shape, or goes on after them".into()),
        }
    }

    /// Steps over blanks and `wanted`, if it is next.
    fn skip(&mut self, wanted: char) -> bool {
        let rest = self.0.trim_start().strip_prefix(wanted);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expect(&mut self, wanted: char) -> Result<(), Fault> {
        if self.skip(wanted) { Ok(()) } else { Err(self.garbled()) }
    }

    fn garbled(&self) -> Fault {
        format!("has a garbled header at `{}`", clip(self.0.trim())).into()
    }

    fn quoted(&mut self) -> Result<&'a str, Fault> {
        self.expect('\'')?;
        let (text, rest) = self.0.split_once('\'').ok_or_else(|| self.garbled())?;
        self.0 = rest;
        Ok(text)
    }

    fn dtype(&mut self) -> Result<DType, Fault> {
        let text = self.quoted()?;
        let little = text.strip_prefix(['<', '|']);
        let row = little.and_then(|letters| DESCRIPTIONS.iter().find(|row| row.0 == letters));
        row.map(|row| row.1).ok_or_else(|| {
            Fault::unsupported(
                format!("the type `{}`", clip(text)),
                "save it as a little-endian array of numbers",
            )
        })
    }

    fn boolean(&mut self) -> Result<bool, Fault> {
        let text = self.0.trim_start();
        let (value, rest) = match (text.strip_prefix("True"), text.strip_prefix("False")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(self.garbled()),
        };
        self.0 = rest;
        Ok(value)
    }

    /// A tuple of dimensions: `()`, `(3,)`, `(3, 4)`.
    fn shape(&mut self) -> Result<Vec<usize>, Fault> {
        let mut shape = Vec::new();
        self.expect('(')?;
        while !self.skip(')') {
            let text = self.0.trim_start();
            let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            shape.push(text[..digits].parse().map_err(|_| self.garbled())?);
            self.0 = text[digits..].trim_start_matches('L'); // Python 2 wrote long integers with this suffix
            self.skip(',');
            if shape.len() as u64 > MOST_DIMENSIONS {
                return Err("has more dimensions than any array".into());
            }
        }
        Ok(shape)
    }
}
