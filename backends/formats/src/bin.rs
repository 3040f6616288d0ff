//! Marian's `.bin` format: headers, names, shapes, an aligned start, then the items without gaps.
//!
//! Two forks number their intgemm types differently; the numbers don't collide, so that both are read. Three
//! kinds of files are refused: items in the order of one instruction set's registers, FBGEMM's packed items,
//! and encrypted headers. They are made from a float32 file, which is the better source.
//!
//! In files of Marian, `dataLength` includes padding to 256 bytes; in other files it may not. The payload is
//! always computed from the shape, and only has to fit.

use std::ops::Range;

use crate::bytes::Cursor;
use crate::error::Located;
use crate::numbers::{DType, elements};
use crate::record::{Directory, ElementOrder, Record, Scales, symmetric};
use crate::{Fault, Result};

/// Greatest number of dimensions, as once in numpy; no model has more.
pub(crate) const MOST_DIMENSIONS: u64 = 32;

const REMAKE: &str = "convert from the model's npz instead, or make the bin again with `--gemm-type intgemm8` \
                      or `float32`";

/// Checks whether `bytes` are a file that the reader accepts.
///
/// # Errors
/// The first fault.
pub fn check(bytes: &[u8]) -> Result<(), Fault> {
    parse(bytes).map(drop)
}

/// An item in the header of the file.
struct WireItem {
    name_length: u64,
    type_code: u64,
    shape_length: u64,
    data_length: u64,
}

/// Size of one [`WireItem`] in the file.
const WIRE_ITEM_BYTES: u64 = 32;

