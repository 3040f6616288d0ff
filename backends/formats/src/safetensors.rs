//! Safetensors: a length, a JSON header, the data. Reader and writer.
//!
//! The reader is our own for two reasons. Every fault must be one line that names the tensor, and integers
//! find their scales here. A tensor `x` of I8 or I16 owns the F32 tensor `x.scale`, which is broadcast: w = q
//! · scale. Its shape is `[1, columns]` (a scale for each column) or `[rows, 1]` (a scale for each row).
//!
//! A tensor `x.packed` is the int8 tensor `x` with its elements in panels, the order in which kernels read them.
//! Programs that don't know the order miss `x`, and so never read it wrongly. The metadata `packed` names the
//! order; without it the suffix has no meaning.
//!
//! The header is parsed as a stream into fixed fields, not into a JSON tree, so that what is allocated is
//! bounded by the header's own length.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Error as _, MapAccess, Visitor};

use crate::bytes::Cursor;
use crate::error::Located;
use crate::numbers::{DType, copy, elements};
use crate::record::{Directory, ElementOrder, Record, Scales, symmetric};
use crate::{Fault, error::clip};

/// The reference implementation's own limit on the header.
const HEADER_LIMIT: u64 = 100_000_000;

/// The suffix of the tensor that holds another one's scales.
pub const SCALE_SUFFIX: &str = ".scale";

/// The suffix of a tensor whose elements lie in panels.
const PACKED_SUFFIX: &str = ".packed";

/// Key of the metadata that names the order of packed tensors.
pub(crate) const PACKED: &str = "packed";

/// Name of the order [`ElementOrder::Panels`]. Another order needs another name.
const PANELS: &str = "panels-64x4x16";

/// Alignment of the data and of regular tensors: a cache line, which is the widest vector.
const ALIGNMENT: usize = 64;

/// Whether `bytes` are a file that the reader takes.
///
/// # Errors
/// The first fault.
pub fn check(bytes: &[u8]) -> Result<(), Fault> {
    let directory = parse(bytes)?;
    let mut quantised = directory.records.iter().filter(|(_, record)| record.is_int8());
    quantised.try_for_each(|(name, record)| symmetric(&bytes[record.span.clone()]).of(name))
}

/// A tensor as the header has it, before anything is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTensor {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// The header as it stands.
#[derive(Default)]
struct WireHeader {
    metadata: BTreeMap<String, String>,
    tensors: Vec<(String, WireTensor)>,
}

impl<'de> Deserialize<'de> for WireHeader {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HeaderVisitor)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = WireHeader;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WireHeader, A::Error> {
        let mut header = WireHeader::default();
        while let Some(name) = map.next_key::<String>()? {
            if name == "__metadata__" {
                header.metadata = map.next_value()?;
            } else {
                let tensor =
                    map.next_value().map_err(|e| A::Error::custom(format!("`{}`: {e}", clip(&name))))?;
                header.tensors.push((name, tensor));
            }
        }
        Ok(header)
    }
}

/// Integers aren't looked at: packing checks those that a model uses, when it reads them anyway.
pub(crate) fn parse(bytes: &[u8]) -> Result<Directory, Fault> {
    let (header, data) = header(bytes)?;
    let packed = is_packed(&header.metadata)?;
    let mut directory = Directory { metadata: header.metadata, ..Directory::default() };
    for (name, wire) in header.tensors {
        let record = record(&wire, &data).of(&name)?;
        match name.strip_suffix(PACKED_SUFFIX).filter(|_| packed) {
            Some(plain) => directory.add(plain.into(), in_panels(record).of(&name)?)?,
            None => directory.add(name, record)?,
        }
    }
    no_gaps(&directory, &data)?;
    attach_scales(&mut directory, bytes)?;
    panels_are_scaled(&directory)?;
    Ok(directory)
}

/// Checks that each packed tensor has a scale for each column, as products need them.
fn panels_are_scaled(directory: &Directory) -> Result<(), Fault> {
    let mut panels = directory.records.iter().filter(|(_, record)| record.layout == ElementOrder::Panels);
    match panels.find(|(_, record)| !matches!(record.scales, Some(Scales::Columns(_)))) {
        Some((name, _)) => Err(Fault::from("is packed, but has no scale for each column").of(name)),
        None => Ok(()),
    }
}

