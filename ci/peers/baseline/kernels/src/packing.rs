//! Packing: f32 weights keep a plain form for the library beside the kernels' own, in the layout that is chosen here.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::weights::Weights;
use crate::{Isa, Layout, Result, SharedBytes, Tuning};

/// Whether weights that are packed from now on keep the plain form [N, K].
static TRANSPOSED: AtomicBool = AtomicBool::new(false);

/// Whether weights that are packed from now on keep both forms, of which each product takes the faster one.
static ADAPTIVE: AtomicBool = AtomicBool::new(false);

/// Chooses the plain form of all weights that are packed from now on: [N, K], or [K, N].
pub fn transpose_weights(transposed: bool) {
    TRANSPOSED.store(transposed, Ordering::Relaxed);
}

/// Chooses both plain forms for all weights that are packed from now on, or one.
pub fn adapt_weights(adaptive: bool) {
    ADAPTIVE.store(adaptive, Ordering::Relaxed);
}

/// The kernels of an instruction set, which pack f32 weights for the library.
#[derive(Clone, Copy, Debug)]
pub struct Kernels(kernels::Kernels);

impl Deref for Kernels {
    type Target = kernels::Kernels;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Kernels {
    /// As in `dyno-kernels`.
    pub fn best() -> Self {
        Self(kernels::Kernels::best())
    }

    /// As in `dyno-kernels`.
    pub fn forced(isa: Isa) -> Result<Self> {
        kernels::Kernels::forced(isa).map(Self)
    }

    /// As in `dyno-kernels`; a tuning changes integer products only.
    pub fn with_tuning(self, tuning: &'static Tuning) -> Result<Self> {
        self.0.with_tuning(tuning).map(Self)
    }

    /// Keeps f32 weights in the plain form for the library, too.
    pub fn pack_f32(self, values: &[f32], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        let ours = self.0.pack_f32(values, k, n, layout)?;
        let transposed = TRANSPOSED.load(Ordering::Relaxed);
        let plain = match (layout, transposed) {
            (Layout::Kn, false) | (Layout::Nk, true) => values.to_vec(),
            (Layout::Nk, false) => transpose(values, [n, k]),
            (Layout::Kn, true) => transpose(values, [k, n]),
        };
        let shape = if transposed { [n, k] } else { [k, n] };
        let adaptive = ADAPTIVE.load(Ordering::Relaxed);
        let other = if adaptive { transpose(&plain, shape) } else { Vec::new() };
        Ok(Weights {
            plain,
            other,
            transposed,
            scales: vec![1.0; n],
            bias: vec![0.0; n],
            ..Weights::of_ours(self.0, ours)
        })
    }

    /// Widened first: the libraries multiply f32.
    pub fn pack_f16(self, values: &[u16], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        let wide: Vec<f32> = values.iter().map(|bits| kernels::from_f16(*bits)).collect();
        self.pack_f32(&wide, k, n, layout)
    }

    /// As in `dyno-kernels`, which multiplies them, too.
    pub fn pack_bf16(self, values: &[f32], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        Ok(Weights::of_ours(self.0, self.0.pack_bf16(values, k, n, layout)?))
    }

    /// As in `dyno-kernels`.
    pub fn pack_int8(self, values: &[i8], k: usize, n: usize, layout: Layout) -> Result<Weights> {
        Ok(Weights::of_ours(self.0, self.0.pack_int8(values, k, n, layout)?))
    }

    /// As in `dyno-kernels`.
    pub fn share_int8(self, panels: &SharedBytes, k: usize, n: usize) -> Result<Weights> {
        Ok(Weights::of_ours(self.0, self.0.share_int8(panels, k, n)?))
    }

    /// As in `dyno-kernels`.
    pub fn pack_int16(
        self,
        values: &[i16],
        k: usize,
        n: usize,
        layout: Layout,
        bound: u16,
    ) -> Result<Weights> {
        Ok(Weights::of_ours(self.0, self.0.pack_int16(values, k, n, layout, bound)?))
    }

    /// As in `dyno-kernels`.
    pub fn int16_bound(values: &[i16], k: usize, n: usize, layout: Layout) -> Result<u16> {
        kernels::Kernels::int16_bound(values, k, n, layout)
    }
}

/// The transpose of values [rows, columns]; of none, none.
pub fn transpose(values: &[f32], [rows, columns]: [usize; 2]) -> Vec<f32> {
    (0..values.len()).map(|at| values[at % rows * columns + at / rows]).collect()
}
