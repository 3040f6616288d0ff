//! Weights in half precision as f32, panel by panel.
//!
//! Few rows widen weights in registers, so that weights are read in half of their size as f32. That takes as long as
//! the products of some rows. With many rows, a panel is widened once for all of them, into memory near the core.

use super::job::{Job, Panel};
use crate::lanes::Block;
use crate::precision::from_f16;
use std::cell::Cell;
use std::ops::Range;

/// Rows from which on a panel is widened before its tiles. On Zen 4, sixteen take 0.93 of the speed of widening in
/// registers with AVX-512, and 1.6 times that speed with AVX2; 64 take 1.1 and 2.1 times that speed.
const MANY: usize = 16;

thread_local! {
    /// The memory of this thread's last product, for the next one.
    static KEPT: Cell<Vec<Block>> = const { Cell::new(Vec::new()) };
}

/// The panel at work, widened if there are many rows.
pub(crate) struct Halves {
    wide: Vec<Block>, // [2 · groups, vectors]
    /// First column of the panel that was widened last.
    column: Option<usize>,
    many: bool,
}

/// A row, and the widened panel, or null.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) values: *const u8,
    pub(crate) wide: *const Block,
}

impl Halves {
    pub(crate) fn new(job: &Job<'_>) -> Self {
        Self { wide: KEPT.take(), column: None, many: job.rows >= MANY }
    }

    /// The most rows at once.
    pub(crate) fn most_rows(&self, _tall: usize) -> usize {
        usize::MAX
    }

    pub(crate) fn prepare(&mut self, _: &Job<'_>, _: Range<usize>) {}

    /// Widens a panel before its first tile.
    #[inline(always)] // so that it has the instructions of its caller
    pub(crate) fn meet(&mut self, _: &Job<'_>, panel: &Panel<'_>, _: Range<usize>, _to: usize) {
        if !self.many || self.column == Some(panel.column) {
            return;
        }
        self.column = Some(panel.column);
        self.wide.resize(2 * panel.blocks.len(), Block::ZERO);
        let (from, to) = (panel.blocks.chunks(panel.vectors), self.wide.chunks_mut(2 * panel.vectors));
        for (from, to) in from.zip(to) {
            let (lower, upper) = to.split_at_mut(panel.vectors);
            for ((from, lower), upper) in from.iter().zip(lower).zip(upper) {
                let lanes = from.0.as_chunks::<4>().0.iter();
                let to = lower.0.as_chunks_mut::<4>().0.iter_mut().zip(upper.0.as_chunks_mut::<4>().0);
                for (two, (lower, upper)) in lanes.zip(to) {
                    let two = u32::from_le_bytes(*two);
                    *lower = from_f16(two as u16).to_le_bytes();
                    *upper = from_f16((two >> 16) as u16).to_le_bytes();
                }
            }
        }
    }

    #[inline]
    pub(crate) fn rows<const ROWS: usize>(&self, job: &Job<'_>, row: usize) -> [Row; ROWS] {
        let wide = if self.many { self.wide.as_ptr() } else { std::ptr::null() };
        job.row_starts(row).map(|values| Row { values, wide })
    }
}

impl Drop for Halves {
    fn drop(&mut self) {
        KEPT.set(std::mem::take(&mut self.wide));
    }
}
