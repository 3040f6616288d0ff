//! Checkpoints of PyTorch: a zip archive with a pickle, `data.pkl`, and an entry for each tensor's numbers.
//!
//! A tensor in the pickle is a call with the number of its entry, its place there, its shape and its strides
//! (`torch/_utils.py`). Tensors get the names of the dictionaries on the way to them, as in
//! `model.encoder.weight`. Deeper ones are left out: those are of the training. Checksums of the
//! entries with weights are verified, as for npz.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Located;
use crate::numbers::{DType, elements};
use crate::pickle::{Pickle, Place, Value};
use crate::record::{Directory, ElementOrder, Record};
use crate::zip::{Entry, crc32, entries};
use crate::{Fault, Result};

/// Name of the pickle in its archive.
const PICKLE: &str = "data.pkl";

/// Types of storages, by their names in the pickle.
const STORAGES: [(&str, DType); 7] = [
    ("torch.FloatStorage", DType::F32),
    ("torch.HalfStorage", DType::F16),
    ("torch.BFloat16Storage", DType::BF16),
    ("torch.DoubleStorage", DType::F64),
    ("torch.LongStorage", DType::I64),
    ("torch.IntStorage", DType::I32),
    ("torch.ByteStorage", DType::U8),
];

/// A checkpoint's archive.
pub(crate) struct Checkpoint<'a> {
    bytes: &'a [u8],
    /// Entries by their names in the archive's one folder.
    entries: BTreeMap<String, Entry>,
    pub(crate) pickle: Pickle<'a>,
}

/// Whether an archive with these entries is a checkpoint.
pub(crate) fn is_checkpoint(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| inner(&entry.name) == PICKLE)
}

/// An entry's name without the archive's folder, which has the name of the file when it was written.
fn inner(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, inner)| inner)
}

/// The tensors of a checkpoint.
pub(crate) fn parse(bytes: &[u8]) -> Result<Directory, Fault> {
    Checkpoint::parse(bytes)?.tensors()
}

