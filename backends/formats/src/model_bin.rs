//! CTranslate2's `model.bin`: the name of a specification, variables one behind the other, then aliases.
//!
//! Versions 5 and 6 have one layout; what differs lies in the files beside it. A quantised variable has its scale
//! under the same name with `_scale` behind it: what the values were multiplied with, one number for each row, or
//! one for all of int16. Nothing is aligned.

use std::collections::BTreeMap;

use crate::bytes::Cursor;
use crate::error::Located;
use crate::numbers::{DType, copy, elements};
use crate::record::{Directory, ElementOrder, Record, Scales, symmetric};
use crate::{Fault, Result};

/// The specification of encoder–decoders.
const SPECIFICATION: &str = "TransformerSpec";

/// Ending of the names of scales.
const SCALE: &str = "_scale";

/// Number types by their codes, as in `include/ctranslate2/types.h`.
const TYPES: [DType; 6] = [DType::F32, DType::I8, DType::I16, DType::I32, DType::F16, DType::BF16];

/// Metadata: the revision of the specification.
const REVISION: &str = "revision";

/// Whether `bytes` begin as such a file: with a small version, then the length of a name and a letter.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    matches!(*bytes, [version, 0, 0, 0, length, 0, first, ..] if version < 32 && length > 0 && first.is_ascii_alphabetic())
}

pub(crate) fn parse(bytes: &[u8]) -> Result<Directory, Fault> {
    let mut cursor = Cursor::new(bytes, 0);
    let revision = head(&mut cursor)?;
    let mut variables = Directory::default();
    for _ in 0..cursor.u32("the number of variables")? {
        let name = text(&mut cursor)?;
        let record = variable(&mut cursor).of(&name)?;
        variables.add(name, record)?;
    }
    aliases(&mut cursor, &mut variables)?;
    if cursor.left() > 0 {
        return Err(format!("has {} bytes after its last alias", cursor.left()).into());
    }
    let scales = take_scales(&mut variables);
    for (name, scale) in scales {
        let record =
            variables.records.get_mut(&name).ok_or_else(|| Fault::from("has a scale alone").of(&name))?;
        record.scales = Some(scales_of(bytes, record, &scale).of(&name)?);
    }
    variables.metadata.insert(REVISION.into(), revision.to_string());
    Ok(variables)
}

/// Version, name and revision of the specification.
fn head(cursor: &mut Cursor<'_>) -> Result<u32, Fault> {
    const OTHERS: &str = "convert the model anew by a newer CTranslate2, 3.0 or later";
    match cursor.u32("the version")? {
        5 | 6 => {}
        other => return Err(Fault::unsupported(format!("version {other} of model.bin"), OTHERS)),
    }
    let name = text(cursor)?;
    if name != SPECIFICATION {
        let remedy = "the engine runs Transformers with an encoder and a decoder";
        return Err(Fault::unsupported(format!("the specification {}", crate::error::clip(&name)), remedy));
    }
    cursor.u32("the revision")
}

/// A text with its length, which counts the NUL behind it.
fn text(cursor: &mut Cursor<'_>) -> Result<String, Fault> {
    const WHAT: &str = "a name";
    let length = cursor.u16(WHAT)?;
    let bytes = cursor.take(length.into(), WHAT)?;
    let text = bytes.strip_suffix(&[0]).filter(|text| !text.contains(&0));
    let text = text.ok_or_else(|| Fault::from("has a name that doesn't end where its length says"))?;
    std::str::from_utf8(text).map(str::to_owned).map_err(|_| "has a name that isn't UTF-8".into())
}

fn variable(cursor: &mut Cursor<'_>) -> Result<Record, Fault> {
    let [rank] = *cursor.take(1, "a number of dimensions")? else { unreachable!("one byte was taken") };
    let dimensions = (0..rank).map(|_| cursor.u32("a dimension").map(|dimension| dimension as usize));
    let shape = dimensions.collect::<Result<Vec<_>, _>>()?;
    let [code] = *cursor.take(1, "a type")? else { unreachable!("one byte was taken") };
    let dtype = *TYPES.get(usize::from(code)).ok_or_else(|| format!("has the unknown type {code}"))?;
    let length = cursor.u32("a length")?;
    let payload = elements(&shape).and_then(|count| count.checked_mul(dtype.size()));
    if payload != Some(length as usize) {
        return Err(format!("has shape {shape:?} of {dtype}, but {length} bytes of data").into());
    }
    let span = cursor.span(length.into(), "a variable's data")?;
    Ok(Record { dtype, shape, span, layout: ElementOrder::RowMajor, scales: None })
}

/// Variables under second names; their scales have them as well.
fn aliases(cursor: &mut Cursor<'_>, variables: &mut Directory) -> Result<(), Fault> {
    for _ in 0..cursor.u32("the number of aliases")? {
        let (alias, name) = (text(cursor)?, text(cursor)?);
        let missing = || Fault::from("stands for a variable that isn't there").of(&alias);
        let record = variables.records.get(&name).ok_or_else(missing)?.clone();
        let scale = variables.records.get(&format!("{name}{SCALE}")).cloned();
        let scale_name = format!("{alias}{SCALE}");
        if let Some(scale) = scale.filter(|_| !variables.records.contains_key(&scale_name)) {
            variables.add(scale_name, scale)?;
        }
        // The scale of an alias may be listed as an alias, too.
        if !(alias.ends_with(SCALE) && variables.records.contains_key(&alias)) {
            variables.add(alias, record)?;
        }
    }
    Ok(())
}

/// Takes the scales of variables out; gives them by the variables' names.
fn take_scales(variables: &mut Directory) -> BTreeMap<String, Record> {
    let quantised =
        |record: &Record| matches!(record.dtype, DType::I8 | DType::I16) && record.shape.len() == 2;
    let names: Vec<String> = variables
        .records
        .iter()
        .filter(|(_, record)| quantised(record))
        .map(|(name, _)| name.clone())
        .collect();
    let scale = |name: String| Some((variables.records.remove(&format!("{name}{SCALE}"))?, name));
    names.into_iter().filter_map(scale).map(|(scale, name)| (name, scale)).collect()
}

/// The scales of a quantised matrix: the reciprocals of the stored numbers for rows, the number itself for all.
fn scales_of(bytes: &[u8], record: &Record, scale: &Record) -> Result<Scales, Fault> {
    let numbers: Vec<f32> = copy(&bytes[scale.span.clone()]);
    let scales = match numbers[..] {
        _ if scale.dtype != DType::F32 => return Err(format!("has scales of {}", scale.dtype).into()),
        [one] if record.dtype == DType::I16 => Scales::Multiplier(one),
        _ if record.dtype == DType::I8 && numbers.len() == record.shape[0] => {
            Scales::Rows(numbers.iter().map(|number| 1.0 / number).collect())
        }
        _ => return Err(format!("has {} scales for shape {:?}", numbers.len(), record.shape).into()),
    };
    scales.check(&record.shape)?;
    if record.dtype == DType::I8 {
        symmetric(&bytes[record.span.clone()])?;
    }
    Ok(scales)
}
