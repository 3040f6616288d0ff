//! Number types, and slices of them over the bytes of a file.
//!
//! Files are little-endian, and so must the host be. Aligned bytes are reinterpreted in place; others are
//! copied. Marian's npz is never aligned, its bin and our safetensors always are.

#[cfg(target_endian = "big")]
compile_error!("model files are mapped as little-endian numbers");

/// Number type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DType {
    /// IEEE single.
    F32,
    /// IEEE half.
    F16,
    /// The upper half of an IEEE single.
    BF16,
    /// IEEE double.
    F64,
    /// Signed byte.
    I8,
    /// Signed 16 bits.
    I16,
    /// Signed 32 bits.
    I32,
    /// Signed 64 bits.
    I64,
    /// Unsigned byte.
    U8,
    /// Unsigned 16 bits.
    U16,
    /// Unsigned 32 bits.
    U32,
    /// Unsigned 64 bits.
    U64,
}

/// Each type with its size and its name in safetensors.
const TYPES: [(DType, usize, &str); 12] = [
    (DType::F32, 4, "F32"),
    (DType::F16, 2, "F16"),
    (DType::BF16, 2, "BF16"),
    (DType::F64, 8, "F64"),
    (DType::I8, 1, "I8"),
    (DType::I16, 2, "I16"),
    (DType::I32, 4, "I32"),
    (DType::I64, 8, "I64"),
    (DType::U8, 1, "U8"),
    (DType::U16, 2, "U16"),
    (DType::U32, 4, "U32"),
    (DType::U64, 8, "U64"),
];

impl DType {
    /// Size of an element in bytes.
    pub fn size(self) -> usize {
        self.row().1
    }

    /// Name in a safetensors header.
    pub fn name(self) -> &'static str {
        self.row().2
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        TYPES.iter().find(|row| row.2 == name).map(|row| row.0)
    }

    fn row(self) -> &'static (DType, usize, &'static str) {
        TYPES.iter().find(|row| row.0 == self).expect("every type has its row")
    }
}

impl std::fmt::Display for DType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Number types without invalid bit patterns, at most 8 bytes wide: bytes may be reinterpreted as them.
pub(crate) trait Plain: Copy + 'static {
    /// The element with these bytes.
    fn from_le(bytes: &[u8]) -> Self;
    /// The numbers of an owned tensor, if they have this type.
    fn of(numbers: &Numbers) -> Option<&[Self]>;
}

macro_rules! plain {
    ($($type:ty => $variant:pat => $numbers:expr),* $(,)?) => {$(
        impl Plain for $type {
            fn from_le(bytes: &[u8]) -> Self {
                let mut array = [0; size_of::<$type>()];
                array.copy_from_slice(bytes);
                <$type>::from_le_bytes(array)
            }

            fn of(numbers: &Numbers) -> Option<&[Self]> {
                match numbers { $variant => $numbers, _ => None }
            }
        }
    )*};
}

plain!(
    f32 => Numbers::F32(numbers) => Some(numbers),
    u16 => Numbers::F16(numbers) => Some(numbers),
    i16 => Numbers::I16(numbers) => Some(numbers),
    i8 => Numbers::I8(numbers) => Some(numbers),
    u8 => Numbers::U8(numbers) => Some(numbers),
);

/// Owned numbers: copies of misaligned numbers, and quantised numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Numbers {
    F32(Vec<f32>),
    F16(Vec<u16>),
    I16(Vec<i16>),
    I8(Vec<i8>),
    U8(Vec<u8>),
}

impl Numbers {
    /// Adds numbers of the same type.
    pub(crate) fn append(&mut self, more: Self) {
        match (self, more) {
            (Self::F32(numbers), Self::F32(more)) => numbers.extend(more),
            (Self::F16(numbers), Self::F16(more)) => numbers.extend(more),
            (Self::I16(numbers), Self::I16(more)) => numbers.extend(more),
            (Self::I8(numbers), Self::I8(more)) => numbers.extend(more),
            (Self::U8(numbers), Self::U8(more)) => numbers.extend(more),
            _ => unreachable!("parts of one tensor have one type"),
        }
    }

    /// The bytes as in a file.
    pub(crate) fn to_le_bytes(&self) -> Vec<u8> {
        match self {
            Self::F32(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::F16(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::I16(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::I8(numbers) => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::U8(numbers) => numbers.clone(),
        }
    }
}

/// `bytes` as numbers in place, if they are aligned.
#[allow(unsafe_code)] // reinterpreting aligned bytes
pub(crate) fn view<T: Plain>(bytes: &[u8]) -> Option<&[T]> {
    // SAFETY: `Plain` types have no padding and no invalid bit pattern.
    let (head, numbers, tail) = unsafe { bytes.align_to::<T>() };
    (head.is_empty() && tail.is_empty()).then_some(numbers)
}

/// `bytes` as numbers, copied one by one, with any alignment.
pub(crate) fn copy<T: Plain>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(T::from_le).collect()
}

/// Number of elements of a shape; `None` where a host can't address them.
pub(crate) fn elements(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |product, dim| product.checked_mul(*dim))
}
