//! The block formats of ggml: how many values lie in how many bytes.

/// Format of a tensor's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names are ggml's
pub enum BlockFormat {
    F32,
    F16,
    Bf16,
    Q8_0,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q4K,
    Q5K,
    Q6K,
}

/// Each format with its code in files, its values and its bytes in a block.
const FORMATS: [(BlockFormat, u32, usize, usize); 11] = [
    (BlockFormat::F32, 0, 1, 4),
    (BlockFormat::F16, 1, 1, 2),
    (BlockFormat::Bf16, 30, 1, 2),
    (BlockFormat::Q4_0, 2, 32, 18),
    (BlockFormat::Q4_1, 3, 32, 20),
    (BlockFormat::Q5_0, 6, 32, 22),
    (BlockFormat::Q5_1, 7, 32, 24),
    (BlockFormat::Q8_0, 8, 32, 34),
    (BlockFormat::Q4K, 12, 256, 144),
    (BlockFormat::Q5K, 13, 256, 176),
    (BlockFormat::Q6K, 14, 256, 210),
];

impl BlockFormat {
    pub(super) fn of_code(code: u32) -> Option<Self> {
        FORMATS.iter().find(|row| row.1 == code).map(|row| row.0)
    }

    /// Name in ggml.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::Bf16 => "BF16",
            Self::Q8_0 => "Q8_0",
            Self::Q4_0 => "Q4_0",
            Self::Q4_1 => "Q4_1",
            Self::Q5_0 => "Q5_0",
            Self::Q5_1 => "Q5_1",
            Self::Q4K => "Q4_K",
            Self::Q5K => "Q5_K",
            Self::Q6K => "Q6_K",
        }
    }

    fn row(self) -> (usize, usize) {
        let row = FORMATS.iter().find(|row| row.0 == self).expect("every format has its row");
        (row.2, row.3)
    }

    /// Values of a block.
    pub fn values(self) -> usize {
        self.row().0
    }

    /// Bytes of a block.
    pub fn bytes(self) -> usize {
        self.row().1
    }
}
