//! The header's entries: each length and each offset is checked before anything relies on it.

use std::collections::BTreeMap;

use super::blocks::BlockFormat;
use super::value::{Entry, Span, string, text};
use crate::Fault;
use crate::bytes::Cursor;
use crate::error::Located;

/// Greatest number of keys, and of tensors: large models have some 100 keys and 2,000 tensors.
const MOST_ENTRIES: u64 = 1 << 16;

/// Greatest number of dimensions in ggml (`GGML_MAX_DIMS`).
const MOST_DIMENSIONS: u32 = 4;

/// Alignment of the data where the metadata names none.
const ALIGNMENT: u64 = 32;

/// Entries of a file.
pub(super) struct Header {
    /// Keys, as places in the file, with their values.
    pub(super) values: Vec<(Span, Entry)>,
    pub(super) tensors: BTreeMap<String, TensorEntry>,
}

/// Shape and place of a tensor.
pub(super) struct TensorEntry {
    pub(super) format: BlockFormat,
    pub(super) columns: usize,
    pub(super) rows: usize,
    pub(super) data: Span,
}

impl Header {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let mut cursor = Cursor::new(bytes, 0);
        if cursor.take(4, "the magic number")? != b"GGUF" {
            return Err("is no GGUF file: it doesn't begin with `GGUF`".into());
        }
        match cursor.u32("the version")? {
            2 | 3 => {}
            version => {
                let what = format!("version {version} of GGUF");
                return Err(Fault::unsupported(what, "convert the model to version 3, little-endian"));
            }
        }
        let tensors = count(&mut cursor, "tensors")?;
        let keys = count(&mut cursor, "keys")?;
        let mut header = Self { values: Vec::new(), tensors: BTreeMap::new() };
        for _ in 0..keys {
            let key = string(&mut cursor)?;
            let name = text(&bytes[key.clone()])?;
            let entry = Entry::read(&mut cursor).of(name)?;
            header.values.push((key, entry));
        }
        header.values.sort_by(|(a, _), (b, _)| bytes[a.clone()].cmp(&bytes[b.clone()]));
        if let Some([(key, _), _]) =
            header.values.array_windows().find(|[(a, _), (b, _)]| bytes[a.clone()] == bytes[b.clone()])
        {
            return Err(Fault::from("is there twice").of(text(&bytes[key.clone()])?));
        }
        let alignment = header.alignment(bytes)?;
        let mut described = Vec::new();
        for _ in 0..tensors {
            let name = string(&mut cursor)?;
            let name = text(&bytes[name])?;
            described.push((name, Described::read(&mut cursor).of(name)?));
        }
        let start = (cursor.at() as u64).next_multiple_of(alignment);
        for (name, described) in described {
            let entry = described.place(start, alignment, bytes.len()).of(name)?;
            if header.tensors.insert(name.into(), entry).is_some() {
                return Err(Fault::from("is there twice").of(name));
            }
        }
        Ok(header)
    }

    pub(super) fn value(&self, bytes: &[u8], key: &str) -> Option<&Entry> {
        let place = self.values.binary_search_by(|(span, _)| bytes[span.clone()].cmp(key.as_bytes()));
        place.ok().map(|at| &self.values[at].1)
    }

    fn alignment(&self, bytes: &[u8]) -> Result<u64, Fault> {
        let key = "general.alignment";
        let Some(entry) = self.value(bytes, key) else { return Ok(ALIGNMENT) };
        let value = entry.get(bytes)?.whole().filter(|value| value.is_power_of_two() && *value <= 1 << 20);
        value.ok_or_else(|| Fault::from("must be a power of two up to 1 MiB").of(key))
    }
}

fn count(cursor: &mut Cursor<'_>, of: &'static str) -> Result<u64, Fault> {
    match cursor.u64("a count")? {
        count if count > MOST_ENTRIES => {
            Err(format!("claims {count} {of}, more than the {MOST_ENTRIES} that dyno reads").into())
        }
        count => Ok(count),
    }
}

/// A tensor's description, before its place is checked.
struct Described {
    format: BlockFormat,
    columns: u64,
    rows: u64,
    offset: u64,
}

impl Described {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Fault> {
        let dimensions = cursor.u32("a tensor's number of dimensions")?;
        if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
            return Err(format!("has {dimensions} dimensions; 1 to {MOST_DIMENSIONS} are possible").into());
        }
        let columns = cursor.u64("a tensor's shape")?;
        let mut rows = 1u64;
        for _ in 1..dimensions {
            let size = cursor.u64("a tensor's shape")?;
            rows = rows.checked_mul(size).ok_or("has more rows than 64 bits count")?;
        }
        let code = cursor.u32("a tensor's type")?;
        let format = BlockFormat::of_code(code).ok_or_else(|| {
            Fault::unsupported(
                format!("type {code} of ggml"),
                "convert the model to F32, F16, BF16, Q8_0, Q5_0, Q5_1, Q4_0, Q4_1, Q4_K, Q5_K or Q6_K",
            )
        })?;
        Ok(Self { format, columns, rows, offset: cursor.u64("a tensor's offset")? })
    }

    /// The tensor in a file of `length` bytes whose data begin at `start`.
    fn place(&self, start: u64, alignment: u64, length: usize) -> Result<TensorEntry, Fault> {
        let Self { format, columns, rows, offset } = *self;
        let (values, block) = (format.values() as u64, format.bytes() as u64);
        if columns == 0 || rows == 0 || columns % values != 0 {
            return Err(format!("has [{rows}, {columns}] values, no whole blocks of {values}").into());
        }
        if offset % alignment != 0 {
            return Err(format!("begins at {offset}, which is no multiple of {alignment}").into());
        }
        let row = (columns / values).checked_mul(block);
        let need = row.and_then(|row| row.checked_mul(rows)).ok_or("is larger than any file")?;
        let from = start.checked_add(offset).ok_or("begins behind any file's end")?;
        let left = (length as u64).saturating_sub(from);
        if need > left {
            return Err(Fault::Short { what: "the tensor", at: from, need, left });
        }
        let data = from as usize..(from + need) as usize; // both are within the file
        Ok(TensorEntry { format, columns: columns as usize, rows: rows as usize, data })
    }
}