/// Whether the file has packed tensors, by its metadata.
fn is_packed(metadata: &BTreeMap<String, String>) -> Result<bool, Fault> {
    match metadata.get(PACKED).map(String::as_str) {
        None => Ok(false),
        Some(PANELS) => Ok(true),
        Some(other) => Err(format!(
            "is packed in the order `{}`, and this program reads `{PANELS}`; convert the model again",
            clip(other)
        )
        .into()),
    }
}

/// The record of a packed tensor.
fn in_panels(record: Record) -> Result<Record, Fault> {
    if record.dtype != DType::I8 || !ElementOrder::panels_fit(&record.shape) {
        return Err(format!("is {} {:?}, which panels don't hold", record.dtype, record.shape).into());
    }
    Ok(Record { layout: ElementOrder::Panels, ..record })
}

/// Packs the int8 tensors that have a scale for each column and fill panels, and says so in the metadata.
pub(crate) fn pack(metadata: &mut BTreeMap<String, String>, tensors: &mut BTreeMap<String, Stored>) {
    let of_columns = |name: &str, stored: &Stored| {
        let scale = tensors.get(&format!("{name}{SCALE_SUFFIX}"));
        stored.dtype == DType::I8
            && ElementOrder::panels_fit(&stored.shape)
            && scale.is_some_and(|scale| scale.shape == [1, stored.shape[1]])
    };
    let names: Vec<String> = tensors
        .iter()
        .filter(|(name, stored)| of_columns(name, stored))
        .map(|(name, _)| name.clone())
        .collect();
    for name in names {
        let Some(mut stored) = tensors.remove(&name) else { continue };
        stored.bytes = panels(&stored.bytes, stored.shape[0], stored.shape[1]);
        tensors.insert(format!("{name}{PACKED_SUFFIX}"), stored);
    }
    metadata.insert(PACKED.into(), PANELS.into());
}

/// The bytes of a row-major matrix in panels.
fn panels(bytes: &[u8], rows: usize, columns: usize) -> Vec<u8> {
    let mut packed = vec![0; bytes.len()];
    for (at, byte) in bytes.iter().enumerate() {
        packed[ElementOrder::Panels.offset(at / columns, at % columns, rows, columns)] = *byte;
    }
    packed
}

/// The header, and where the data lie.
fn header(bytes: &[u8]) -> Result<(WireHeader, Range<usize>), Fault> {
    let mut cursor = Cursor::new(bytes, 0);
    let length = cursor.u64("the header's length")?;
    if length > HEADER_LIMIT {
        return Err(format!("claims a header of {length} bytes; {HEADER_LIMIT} are the limit").into());
    }
    let text = cursor.take(length, "the header")?;
    let header =
        serde_json::from_slice(text).map_err(|error| Fault::from(clip(&error.to_string())).of("header"))?;
    Ok((header, cursor.at()..bytes.len()))
}

fn record(wire: &WireTensor, data: &Range<usize>) -> Result<Record, Fault> {
    let dtype = DType::from_name(&wire.dtype)
        .ok_or_else(|| Fault::from(format!("has the unknown type `{}`", clip(&wire.dtype))))?;
    let shape = wire.shape.iter().map(|dim| usize::try_from(*dim)).collect::<Result<Vec<_>, _>>();
    let shape = shape.map_err(|_| Fault::from("has a dimension that no host can address"))?;
    let (start, end) = wire.data_offsets;
    let fits = start <= end && end <= data.len() as u64;
    if !fits {
        return Err(format!("claims bytes {start} to {end} of {} bytes of data", data.len()).into());
    }
    let payload = elements(&shape).and_then(|count| count.checked_mul(dtype.size()));
    if payload.map(|payload| payload as u64) != Some(end - start) {
        return Err(format!("has shape {shape:?} of {dtype}, but {} bytes of data", end - start).into());
    }
    let span = data.start + start as usize..data.start + end as usize; // both are within data.len()
    Ok(Record { dtype, shape, span, layout: ElementOrder::RowMajor, scales: None })
}

