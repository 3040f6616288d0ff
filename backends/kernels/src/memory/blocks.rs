//! Memory of packed weights. Large weights lie in huge pages, where the system has some.
//!
//! A product of few rows reads each weight once, from memory or a far cache. With pages of 4 KiB, every 64th
//! line then waits for the address of its page. Huge pages are asked for only where weights fill them, so that
//! weights take no more memory.
//!
//! Smaller weights that lie packed in a mapped file stay there.

use std::ops::{Deref, DerefMut};

use memmap2::{Advice, MmapMut};

use super::shared::SharedBytes;
use crate::lanes::Block;

/// Size of a huge page of x86-64, and of 64-bit Arm with pages of 4 KiB.
const HUGE: usize = 2 << 20;

/// Blocks side by side.
#[derive(Debug)]
pub(crate) enum Blocks {
    Small(Vec<Block>),
    /// So many blocks from the first huge page of a mapping on.
    Large {
        pages: MmapMut,
        /// Offset in bytes, a multiple of the page's size.
        first: usize,
        blocks: usize,
    },
    /// Whole, aligned blocks of another owner.
    Shared(SharedBytes),
}

impl Blocks {
    /// The blocks of `bytes`, which are whole blocks. They stay where they lie, unless they are large or not
    /// aligned.
    pub(crate) fn of(bytes: &SharedBytes) -> Self {
        if bytes.bytes().len() < HUGE && !bytes.blocks().is_empty() {
            return Self::Shared(bytes.clone());
        }
        let mut own = Self::zeros(bytes.bytes().len() / size_of::<Block>());
        own.iter_mut().zip(bytes.bytes().as_chunks().0).for_each(|(block, bytes)| block.0 = *bytes);
        own
    }

    /// So many zeros.
    pub(crate) fn zeros(blocks: usize) -> Self {
        let bytes = blocks * size_of::<Block>();
        if bytes >= HUGE
            && let Some(large) = Self::large(blocks, bytes)
        {
            return large;
        }
        Self::Small(vec![Block::ZERO; blocks])
    }

    /// No blocks, with room for some.
    pub(crate) fn with_capacity(blocks: usize) -> Self {
        Self::Small(Vec::with_capacity(blocks))
    }

    /// `None` where the system gives no mapping.
    fn large(blocks: usize, bytes: usize) -> Option<Self> {
        // With one huge page more, the first one can begin at a multiple of its size. Memory that nothing
        // touches costs none.
        let pages = MmapMut::map_anon(bytes.next_multiple_of(HUGE) + HUGE).ok()?;
        let address = pages.as_ptr().addr();
        let first = address.next_multiple_of(HUGE) - address;
        // A system without huge pages refuses, and the weights are as right in small ones.
        let _ = pages.advise_range(Advice::HugePage, first, bytes / HUGE * HUGE);
        Some(Self::Large { pages, first, blocks })
    }

    /// Resizes to so many blocks, with zeros for more; allocates only past the capacity.
    pub(crate) fn resize(&mut self, blocks: usize) {
        if !matches!(self, Self::Small(_)) {
            *self = Self::Small(self.to_vec());
        }
        if let Self::Small(all) = self {
            all.resize(blocks, Block::ZERO);
        }
    }
}

impl Deref for Blocks {
    type Target = [Block];

    fn deref(&self) -> &[Block] {
        match self {
            Self::Small(all) => all,
            Self::Large { pages, first, blocks } => {
                let start = pages[*first..].as_ptr().cast::<Block>();
                // SAFETY: the mapping was made for so many blocks from there on. A huge page's start aligns
                // any block, and any bytes are a block.
                unsafe { std::slice::from_raw_parts(start, *blocks) }
            }
            Self::Shared(bytes) => bytes.blocks(),
        }
    }
}

impl DerefMut for Blocks {
    fn deref_mut(&mut self) -> &mut [Block] {
        if let Self::Shared(bytes) = self {
            *self = Self::Small(bytes.blocks().to_vec());
        }
        match self {
            Self::Small(all) => all,
            Self::Large { pages, first, blocks } => {
                let start = pages[*first..].as_mut_ptr().cast::<Block>();
                // SAFETY: as in `deref`, and the mapping is borrowed for writing.
                unsafe { std::slice::from_raw_parts_mut(start, *blocks) }
            }
            Self::Shared(_) => unreachable!("shared blocks were copied"),
        }
    }
}

impl Clone for Blocks {
    fn clone(&self) -> Self {
        if let Self::Shared(bytes) = self {
            return Self::Shared(bytes.clone());
        }
        let mut copy = Self::zeros(self.len());
        copy.copy_from_slice(self);
        copy
    }
}
