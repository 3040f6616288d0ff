//! The tables of functions by which the rest of the crate calls the code of an instruction set.

use crate::Precision;
use crate::lanes::{Block, LANES};
use crate::scaled::kernel::ScaledFunctions;
use crate::tile::job::Job;
use crate::tile::{Activation, Best};
use crate::vector::KeyValues;

/// The functions of one instruction set. They may be called only where that set is present.
#[derive(Debug)]
pub(crate) struct IsaFunctions {
    /// Number that is XORed with each byte of int8 activations: 0x80 flips the sign bit, which adds 128.
    pub(crate) flip: u8,
    pub(crate) int8: unsafe fn(&mut Job<'_>),
    pub(crate) int16: unsafe fn(&mut Job<'_>),
    pub(crate) bf16: unsafe fn(&mut Job<'_>),
    pub(crate) f16: unsafe fn(&mut Job<'_>),
    pub(crate) f32: unsafe fn(&mut Job<'_>),
    pub(crate) scaled: &'static ScaledFunctions,
    pub(crate) vector: &'static VectorFunctions,
}

/// The functions of vector maths for one kind of lanes.
#[derive(Debug)]
#[allow(clippy::type_complexity)] // each type is the signature of one function and is clearest in its place
pub(crate) struct VectorFunctions {
    pub(crate) activate: unsafe fn(Activation, &mut [f32]),
    pub(crate) exp: unsafe fn(&mut [f32]),
    pub(crate) look_up: unsafe fn(&mut [f32], &[f32], &[f32], f32),
    pub(crate) abs_max: unsafe fn(&[f32]) -> f32,
    pub(crate) shares_int16: unsafe fn(&mut [f32], &mut [u8]),
    pub(crate) softmax: unsafe fn(&mut [f32]),
    pub(crate) layer_norm: unsafe fn(&mut [f32], &[f32], &[f32], f32),
    pub(crate) rms_norm: unsafe fn(&mut [f32], &[f32], f32),
    pub(crate) gru: unsafe fn(&[f32], &[f32], &[f32], bool, &mut [f32]),
    pub(crate) lstm: unsafe fn(&[f32], &[f32], &[f32], &mut [f32], &mut [f32]),
    pub(crate) ssru: unsafe fn(&[f32], &[f32], &mut [f32], &mut [f32]),
    pub(crate) greatest: unsafe fn(&[f32], &mut [Best]),
    pub(crate) log_softmax: unsafe fn(&mut [f32]),
    pub(crate) add: unsafe fn(&mut [f32], &[f32]),
    pub(crate) average: unsafe fn(&[f32], f32, &mut [f32]),
    pub(crate) mix: unsafe fn(&[f32], &[f32], &mut [f32], &[f32]),
    pub(crate) highway: unsafe fn(&[f32], &[f32], &mut [f32]),
    pub(crate) attend: unsafe fn((&[f32], usize), &KeyValues, usize, &mut [f32], &mut [f32]),
    pub(crate) arrange: unsafe fn((&[f32], usize), (usize, usize), &mut [[f32; LANES]]),
    pub(crate) pack_rows: unsafe fn((&[f32], usize), (usize, usize), &mut [Block]),
    pub(crate) pack_columns: unsafe fn((&[f32], usize), (usize, usize), &mut [Block]),
    pub(crate) pack_pairs: unsafe fn((&[f32], usize), (usize, usize), f32, &mut [Block]),
    pub(crate) interleave: unsafe fn(&[&[Block]; LANES], &[&[Block]; LANES], usize, &mut [Block], usize),
    pub(crate) energies: unsafe fn(&[f32], &[f32], &[f32], &mut [f32]),
    pub(crate) energies_near: unsafe fn(&[f32], &[f32], &[f32], &mut [f32]),
    pub(crate) weighted_sum: unsafe fn(&[f32], &[f32], &mut [f32]),
    pub(crate) add_row: unsafe fn(&[u8], Precision, f32, &mut [f32]),
    pub(crate) quantise_int8: unsafe fn(&[f32], f32, u8, &mut [u8]),
    pub(crate) quantise_int16: unsafe fn(&[f32], f32, &mut [u8]),
    pub(crate) round_bf16: unsafe fn(&[f32], &mut [u8]),
}

/// Writes the vector maths of a set, whose `lanes` must stand beside it, and the table of its functions.
macro_rules! vector_maths {
    ([$(#[$feature:meta])*]) => {
        crate::vector::functions!([$(#[$feature])*]);
        crate::vector::slices!([$(#[$feature])*]);
        crate::vector::cells!([$(#[$feature])*]);
        crate::vector::attention!([$(#[$feature])*]);
        crate::vector::transpositions!([$(#[$feature])*]);

        pub(crate) static VECTOR: crate::isa::table::VectorFunctions = crate::isa::table::VectorFunctions {
            activate: activate_all,
            exp: exp_all,
            look_up: look_up_all,
            abs_max,
            shares_int16,
            softmax,
            layer_norm,
            rms_norm,
            gru,
            lstm,
            ssru,
            greatest,
            log_softmax,
            add,
            average,
            mix,
            highway,
            attend,
            arrange,
            pack_rows,
            pack_columns,
            pack_pairs,
            interleave,
            energies: energies::<false>,
            energies_near: energies::<true>,
            weighted_sum,
            add_row,
            quantise_int8,
            quantise_int16,
            round_bf16,
        };
    };
}
pub(crate) use vector_maths;
