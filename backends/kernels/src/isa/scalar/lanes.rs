//! The sixteen lanes as an array: the specification of all other lanes, and the code for processors without a
//! better instruction set.

use crate::lanes::{Block, LANES, fold};

pub(crate) type F = [f32; LANES];
pub(crate) type I = [i32; LANES];
/// Mask of lanes: a bit for each lane.
pub(crate) type M = u16;
/// Number of vectors of sums that a loop keeps in registers, beside its operands.
pub(crate) const SUMS: usize = 4;

#[inline]
fn map(a: F, f: impl Fn(f32) -> f32) -> F {
    a.map(f)
}

#[inline]
fn zip(a: F, b: F, f: impl Fn(f32, f32) -> f32) -> F {
    std::array::from_fn(|lane| f(a[lane], b[lane]))
}

#[inline]
pub(crate) fn splat(x: f32) -> F {
    [x; LANES]
}

#[inline]
pub(crate) fn load(x: &[f32]) -> F {
    std::array::from_fn(|lane| x.get(lane).copied().unwrap_or(0.0))
}

#[inline]
pub(crate) fn store(x: &mut [f32], a: F) {
    for (x, a) in x.iter_mut().zip(a) {
        *x = a;
    }
}

#[inline]
pub(crate) fn add(a: F, b: F) -> F {
    zip(a, b, |a, b| a + b)
}

#[inline]
pub(crate) fn sub(a: F, b: F) -> F {
    zip(a, b, |a, b| a - b)
}

#[inline]
pub(crate) fn mul(a: F, b: F) -> F {
    zip(a, b, |a, b| a * b)
}

#[inline]
pub(crate) fn div(a: F, b: F) -> F {
    zip(a, b, |a, b| a / b)
}

#[inline]
pub(crate) fn max(a: F, b: F) -> F {
    zip(a, b, |a, b| if a > b { a } else { b })
}

#[inline]
pub(crate) fn min(a: F, b: F) -> F {
    zip(a, b, |a, b| if a < b { a } else { b })
}

/// a·b + c, rounded once.
#[inline]
pub(crate) fn fma(a: F, b: F, c: F) -> F {
    std::array::from_fn(|lane| a[lane].mul_add(b[lane], c[lane]))
}

#[inline]
pub(crate) fn abs(a: F) -> F {
    map(a, f32::abs)
}

/// Rounds to the nearest whole number, halves to even.
#[inline]
pub(crate) fn round(a: F) -> F {
    map(a, f32::round_ties_even)
}

#[inline]
pub(crate) fn gt(a: F, b: F) -> M {
    (0..LANES).fold(0, |mask, lane| mask | (u16::from(a[lane] > b[lane]) << lane))
}

/// Takes `a` where the mask is set, else `b`.
#[inline]
pub(crate) fn select(mask: M, a: F, b: F) -> F {
    std::array::from_fn(|lane| if mask >> lane & 1 == 1 { a[lane] } else { b[lane] })
}

#[inline]
pub(crate) fn from_bits(bits: u16) -> M {
    bits
}

#[inline]
pub(crate) fn any(mask: M) -> bool {
    mask != 0
}

#[inline]
pub(crate) fn to_f(a: I) -> F {
    a.map(|a| a as f32)
}

/// Converts to the nearest whole number, halves to even. The values fit into 32 bits: callers clamp first.
#[inline]
pub(crate) fn to_i(a: F) -> I {
    a.map(|a| a.round_ties_even() as i32)
}

/// a·2ⁿ for whole n from -252 to 254, rounded once: the first of the two steps leaves no subnormal number.
#[inline]
pub(crate) fn scale(a: F, n: F) -> F {
    let half = map(n, |n| (n * 0.5).round_ties_even());
    mul(mul(a, exp2i(half)), exp2i(sub(n, half)))
}

/// 2ⁿ for whole n from -126 to 127.
fn exp2i(n: F) -> F {
    to_i(n).map(|n| f32::from_bits(((n + 127) << 23) as u32))
}

/// Does nothing: plain code has no prefetch.
#[inline]
pub(crate) fn prefetch(_: *const Block) {}

/// The lower number in half precision of each lane.
pub(crate) fn lower_half(a: &Block) -> F {
    half(a, 0)
}

/// The upper number in half precision of each lane.
pub(crate) fn upper_half(a: &Block) -> F {
    half(a, 2)
}

fn half(a: &Block, from: usize) -> F {
    std::array::from_fn(|lane| {
        let four = four(&a.0, lane);
        crate::precision::from_f16(u16::from_le_bytes([four[from], four[from + 1]]))
    })
}

#[inline]
pub(crate) fn load_block(a: &Block) -> F {
    std::array::from_fn(|lane| f32::from_le_bytes(four(&a.0, lane)))
}

#[inline]
pub(crate) fn store_block(to: &mut Block, a: F) {
    for (to, a) in to.0.as_chunks_mut().0.iter_mut().zip(a) {
        *to = a.to_le_bytes();
    }
}

/// Moves lane j of vector i to lane i of vector j.
#[inline]
pub(crate) fn transpose(a: [F; LANES]) -> [F; LANES] {
    std::array::from_fn(|j| std::array::from_fn(|i| a[i][j]))
}

#[inline]
pub(crate) fn reduce_add(a: F) -> f32 {
    fold(a, |a, b| a + b)
}

#[inline]
pub(crate) fn reduce_max(a: F) -> f32 {
    fold(a, |a, b| if a > b { a } else { b })
}

/// Table entries at valid positions.
#[inline]
pub(crate) fn gather(table: &[f32], at: I) -> F {
    at.map(|at| table[at as usize])
}

/// Stores each lane as the nearest word, in the order of bytes of a file.
#[inline]
pub(crate) fn store_words(out: &mut [[u8; 2]], a: I) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = (a.clamp(i16::MIN.into(), i16::MAX.into()) as i16).to_le_bytes();
    }
}

/// Stores the low byte of each lane, XORed with `flip`.
#[inline]
pub(crate) fn store_bytes(out: &mut [u8], a: I, flip: u8) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = a as u8 ^ flip;
    }
}

/// The bytes of lane `lane`.
#[inline]
pub(crate) fn four(bytes: &[u8; 64], lane: usize) -> [u8; 4] {
    std::array::from_fn(|i| bytes[4 * lane + i])
}
