//! Tensors at a narrower precision than in their file, for loading and for writing.
//!
//! One function serves both, so that weights derived at loading equal those that `convert` writes, bit for
//! bit.

use std::collections::BTreeMap;

use crate::numbers::Numbers;
use crate::quantise::{Role, f16_from_f32, f16_to_f32, int8, int16};
use crate::record::Scales;
use crate::safetensors::{SCALE_SUFFIX, Stored};
use crate::stored::Item;
use crate::tensor::Tensor;
use crate::{DType, Error, Precision, Result, Weights};

/// Rows of embeddings that are quantised at a time: some megabytes of wide values.
const ROWS: usize = 1024;

impl Weights {
    /// These weights at `precision`. Tensors of products are derived exactly as `convert` writes them; other
    /// tensors, and tensors that have the precision already, stay as they are.
    ///
    /// # Errors
    /// When the file is narrower, or a weight isn't finite or doesn't fit.
    pub fn at(mut self, precision: Precision) -> Result<Self> {
        self.refuse_narrower(precision)?;
        let mut derived = BTreeMap::new();
        for tensor in self.iter().filter(|tensor| is_wider(tensor, precision)) {
            if let Some(narrow) = Narrow::derive(&tensor, precision)? {
                derived.insert(tensor.name().to_owned(), narrow.into());
            }
        }
        self.replace(derived);
        Ok(self)
    }

    pub(crate) fn refuse_narrower(&self, precision: Precision) -> Result<()> {
        match self.precision() {
            stored if stored < precision => {
                let fault = format!("holds {stored} weights; {precision} can't be made of them");
                Err(Error::content(self.origin(), fault))
            }
            _ => Ok(()),
        }
    }
}

fn is_wider(tensor: &Tensor<'_>, precision: Precision) -> bool {
    Precision::of_stored(tensor.dtype()).is_some_and(|stored| stored > precision)
}

/// Report on a quantised tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvertedTensor {
    /// Precision of the file.
    pub precision: Precision,
    /// Name of the tensor.
    pub name: String,
    /// Dimensions of the tensor.
    pub shape: Vec<usize>,
    /// Stored number type.
    pub dtype: DType,
    /// Largest magnitude of the values.
    pub max_value: f32,
    /// Largest difference between a value and its stored form.
    pub max_error: f32,
}

/// A row-major matrix of integers or halves that represents a tensor.
pub(crate) struct Narrow {
    dtype: DType,
    shape: Vec<usize>,
    numbers: Numbers,
    scales: Option<Scales>,
}

impl From<Narrow> for Item {
    fn from(narrow: Narrow) -> Self {
        Self::owned(narrow.dtype, narrow.shape, narrow.numbers, narrow.scales)
    }
}

impl Narrow {
    /// The matrix to write for `tensor` at `precision`; `None` where the tensor is written as it is.
    pub(crate) fn to_write(tensor: &Tensor<'_>, precision: Precision) -> Result<Option<Self>> {
        match tensor.scales() {
            Some(scales) if tensor.dtype() == DType::I8 => Self::spread(tensor, scales).map(Some),
            Some(_) => Self::derive(tensor, precision), // int16 again: exact, unless its bound asks for less
            None if is_wider(tensor, precision) => Self::derive(tensor, precision),
            None => Ok(None),
        }
    }

    /// `tensor` at `precision`, if tensors of its role are quantised. Rows of embeddings have scales of their
    /// own, so some are read at a time; the memory of the file's pages and of wide values stays small.
    fn derive(tensor: &Tensor<'_>, precision: Precision) -> Result<Option<Self>> {
        let role = Role::of(tensor.name(), tensor.shape());
        if role == Role::Other || precision == Precision::F32 {
            return Ok(None);
        }
        let rows = if role == Role::Embedding { ROWS } else { usize::MAX };
        let mut whole: Option<Self> = None;
        for part in tensor.item.parts(rows) {
            let narrow = Self::of_part(&Tensor { item: &part, ..*tensor }, role, precision)?;
            match &mut whole {
                Some(whole) => whole.append(narrow),
                None => whole = Some(narrow),
            }
            tensor.file.bytes.release();
        }
        Ok(whole)
    }

    fn of_part(tensor: &Tensor<'_>, role: Role, precision: Precision) -> Result<Self> {
        let (rows, columns) = tensor.matrix()?;
        let values = tensor.finite_f32()?;
        let (dtype, numbers, scales) = match precision {
            Precision::F16 | Precision::F32 => (DType::F16, Numbers::F16(halves(tensor, &values)?), None),
            Precision::Int16 => {
                let (numbers, scales) = int16(&values, rows, columns, role);
                (DType::I16, Numbers::I16(numbers), Some(scales_of(role, scales)))
            }
            Precision::Int8 => {
                let (numbers, scales) = int8(&values, rows, columns, role);
                (DType::I8, Numbers::I8(numbers), Some(scales_of(role, scales)))
            }
        };
        Ok(Self { dtype, shape: tensor.shape().to_vec(), numbers, scales })
    }

    /// Adds the rows of another matrix.
    fn append(&mut self, below: Self) {
        self.shape[0] += below.shape[0];
        self.numbers.append(below.numbers);
        if let (Some(Scales::Rows(scales)), Some(Scales::Rows(more))) = (&mut self.scales, below.scales) {
            scales.extend(more);
        }
    }

