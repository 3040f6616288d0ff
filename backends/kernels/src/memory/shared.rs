//! Bytes of another owner, such as a mapped file, and columns as rows in memory of their own or of such an owner.

use std::fmt;
use std::sync::Arc;

use crate::lanes::{Block, LANES};
use crate::{Error, Result};

/// Bytes that stay in memory as long as a copy of this value.
#[derive(Clone)]
pub struct SharedBytes(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl SharedBytes {
    /// The bytes of `owner`.
    #[must_use]
    pub fn new(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Self {
        Self(owner)
    }

    /// All bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        (*self.0).as_ref()
    }

    /// The bytes as blocks; no block where the bytes aren't whole, aligned blocks.
    pub(crate) fn blocks(&self) -> &[Block] {
        // SAFETY: a block is 64 bytes without padding, and every pattern of bits is valid.
        let (head, blocks, tail) = unsafe { self.bytes().align_to::<Block>() };
        if head.is_empty() && tail.is_empty() { blocks } else { &[] }
    }
}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBytes({})", self.bytes().len())
    }
}

/// Blocks [N, groups / 16 rounded up]: sixteen groups of a column each.
#[derive(Clone, Debug)]
pub(crate) enum Columns {
    Own(Vec<Block>),
    Shared(SharedBytes),
}

impl Columns {
    /// All blocks.
    pub(crate) fn blocks(&self) -> &[Block] {
        match self {
            Self::Own(blocks) => blocks,
            Self::Shared(bytes) => bytes.blocks(),
        }
    }

    /// Blocks to change: shared ones are copied first.
    pub(crate) fn own(&mut self) -> &mut Vec<Block> {
        if let Self::Shared(bytes) = self {
            *self = Self::Own(bytes.blocks().to_vec());
        }
        match self {
            Self::Own(blocks) => blocks,
            Self::Shared(_) => unreachable!("shared blocks were copied"),
        }
    }
}

/// Start of a column's sums, for activations with `flip`: it takes back the 128 that was added to each of them.
pub(crate) fn start(flip: u8, column: &[u8]) -> i32 {
    if flip == 0 {
        return 0;
    }
    // The sum of a block's bytes fits into 16 bits, in which the compiler adds twice as many at once.
    let of_block = |block: &[u8]| i32::from(block.iter().map(|byte| i16::from(*byte as i8)).sum::<i16>());
    // It wraps as the sums do that it corrects.
    column.chunks(size_of::<Block>()).map(of_block).sum::<i32>().wrapping_mul(-128)
}

/// The starts of all columns, whose rows of `k` int8 values are `blocks`, for activations with `flip`.
pub(crate) fn starts(blocks: &[Block], k: usize, flip: u8) -> Result<Vec<[i32; LANES]>> {
    let rows = blocks.chunks(k / size_of::<Block>());
    let mut starts = vec![[0; LANES]; rows.len().div_ceil(LANES)];
    for (column, row) in rows.enumerate() {
        let bytes = Block::bytes(row);
        // A sum over all values is vectorised; a search that may end early isn't.
        if bytes.iter().fold(0, |found, byte| found | u8::from(*byte == i8::MIN as u8)) != 0 {
            return Err(Error::OutOfRange { column });
        }
        starts[column / LANES][column % LANES] = start(flip, bytes);
    }
    Ok(starts)
}