/// Meaning of a type code.
struct Encoding {
    dtype: DType,
    /// Whether a multiplier follows the payload.
    intgemm: bool,
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Directory, Fault> {
    let mut cursor = Cursor::new(bytes, 0);
    version(&mut cursor)?;
    let items = headers(&mut cursor)?;
    let names = items.iter().map(|item| name(&mut cursor, item)).collect::<Result<Vec<_>, _>>()?;
    let shapes = items
        .iter()
        .zip(&names)
        .map(|(item, name)| shape(&mut cursor, item).of(name))
        .collect::<Result<Vec<_>, _>>()?;
    let offset = cursor.u64("the offset of the data")?;
    cursor.take(offset, "the padding before the data")?;
    let mut directory = Directory::default();
    for ((item, name), shape) in items.iter().zip(names).zip(shapes) {
        let record = record(&mut cursor, &name, item, shape, bytes).of(&name)?;
        directory.add(name, record)?;
    }
    match cursor.left() {
        0 => Ok(directory),
        left => Err(format!("has {left} bytes after its last item").into()),
    }
}

fn version(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    match cursor.u64("the version")? {
        1 => Ok(()),
        2 => Err(Fault::unsupported("an encrypted header", "decrypt it with Marian, or use the model's npz")),
        other => Err(format!("has version {other}; Marian's bin has version 1").into()),
    }
}

fn headers(cursor: &mut Cursor<'_>) -> Result<Vec<WireItem>, Fault> {
    let count = cursor.u64("the number of items")?;
    let length = count.saturating_mul(WIRE_ITEM_BYTES);
    cursor.clone().take(length, "the items' headers")?; // checked before memory is allocated for them
    (0..count)
        .map(|_| {
            Ok(WireItem {
                name_length: cursor.u64("an item's header")?,
                type_code: cursor.u64("an item's header")?,
                shape_length: cursor.u64("an item's header")?,
                data_length: cursor.u64("an item's header")?,
            })
        })
        .collect()
}

fn name(cursor: &mut Cursor<'_>, item: &WireItem) -> Result<String, Fault> {
    let bytes = cursor.take(item.name_length, "an item's name")?;
    let text =
        bytes.split_last().filter(|(last, text)| **last == 0 && !text.contains(&0)).map(|(_, text)| text);
    let text =
        text.ok_or_else(|| Fault::from("has an item's name that doesn't end where its length says"))?;
    std::str::from_utf8(text).map(String::from).map_err(|_| "has an item's name that isn't UTF-8".into())
}

fn shape(cursor: &mut Cursor<'_>, item: &WireItem) -> Result<Vec<usize>, Fault> {
    if item.shape_length > MOST_DIMENSIONS {
        return Err(format!("claims {} dimensions", item.shape_length).into());
    }
    let dims = (0..item.shape_length).map(|_| {
        let dim = cursor.u32("an item's shape")? as i32; // stored as a signed number
        usize::try_from(dim).map_err(|_| Fault::from(format!("has the dimension {dim}")))
    });
    dims.collect()
}

fn record(
    cursor: &mut Cursor<'_>,
    name: &str,
    item: &WireItem,
    shape: Vec<usize>,
    bytes: &[u8],
) -> Result<Record, Fault> {
    let encoding = encoding(item.type_code)?;
    let blob = cursor.span(item.data_length, "the item's data")?;
    let payload = elements(&shape).and_then(|count| count.checked_mul(encoding.dtype.size()));
    let payload = payload.ok_or_else(|| Fault::from(format!("has the impossible shape {shape:?}")))?;
    let needed = payload.checked_add(if encoding.intgemm { size_of::<f32>() } else { 0 });
    if needed.is_none_or(|needed| needed > blob.len()) {
        let (dtype, given) = (encoding.dtype, blob.len());
        return Err(format!("has shape {shape:?} of {dtype}, but only {given} bytes of data").into());
    }
    let span = blob.start..blob.start + payload;
    let scales = if encoding.intgemm { Some(multiplier(bytes, &span, &shape)?) } else { None };
    let layout = layout(name, &encoding);
    if encoding.intgemm && encoding.dtype == DType::I8 {
        symmetric(&bytes[span.clone()])?;
    }
    Ok(Record { dtype: encoding.dtype, shape, span, layout, scales })
}

/// The multiplier, which directly follows the integers.
fn multiplier(bytes: &[u8], span: &Range<usize>, shape: &[usize]) -> Result<Scales, Fault> {
    if shape.len() != 2 {
        return Err(format!("has shape {shape:?}; quantised items are matrices").into());
    }
    let bits = Cursor::new(bytes, span.end).u32("the item's multiplier")?;
    let scales = Scales::Multiplier(f32::from_bits(bits));
    scales.check(shape).map(|()| scales)
}

/// Order of an item's elements: quantised weights are transposed, quantised embeddings are not.
fn layout(name: &str, encoding: &Encoding) -> ElementOrder {
    if encoding.intgemm && !name.contains("Wemb") {
        ElementOrder::ColumnMajor
    } else {
        ElementOrder::RowMajor
    }
}

/// The meaning of a code, by the numbers in `src/common/types.h` of marian-nmt/marian-dev and
/// browsermt/marian-dev.
fn encoding(code: u64) -> Result<Encoding, Fault> {
    let plain = |dtype| Ok(Encoding { dtype, intgemm: false });
    match code {
        0x101 => plain(DType::I8),
        0x102 => plain(DType::I16),
        0x104 => plain(DType::I32),
        0x108 => plain(DType::I64),
        0x201 => plain(DType::U8),
        0x202 => plain(DType::U16),
        0x204 => plain(DType::U32),
        0x208 => plain(DType::U64),
        0x402 => plain(DType::F16),
        0x404 => plain(DType::F32),
        0x408 => plain(DType::F64),
        0x4101 | 0x10001 => Ok(Encoding { dtype: DType::I8, intgemm: true }),
        0x4102 | 0x10002 => Ok(Encoding { dtype: DType::I16, intgemm: true }),
        0x11001 | 0x12001 | 0x13001 | 0x18001 | 0x11002 | 0x12002 | 0x14002 => {
            Err(Fault::unsupported("an intgemm item in one instruction set's own order", REMAKE))
        }
        0x802 | 0x1801 | 0x2801 => Err(Fault::unsupported("an item packed by FBGEMM", REMAKE)),
        other => Err(format!("has the unknown type {other:#x}").into()),
    }
}