    /// Keeps the integers of a matrix that is int8 already; its one scale is repeated for each group.
    fn spread(tensor: &Tensor<'_>, scales: &Scales) -> Result<Self> {
        let ((rows, columns), layout, given) = (tensor.matrix()?, tensor.layout(), tensor.i8()?);
        let mut numbers = Vec::with_capacity(given.len());
        for row in 0..rows {
            numbers.extend((0..columns).map(|column| given[layout.offset(row, column, rows, columns)]));
        }
        let role = Role::of(tensor.name(), tensor.shape());
        let groups = if role == Role::Embedding { rows } else { columns };
        let scales = match scales {
            Scales::Multiplier(multiplier) => scales_of(role, vec![1.0 / multiplier; groups]),
            own => own.clone(),
        };
        Ok(Self {
            dtype: DType::I8,
            shape: tensor.shape().to_vec(),
            numbers: Numbers::I8(numbers),
            scales: Some(scales),
        })
    }

    /// The error of the matrix against its tensor.
    pub(crate) fn report(&self, tensor: &Tensor<'_>, precision: Precision) -> Result<ConvertedTensor> {
        let (values, (_, columns)) = (tensor.to_f32()?, tensor.matrix()?);
        let (mut max_value, mut max_error) = (0f32, 0f32);
        for (index, value) in values.iter().enumerate() {
            max_value = max_value.max(value.abs());
            max_error = max_error.max((value - self.value(index, columns)).abs());
        }
        let (name, shape) = (tensor.name().into(), self.shape.clone());
        Ok(ConvertedTensor { precision, name, shape, dtype: self.dtype, max_value, max_error })
    }

    fn value(&self, index: usize, columns: usize) -> f32 {
        let number = match &self.numbers {
            Numbers::F16(numbers) => f16_to_f32(numbers[index]),
            Numbers::I16(numbers) => numbers[index].into(),
            Numbers::I8(numbers) => numbers[index].into(),
            Numbers::U8(numbers) => numbers[index].into(),
            Numbers::F32(numbers) => numbers[index],
        };
        self.scales.as_ref().map_or(number, |scales| scales.value(number, index / columns, index % columns))
    }

    /// Adds the matrix and its scales to the tensors of a file.
    pub(crate) fn store(self, name: &str, tensors: &mut BTreeMap<String, Stored>) {
        let scale = match self.scales {
            Some(Scales::Columns(scales)) => Some((vec![1, scales.len()], scales)),
            Some(Scales::Rows(scales)) => Some((vec![scales.len(), 1], scales)),
            Some(Scales::Multiplier(_)) | None => None, // `spread` leaves no multiplier
        };
        if let Some((shape, scales)) = scale {
            let bytes = Numbers::F32(scales).to_le_bytes();
            tensors.insert(format!("{name}{SCALE_SUFFIX}"), Stored { dtype: DType::F32, shape, bytes });
        }
        let bytes = self.numbers.to_le_bytes();
        tensors.insert(name.into(), Stored { dtype: self.dtype, shape: self.shape, bytes });
    }
}

fn scales_of(role: Role, scales: Vec<f32>) -> Scales {
    if role == Role::Embedding { Scales::Rows(scales) } else { Scales::Columns(scales) }
}

fn halves(tensor: &Tensor<'_>, values: &[f32]) -> Result<Vec<u16>> {
    let halves: Vec<u16> = values.iter().map(|value| f16_from_f32(*value)).collect();
    match halves.iter().position(|half| !f16_to_f32(*half).is_finite()) {
        Some(at) => Err(tensor.fault(format!("holds {}, which no 16-bit float holds", values[at]))),
        None => Ok(halves),
    }
}

/// A tensor as it is in its file, row-major.
pub(crate) fn as_it_is(tensor: &Tensor<'_>) -> Result<Stored> {
    Ok(Stored { dtype: tensor.dtype(), shape: tensor.shape().to_vec(), bytes: tensor.row_major_bytes()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embeddings_are_quantised_in_parts_as_a_whole() {
        let (rows, columns) = (2 * ROWS + 7, 3);
        let values: Vec<f32> =
            (0..rows * columns).map(|at| ((at * 7919) % 2003) as f32 / 256.0 - 3.0).collect();
        let bytes = Numbers::F32(values.clone()).to_le_bytes();
        let wide = Stored { dtype: DType::F32, shape: vec![rows, columns], bytes };
        let file = crate::safetensors::write(&BTreeMap::new(), &BTreeMap::from([("Wemb".into(), wide)]));
        let narrow = |precision| {
            let weights = Weights::from_bytes("test", file.clone()).unwrap().at(precision).unwrap();
            let tensor = weights.get("Wemb").unwrap();
            (tensor.shape().to_vec(), tensor.scales().cloned(), tensor.i8().ok().map(<[i8]>::to_vec), {
                tensor.i16().ok().map(<[i16]>::to_vec)
            })
        };
        let shape = vec![rows, columns];
        let (integers, scales) = int8(&values, rows, columns, Role::Embedding);
        let whole = (shape.clone(), Some(Scales::Rows(scales)), Some(integers), None);
        assert!(narrow(Precision::Int8) == whole);
        let (integers, scales) = int16(&values, rows, columns, Role::Embedding);
        assert!(narrow(Precision::Int16) == (shape, Some(Scales::Rows(scales)), None, Some(integers)));
    }
}
