//! Variables: what a file says of its network by numbers and shapes.

use crate::numbers::copy;
use crate::{DType, Fault, Weights};

/// Variables of a file.
#[derive(Clone, Copy)]
pub(super) struct Variables<'a>(pub(super) &'a Weights);

impl Variables<'_> {
    /// Whether a flag of the whole model is set; older files have such flags as variables.
    pub(super) fn flag(self, name: &str) -> Option<bool> {
        self.number(name).map(|value| value != 0.0)
    }

    pub(super) fn has(self, name: &str) -> bool {
        self.0.find(name).is_some()
    }

    /// A single number.
    pub(super) fn number(self, name: &str) -> Option<f32> {
        let tensor = self.0.find(name).filter(|tensor| tensor.len() == 1)?;
        let raw = tensor.raw();
        match tensor.dtype() {
            DType::I8 => raw.first().map(|byte| f32::from(*byte as i8)),
            DType::I16 => copy::<i16>(raw).first().map(|value| f32::from(*value)),
            DType::F32 => copy::<f32>(raw).first().copied(),
            _ => None,
        }
    }

    /// A number of a stack, or of both.
    pub(super) fn of_stack(self, stack: &str, name: &str) -> Option<f32> {
        self.number(&format!("{stack}/{name}")).or_else(|| self.number(name))
    }

    /// A number that both stacks have alike; `otherwise` where neither has it.
    pub(super) fn alike(self, name: &str, otherwise: f32) -> Result<f32, Fault> {
        let [encoder, decoder] =
            ["encoder", "decoder"].map(|stack| self.of_stack(stack, name).unwrap_or(otherwise));
        if encoder == decoder {
            return Ok(encoder);
        }
        let remedy = "both sides must have the same";
        Err(Fault::unsupported("a difference between encoder and decoder", remedy).of(name))
    }

    pub(super) fn dimensions(self, name: &str) -> Result<[usize; 2], Fault> {
        let tensor = self.0.find(name).ok_or_else(|| Fault::from("this variable is missing").of(name))?;
        match *tensor.shape() {
            [rows, columns] if rows > 0 && columns > 0 => Ok([rows, columns]),
            _ => Err(Fault::from(format!("has shape {:?}; a matrix was expected", tensor.shape())).of(name)),
        }
    }

    /// Whether two names stand for one variable.
    pub(super) fn same(self, one: &str, other: &str) -> bool {
        let place = |name: &str| self.0.find(name).map(|tensor| tensor.raw().as_ptr_range());
        place(one).is_some() && place(one) == place(other)
    }
}