impl<'a> Checkpoint<'a> {
    /// Reads the archive of a checkpoint.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Fault> {
        let entries: BTreeMap<String, Entry> =
            entries(bytes)?.into_iter().map(|entry| (inner(&entry.name).to_owned(), entry)).collect();
        let entry = entries.get(PICKLE).ok_or("has no data.pkl: it is no checkpoint of PyTorch")?;
        let pickle = Pickle::parse(sound(bytes, entry)?).of(PICKLE)?;
        let order = entries.get("byteorder").map_or(&b"little"[..], |entry| &bytes[entry.span.clone()]);
        if order != b"little" {
            let remedy = "save it on a host whose numbers are little-endian";
            return Err(Fault::unsupported("another order of bytes", remedy).of("byteorder"));
        }
        Ok(Self { bytes, entries, pickle })
    }

    /// The tensors of the pickle's dictionary, and of the dictionaries in it.
    fn tensors(&self) -> Result<Directory, Fault> {
        let mut directory = Directory::default();
        let mut checked = BTreeSet::new();
        for (name, place) in self.pickle.entries(self.pickle.root()) {
            self.add(name.to_owned(), place, &mut checked, &mut directory)?;
            for (inner, place) in self.pickle.entries(place) {
                self.add(format!("{name}.{inner}"), place, &mut checked, &mut directory)?;
            }
        }
        Ok(directory)
    }

    /// Adds the value at `place`, if it is a tensor. `checked` are the entries whose checksums were verified.
    fn add(
        &self,
        name: String,
        place: Place,
        checked: &mut BTreeSet<String>,
        to: &mut Directory,
    ) -> Result<(), Fault> {
        let Some(arguments) = self.tensor(place) else { return Ok(()) };
        let (record, number) = self.record(arguments).of(&name)?;
        let file = format!("data/{number}");
        if checked.insert(file.clone()) {
            sound(self.bytes, self.entry(&file).of(&name)?)?;
        }
        to.add(name, record)
    }

    /// Arguments of the call that makes a tensor; a parameter is a tensor with a mark.
    fn tensor(&self, place: Place) -> Option<&[Place]> {
        match self.pickle.get(place) {
            Value::Called("torch._utils._rebuild_tensor_v2", arguments) => self.pickle.list(*arguments),
            Value::Called("torch._utils._rebuild_parameter", arguments) => {
                match self.pickle.get(*self.pickle.list(*arguments)?.first()?) {
                    Value::Called("torch._utils._rebuild_tensor_v2", inner) => self.pickle.list(*inner),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn entry(&self, name: &str) -> Result<&Entry, Fault> {
        self.entries.get(name).ok_or_else(|| Fault::from("is missing from the archive").of(name))
    }

    /// The record of a tensor, and the number of its entry.
    fn record(&self, arguments: &[Place]) -> Result<(Record, &'a str), Fault> {
        let [storage, offset, shape, strides, ..] = *arguments else {
            return Err("is a tensor without a storage, a shape and strides".into());
        };
        let (dtype, number) = self.storage(storage)?;
        let (shape, strides) = (self.counts(shape)?, self.counts(strides)?);
        if !is_row_major(&shape, &strides) {
            let remedy = "save `tensor.contiguous()` of it";
            return Err(Fault::unsupported(format!("strides {strides:?} of the shape {shape:?}"), remedy));
        }
        let offset = self.count(offset)?.checked_mul(dtype.size());
        let length = elements(&shape).and_then(|count| count.checked_mul(dtype.size()));
        let end = offset.zip(length).and_then(|(offset, length)| offset.checked_add(length));
        let span = self.entry(&format!("data/{number}"))?.span.clone();
        match (offset, end) {
            (Some(offset), Some(end)) if end <= span.len() => {
                let span = span.start + offset..span.start + end;
                Ok((Record { dtype, shape, span, layout: ElementOrder::RowMajor, scales: None }, number))
            }
            _ => Err(format!("has shape {shape:?} of {dtype}, but {} bytes of data", span.len()).into()),
        }
    }

    /// Type and entry of a storage: what stands behind its mark.
    fn storage(&self, place: Place) -> Result<(DType, &'a str), Fault> {
        let Value::Stored(place) = *self.pickle.get(place) else { return Err("has no storage".into()) };
        let parts = self.pickle.list(place).unwrap_or_default();
        let &[mark, kind, number, ..] = parts else { return Err("has a storage without a type".into()) };
        let known = |name: &str| STORAGES.iter().find(|(known, _)| *known == name).map(|(_, dtype)| *dtype);
        let dtype = if let Value::Name(name) = self.pickle.get(kind) { known(name) } else { None };
        match (self.pickle.text(mark), dtype, self.pickle.text(number)) {
            (Some("storage"), Some(dtype), Some(number)) => Ok((dtype, number)),
            _ => Err("has a storage of an unknown type".into()),
        }
    }

    fn counts(&self, place: Place) -> Result<Vec<usize>, Fault> {
        let list = self.pickle.list(place).ok_or("has no list of dimensions")?;
        if list.len() as u64 > crate::bin::MOST_DIMENSIONS {
            return Err("has more dimensions than any tensor".into());
        }
        list.iter().map(|place| self.count(*place)).collect()
    }

    fn count(&self, place: Place) -> Result<usize, Fault> {
        let number = self.pickle.integer(place).and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| "has a dimension or a place that is no whole number".into())
    }
}

/// The bytes of an entry, whose checksum they must have.
fn sound<'a>(bytes: &'a [u8], entry: &Entry) -> Result<&'a [u8], Fault> {
    let data = &bytes[entry.span.clone()];
    if crc32(data) == entry.crc {
        return Ok(data);
    }
    Err(Fault::from("fails its checksum: the file is damaged").of(&entry.name))
}

/// Whether elements lie row after row. The stride of a dimension of 1 doesn't matter.
fn is_row_major(shape: &[usize], strides: &[usize]) -> bool {
    let mut expected = 1usize;
    shape.len() == strides.len()
        && shape.iter().zip(strides).rev().all(|(size, stride)| {
            let fits = *size == 1 || *stride == expected;
            expected = expected.saturating_mul(*size);
            fits
        })
}
