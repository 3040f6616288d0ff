//! The sixteen lanes as four 128-bit registers of NEON, which every 64-bit Arm processor under Linux has.
//!
//! NEON's own maximum and minimum give NaN for NaN, so that a comparison and a choice stand for them. There is
//! no gather.

use crate::lanes::{Block, LANES};
use std::arch::aarch64::*;
use std::array::from_fn;

pub(crate) type F = [float32x4_t; 4];
pub(crate) type I = [int32x4_t; 4];
/// Mask of lanes: all bits of a set lane are 1.
pub(crate) type M = [uint32x4_t; 4];
/// Number of vectors of sums that a loop keeps in registers, beside its operands.
pub(crate) const SUMS: usize = 4;

crate::isa::operations::operations! { "neon",
    fn splat(x: f32) -> F { [vdupq_n_f32(x); 4] }

    fn load(x: &[f32]) -> F {
        match x.first_chunk() {
            Some(x) => load_all(x),
            None => load_part(x),
        }
    }

    fn load_all(x: &[f32; LANES]) -> F {
        // SAFETY: sixteen values are there, four for each register; the loads need no alignment.
        from_fn(|q| unsafe { vld1q_f32(x[4 * q..].as_ptr()) })
    }

    fn load_part(x: &[f32]) -> F {
        let mut all = [0.0; LANES];
        all[..x.len()].copy_from_slice(x);
        load_all(&all)
    }

    fn store(x: &mut [f32], a: F) {
        match x.first_chunk_mut() {
            Some(x) => store_all(x, a),
            None => {
                let mut all = [0.0; LANES];
                store_all(&mut all, a);
                x.copy_from_slice(&all[..x.len()]);
            }
        }
    }

    fn store_all(x: &mut [f32; LANES], a: F) {
        for (x, a) in x.as_chunks_mut::<4>().0.iter_mut().zip(a) {
            // SAFETY: there is room for four; the store needs no alignment.
            unsafe { vst1q_f32(x.as_mut_ptr(), a) };
        }
    }

    fn add(a: F, b: F) -> F { from_fn(|q| vaddq_f32(a[q], b[q])) }
    fn sub(a: F, b: F) -> F { from_fn(|q| vsubq_f32(a[q], b[q])) }
    fn mul(a: F, b: F) -> F { from_fn(|q| vmulq_f32(a[q], b[q])) }
    fn div(a: F, b: F) -> F { from_fn(|q| vdivq_f32(a[q], b[q])) }
    fn max(a: F, b: F) -> F { select(gt(a, b), a, b) }
    fn min(a: F, b: F) -> F { select(gt(b, a), a, b) }
    fn fma(a: F, b: F, c: F) -> F { from_fn(|q| vfmaq_f32(c[q], a[q], b[q])) }
    fn abs(a: F) -> F { a.map(|a| vabsq_f32(a)) }
    fn round(a: F) -> F { a.map(|a| vrndnq_f32(a)) }
    fn gt(a: F, b: F) -> M { from_fn(|q| vcgtq_f32(a[q], b[q])) }
    fn select(mask: M, a: F, b: F) -> F { from_fn(|q| vbslq_f32(mask[q], a[q], b[q])) }

    fn from_bits(bits: u16) -> M {
        const LANE: [u32; LANES] = {
            let mut lane = [0; LANES];
            let mut at = 0;
            while at < LANES {
                lane[at] = 1 << at;
                at += 1;
            }
            lane
        };
        let bits = vdupq_n_u32(u32::from(bits));
        // SAFETY: four of sixteen values are there; the load needs no alignment.
        let lanes: M = from_fn(|q| unsafe { vld1q_u32(LANE[4 * q..].as_ptr()) });
        lanes.map(|lane| vtstq_u32(bits, lane))
    }

    fn any(mask: M) -> bool {
        vmaxvq_u32(vorrq_u32(vorrq_u32(mask[0], mask[1]), vorrq_u32(mask[2], mask[3]))) != 0
    }

    fn to_f(a: I) -> F { a.map(|a| vcvtq_f32_s32(a)) }
    fn to_i(a: F) -> I { a.map(|a| vcvtnq_s32_f32(a)) }

    fn scale(a: F, n: F) -> F {
        let half = round(mul(n, splat(0.5)));
        mul(mul(a, exp2i(half)), exp2i(sub(n, half)))
    }

    fn exp2i(n: F) -> F {
        to_i(n).map(|n| vreinterpretq_f32_s32(vshlq_n_s32::<23>(vaddq_s32(n, vdupq_n_s32(127)))))
    }

    fn load_i(a: &[i32; LANES]) -> I {
        // SAFETY: four of sixteen lanes are there; the load needs no alignment.
        from_fn(|q| unsafe { vld1q_s32(a[4 * q..].as_ptr()) })
    }

    fn load_bytes(a: &Block) -> [int8x16_t; 4] {
        // SAFETY: sixteen of 64 bytes are there; the load needs no alignment.
        from_fn(|q| unsafe { vld1q_s8(a.0[16 * q..].as_ptr().cast()) })
    }

    /// Prefetches a block; any address is allowed.
    fn prefetch(block: *const Block) {
        // SAFETY: a prefetch reads nothing that a program sees, and never faults.
        unsafe {
            std::arch::asm!("prfm pldl1keep, [{}]", in(reg) block, options(readonly, nostack, preserves_flags));
        }
    }

    fn load_block(a: &Block) -> F { load_bytes(a).map(|a| vreinterpretq_f32_s8(a)) }

    fn store_block(to: &mut Block, a: F) {
        for (to, a) in to.0.as_chunks_mut::<16>().0.iter_mut().zip(a) {
            let a = vreinterpretq_u8_f32(a);
            // SAFETY: there is room for sixteen bytes; the store needs no alignment.
            unsafe { vst1q_u8(to.as_mut_ptr(), a) };
        }
    }

    /// Moves lane j of vector i to lane i of vector j: squares of four by four change places, and each is
    /// turned.
    fn transpose(a: [F; LANES]) -> [F; LANES] {
        let mut all = a;
        for across in 0..4 {
            for down in 0..4 {
                let square = turn(from_fn(|i| a[4 * down + i][across]));
                for (j, line) in square.into_iter().enumerate() {
                    all[4 * across + j][down] = line;
                }
            }
        }
        all
    }

    fn turn(a: [float32x4_t; 4]) -> [float32x4_t; 4] {
        let pairs = [vtrn1q_f32(a[0], a[1]), vtrn2q_f32(a[0], a[1]), vtrn1q_f32(a[2], a[3]), vtrn2q_f32(a[2], a[3])];
        let wide = pairs.map(|a| vreinterpretq_f64_f32(a));
        [
            vtrn1q_f64(wide[0], wide[2]), vtrn1q_f64(wide[1], wide[3]),
            vtrn2q_f64(wide[0], wide[2]), vtrn2q_f64(wide[1], wide[3]),
        ].map(|a| vreinterpretq_f32_f64(a))
    }

    fn reduce_add(a: F) -> f32 {
        let a = vaddq_f32(vaddq_f32(a[0], a[2]), vaddq_f32(a[1], a[3]));
        let a = vadd_f32(vget_low_f32(a), vget_high_f32(a));
        vget_lane_f32::<0>(a) + vget_lane_f32::<1>(a)
    }

    fn reduce_max(a: F) -> f32 {
        let mut all = [0.0; LANES];
        store_all(&mut all, a);
        crate::lanes::fold(all, |a, b| if a > b { a } else { b })
    }

    fn gather(table: &[f32], at: I) -> F {
        let last = vdupq_n_u32(u32::try_from(table.len() - 1).unwrap_or(u32::MAX));
        let mut all = [0; LANES];
        for (all, at) in all.as_chunks_mut::<4>().0.iter_mut().zip(at) {
            let at = vminq_u32(vreinterpretq_u32_s32(at), last);
            // SAFETY: there is room for four; the store needs no alignment.
            unsafe { vst1q_u32(all.as_mut_ptr(), at) };
        }
        load_all(&all.map(|at| table[at as usize]))
    }

    fn store_words(out: &mut [[u8; 2]], a: I) {
        let mut all = [[0; 2]; LANES];
        for (to, a) in all.as_chunks_mut::<4>().0.iter_mut().zip(a) {
            let words = vqmovn_s32(a);
            // SAFETY: there is room for four words; the store needs no alignment.
            unsafe { vst1_s16(to.as_mut_ptr().cast(), words) };
        }
        let n = out.len().min(LANES);
        out[..n].copy_from_slice(&all[..n]);
    }

    fn store_bytes(out: &mut [u8], a: I, flip: u8) {
        let words = [0, 2].map(|q| vcombine_s16(vmovn_s32(a[q]), vmovn_s32(a[q + 1])));
        let bytes = vreinterpretq_u8_s8(vcombine_s8(vmovn_s16(words[0]), vmovn_s16(words[1])));
        let bytes = veorq_u8(bytes, vdupq_n_u8(flip));
        let mut all = [0; LANES];
        // SAFETY: there is room for sixteen bytes; the store needs no alignment.
        unsafe { vst1q_u8(all.as_mut_ptr(), bytes) };
        let n = out.len().min(LANES);
        out[..n].copy_from_slice(&all[..n]);
    }
}