/// The format allows neither holes nor overlaps: nothing can hide in the file, and no tensor is another's.
fn no_gaps(directory: &Directory, data: &Range<usize>) -> Result<(), Fault> {
    let mut spans: Vec<_> =
        directory.records.iter().map(|(name, record)| (record.span.clone(), name)).collect();
    spans.sort_by_key(|(span, _)| (span.start, span.end));
    let mut reached = data.start;
    for (span, name) in spans {
        if span.start != reached {
            let what = if span.start < reached { "overlaps another tensor" } else { "follows a hole" };
            return Err(Fault::from(what).of(name));
        }
        reached = span.end;
    }
    if reached != data.end {
        return Err(format!("has {} bytes of data that belong to no tensor", data.end - reached).into());
    }
    Ok(())
}

/// Moves each `x.scale` from the directory into its `x`.
fn attach_scales(directory: &mut Directory, bytes: &[u8]) -> Result<(), Fault> {
    let quantised =
        directory.records.iter().filter(|(_, record)| matches!(record.dtype, DType::I8 | DType::I16));
    let names: Vec<String> = quantised.map(|(name, _)| name.clone()).collect();
    for name in names {
        let Some(scale) = directory.records.remove(&format!("{name}{SCALE_SUFFIX}")) else { continue };
        if let Some(record) = directory.records.get_mut(&name) {
            record.scales = Some(scales(&record.shape, &scale, bytes).of(&name)?);
        }
    }
    Ok(())
}

fn scales(shape: &[usize], scale: &Record, bytes: &[u8]) -> Result<Scales, Fault> {
    let values = copy::<f32>(&bytes[scale.span.clone()]);
    let scales = match (shape, &scale.shape[..], scale.dtype) {
        ([_, columns], [1, n], DType::F32) if n == columns => Scales::Columns(values),
        ([rows, _], [n, 1], DType::F32) if n == rows => Scales::Rows(values),
        _ => {
            let (dtype, scale) = (scale.dtype, &scale.shape);
            return Err(format!("has shape {shape:?}, but its scales are {dtype} {scale:?}").into());
        }
    };
    scales.check(shape).map(|()| scales)
}

/// A tensor to be written.
pub(crate) struct Stored {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) bytes: Vec<u8>,
}

/// The bytes of a whole file. The header lists the tensors by name. The data come in an order in which every
/// tensor is aligned, although the format allows no gaps. First come the tensors whose length is a multiple
/// of [`ALIGNMENT`], by name, packed ones before others: so the matrices of gates that a product reads together
/// are adjacent. Then come the tensors of other lengths, wider types first.
pub(crate) fn write(metadata: &BTreeMap<String, String>, tensors: &BTreeMap<String, Stored>) -> Vec<u8> {
    let mut order: Vec<(&String, &Stored)> = tensors.iter().collect();
    order.sort_by_key(|(name, stored)| {
        let ragged = !stored.bytes.len().is_multiple_of(ALIGNMENT);
        let width = std::cmp::Reverse(if ragged { stored.dtype.size() } else { 0 });
        (ragged, width, !name.ends_with(PACKED_SUFFIX), *name)
    });
    let mut starts = BTreeMap::new();
    let mut length = 0;
    for (name, stored) in &order {
        starts.insert(*name, length);
        length += stored.bytes.len();
    }
    let mut file = framed(header_text(metadata, tensors, &starts));
    file.reserve_exact(length);
    for (_, stored) in &order {
        file.extend_from_slice(&stored.bytes);
    }
    file
}

/// Length and header, padded with blanks (as the format asks) so that the data start aligned.
fn framed(mut header: String) -> Vec<u8> {
    while !(size_of::<u64>() + header.len()).is_multiple_of(ALIGNMENT) {
        header.push(' ');
    }
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header.as_bytes());
    file
}

fn header_text(
    metadata: &BTreeMap<String, String>,
    tensors: &BTreeMap<String, Stored>,
    starts: &BTreeMap<&String, usize>,
) -> String {
    let mut entries = vec![format!("\"__metadata__\":{}", serde_json::json!(metadata))];
    for (name, stored) in tensors {
        let (start, name) = (starts[name], serde_json::json!(name));
        let (dtype, shape, end) = (stored.dtype, serde_json::json!(stored.shape), start + stored.bytes.len());
        entries.push(format!(
            "{name}:{{\"dtype\":\"{dtype}\",\"shape\":{shape},\"data_offsets\":[{start},{end}]}}"
        ));
    }
    format!("{{{}}}", entries.join(","))
}
