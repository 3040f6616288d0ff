//! Bytes of another owner, such as a mapped file, and columns as rows in memory of their own or of such an owner.

use std::fmt;
use std::sync::Arc;

use super::operand::start;
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
    pub(super) fn blocks(&self) -> &[Block] {
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
pub(super) enum Columns {
    Own(Vec<Block>),
    Shared(SharedBytes),
}

impl Columns {
    /// All blocks.
    pub(super) fn blocks(&self) -> &[Block] {
        match self {
            Self::Own(blocks) => blocks,
            Self::Shared(bytes) => bytes.blocks(),
        }
    }

    /// Blocks to change: shared ones are copied first.
    pub(super) fn own(&mut self) -> &mut Vec<Block> {
        if let Self::Shared(bytes) = self {
            *self = Self::Own(bytes.blocks().to_vec());
        }
        match self {
            Self::Own(blocks) => blocks,
            Self::Shared(_) => unreachable!("shared blocks were copied"),
        }
    }
}

/// The starts of all columns, whose rows of `k` int8 values are `blocks`, for activations with `flip`.
pub(super) fn starts(blocks: &[Block], k: usize, flip: u8) -> Result<Vec<[i32; LANES]>> {
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
