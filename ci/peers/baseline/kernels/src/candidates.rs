//! Candidates of a shortlist: gathered in the kernels' form, and for f32 in the plain form, too.

use crate::packing::transpose;
use crate::weights::Weights;
use crate::{Result, SharedBytes};

/// Columns from which a shortlist gathers some, and for f32 their plain form.
#[derive(Clone, Debug)]
pub struct Candidates {
    kernels: kernels::Kernels,
    ours: kernels::Candidates,
    is_f32: bool,
    /// f32 values [N, K].
    columns: Vec<f32>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

impl Candidates {
    /// The columns of `weights`.
    pub fn new(weights: Weights) -> Self {
        let (columns, is_f32) = (rows_of_columns(&weights), weights.is_f32());
        let Weights { kernels, ours, scales, bias, .. } = weights;
        Self { kernels, ours: kernels::Candidates::new(ours), is_f32, columns, scales, bias }
    }

    /// As in `dyno-kernels`.
    pub fn share(&mut self, rows: &SharedBytes, scales: &[f32], bias: &[f32]) -> Result<bool> {
        self.ours.share(rows, scales, bias)
    }

    /// As in `dyno-kernels`.
    pub fn append(&mut self, weights: &Weights) -> Result<()> {
        self.ours.append(&weights.ours)?;
        self.columns.extend(rows_of_columns(weights));
        self.scales.extend_from_slice(&weights.scales);
        self.bias.extend_from_slice(&weights.bias);
        Ok(())
    }

    /// As in `dyno-kernels`.
    pub fn reserve(&mut self, columns: usize) {
        self.ours.reserve(columns);
        if self.is_f32 {
            self.columns.reserve_exact(columns * self.k());
        }
    }

    /// As in `dyno-kernels`.
    pub fn packed(&self) -> Result<Weights> {
        let all: Vec<u32> = (0..self.n() as u32).collect();
        let mut packed = Weights::of_ours(self.kernels, self.ours.packed()?);
        self.gather_plain(&all, &mut packed);
        Ok(packed)
    }

    /// As in `dyno-kernels`.
    pub fn column(&self, column: usize, out: &mut [f32]) -> Result<()> {
        self.ours.column(column, out)
    }

    /// As in `dyno-kernels`.
    pub fn add_column(&self, column: usize, factor: f32, out: &mut [f32]) -> Result<()> {
        self.ours.add_column(column, factor, out)
    }

    /// Number of columns.
    pub fn n(&self) -> usize {
        self.ours.n()
    }

    /// Number of values in a column.
    pub fn k(&self) -> usize {
        self.ours.k()
    }

    /// As in `dyno-kernels`.
    pub fn room(&self, capacity: usize) -> Weights {
        Weights::of_ours(self.kernels, self.ours.room(capacity))
    }

    /// As in `dyno-kernels`.
    pub fn room_int8(&self, capacity: usize) -> Weights {
        Weights::of_ours(self.kernels, self.ours.room_int8(capacity))
    }

    /// As in `dyno-kernels`.
    pub fn gather(&self, columns: &[u32], into: &mut Weights) -> Result<()> {
        self.ours.gather(columns, &mut into.ours)?;
        self.gather_plain(columns, into);
        Ok(())
    }

    /// Gathers the plain form [K, N], if `into` has f32 weights: sixteen columns at a time, so that whole cache lines
    /// are written.
    fn gather_plain(&self, columns: &[u32], into: &mut Weights) {
        const LANES: usize = 16;
        if !into.is_f32() {
            return;
        }
        let (k, n) = (self.k(), columns.len());
        into.transposed = false;
        into.other.clear();
        into.plain.resize(k * n, 0.0);
        for (at, sixteen) in columns.chunks(LANES).enumerate() {
            for (row, plain) in into.plain.chunks_exact_mut(n).enumerate() {
                for (value, column) in plain[at * LANES..].iter_mut().zip(sixteen) {
                    *value = self.columns[*column as usize * k + row];
                }
            }
        }
        let pick = |values: &[f32]| columns.iter().map(|column| values[*column as usize]).collect();
        (into.scales, into.bias) = (pick(&self.scales), pick(&self.bias));
    }
}

/// The plain form as rows of columns, [N, K]; empty for integers.
fn rows_of_columns(weights: &Weights) -> Vec<f32> {
    match weights.transposed {
        true => weights.plain.clone(),
        false => transpose(&weights.plain, [weights.k(), weights.n()]),
    }
}
