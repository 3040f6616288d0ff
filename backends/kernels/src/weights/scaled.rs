//! Rows for products with scaled weights, and those products. The threads of a crew share them, panel by panel, as
//! those of [`Task`](crate::Task).

use crate::error::{sized, sized_rows};
use crate::lanes::LANES;
use crate::scaled::{BLOCK, Job};
use crate::tile::MatMut;
use crate::{Crew, Kernels, Result, ScaledRows, ScaledWeights};

/// A product with its result.
#[derive(Debug)]
pub struct ScaledTask<'a> {
    /// Weights [N, K].
    pub weights: &'a ScaledWeights,
    /// Result [rows, N].
    pub out: MatMut<'a, f32>,
}

impl ScaledRows {
    /// Replaces the rows by those of `x` [rows, k], with `k` a multiple of 32. The buffer only grows.
    ///
    /// # Errors
    /// When the shape is another one.
    pub fn quantise(&mut self, kernels: Kernels, x: &[f32], k: usize) -> Result<()> {
        let (rows, blocks) = (x.len() / k.max(1), k / BLOCK);
        sized_rows("rows to quantise", x.len(), rows, blocks * BLOCK)?;
        // SAFETY: the table belongs to an instruction set that was found on this processor.
        unsafe { (kernels.table.scaled.quantise)(x, self.resize(rows, blocks)) };
        Ok(())
    }
}

impl Crew {
    /// Computes products of the same rows.
    ///
    /// # Errors
    /// When an operand has another shape than the weights expect.
    ///
    /// # Panics
    /// When a thread panics.
    pub fn multiply_scaled(
        &mut self,
        kernels: Kernels,
        rows: &ScaledRows,
        tasks: &mut [ScaledTask<'_>],
    ) -> Result<()> {
        for task in &*tasks {
            sized("blocks of a row", rows.blocks, task.weights.blocks)?;
            task.out.fits(rows.rows, task.weights.n)?;
        }
        let (threads, tasks) = (self.threads(), &*tasks);
        self.region(&|thread| {
            for task in tasks {
                let panels = task.weights.n.div_ceil(LANES);
                let share = panels * thread / threads..panels * (thread + 1) / threads;
                let columns = share.start * LANES..(share.end * LANES).min(task.weights.n);
                // SAFETY: the shares of threads have no panel in common, and a thread has one view at a time.
                let out = unsafe { task.out.columns(columns) };
                let mut job = Job { weights: task.weights, rows, panels: share, out };
                // SAFETY: the table belongs to an instruction set that was found on this processor.
                unsafe { (kernels.table.scaled.multiply)(&mut job) };
            }
        });
        Ok(())
    }
}
