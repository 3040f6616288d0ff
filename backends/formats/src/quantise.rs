//! The numeric side of quantising: which tensors, to what, with which scales.
//!
//! Rounding is to the nearest, halves to even, everywhere. int8 keeps to [−127, 127]: −128 has no
//! counterpart, so that
//! |a|·sign(b) kernels can't overflow. Scales are per output of the product, since a column whose weights are
//! small would else be left with a few levels only.

/// The largest magnitude of an int8 weight.
pub const INT8_LIMIT: f32 = 127.0;

/// The largest magnitude of an int16 weight.
const INT16_LIMIT: f32 = i16::MAX as f32;

/// int16's fixed point: ten bits of fraction (Devlin 2017; Marian's intgemm16).
pub const INT16_UNIT: f32 = 1024.0;

/// Magnitudes of one int16 output's weights may sum to this: times any activation in [−32767, 32767] it still
/// fits 32 bits, so that a product can't wrap whatever its input.
pub const INT16_SUM_LIMIT: u64 = (i32::MAX / i16::MAX as i32) as u64;

/// How a tensor takes part in products, hence how it is quantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Weights `[in, out]`: a scale for each column.
    Weight,
    /// Embeddings or transposed output weights `[V, D]`, used as rows and, transposed, as output matrix: a
    /// scale for each row.
    Embedding,
    /// Biases, norms, single columns and all else: stays f32.
    Other,
}

impl Role {
    /// By Marian's naming: a part of the name that begins with W or U, and a shape that makes a product.
    pub fn of(name: &str, shape: &[usize]) -> Self {
        let part = name.split(['_', ':']).find(|part| part.starts_with(['W', 'U']));
        match (shape, part) {
            (&[rows, columns], Some(part)) if rows > 1 && columns > 1 => match part {
                "Wpos" => Self::Other, // trained positions are added, not multiplied
                "Wt" => Self::Embedding,
                _ if part.starts_with("Wemb") => Self::Embedding,
                _ => Self::Weight,
            },
            _ => Self::Other,
        }
    }
}

/// The value of IEEE half bits.
pub fn f16_to_f32(bits: u16) -> f32 {
    let (sign, exponent, fraction) =
        (u32::from(bits & 0x8000) << 16, (bits >> 10) & 0x1F, u32::from(bits & 0x3FF));
    let magnitude = match exponent {
        0 => return f32::from_bits(sign | (fraction as f32 * 2f32.powi(-24)).to_bits()),
        0x1F => 0x7F80_0000 | fraction << 13,
        _ => (u32::from(exponent) + 112) << 23 | fraction << 13, // the biases differ by 127 − 15
    };
    f32::from_bits(sign | magnitude)
}

/// The nearest IEEE half, ties to even; what is too large becomes infinite.
pub fn f16_from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let (sign, magnitude) = ((bits >> 16 & 0x8000) as u16, bits & 0x7FFF_FFFF);
    let half = match magnitude {
        0x7F80_0001.. => 0x7E00,                                          // not a number
        0x4780_0000.. => 0x7C00,                                          // 65,536 and up
        0x3880_0000.. => (round_off(magnitude, 13) - (112 << 10)) as u16, // normal; may round up to infinity
        0x3300_0000.. => {
            // Subnormal: the fraction with its leading one, shifted to units of 2^-24.
            let fraction = magnitude & 0x007F_FFFF | 0x0080_0000;
            round_off(fraction, 126 - (magnitude >> 23)) as u16
        }
        _ => 0,
    };
    sign | half
}

/// `value` without its lowest `bits` bits, rounded to the nearest, ties to even.
fn round_off(value: u32, bits: u32) -> u32 {
    let (kept, half, rest) = (value >> bits, 1 << (bits - 1), value & ((1 << bits) - 1));
    kept + u32::from(rest > half || (rest == half && kept & 1 == 1))
}

/// The value of bfloat16 bytes.
pub(crate) fn bf16_to_f32(bytes: &[u8]) -> f32 {
    f32::from_bits(u32::from(bytes[0]) << 16 | u32::from(bytes[1]) << 24)
}

/// The nearest whole number, halves to even, in the lowest bits; for magnitudes below 2^22.
///
/// Adding 1.5 · 2^23 leaves no bits for a fraction, so that the addition itself rounds, and the integer
/// stands in the lowest bits of the sum. Baseline x86-64 has no instruction for it, and a library call for
/// each weight would take most of the time of loading.
fn nearest(value: f32) -> u32 {
    const NO_FRACTION: f32 = 12_582_912.0;
    (value + NO_FRACTION).to_bits()
}

/// How many scales a matrix has: one for each row (embeddings) or column.
fn groups(role: Role, rows: usize, columns: usize) -> usize {
    if role == Role::Embedding { rows } else { columns }
}

/// Lets each weight change what is kept of its group.
fn gather<T>(weights: &[f32], columns: usize, role: Role, kept: &mut [T], see: impl Fn(&mut T, f32)) {
    for (row, values) in weights.chunks(columns.max(1)).enumerate() {
        match role {
            Role::Embedding => values.iter().for_each(|weight| see(&mut kept[row], *weight)),
            _ => values.iter().zip(kept.iter_mut()).for_each(|(weight, kept)| see(kept, *weight)),
        }
    }
}

/// Each weight in units of its group, as `T`.
fn in_units<T>(
    weights: &[f32],
    columns: usize,
    role: Role,
    units: &[f32],
    number: impl Fn(f32) -> T,
) -> Vec<T> {
    let mut numbers = Vec::with_capacity(weights.len());
    for (row, values) in weights.chunks(columns.max(1)).enumerate() {
        match role {
            Role::Embedding => numbers.extend(values.iter().map(|weight| number(weight * units[row]))),
            _ => numbers.extend(values.iter().zip(units).map(|(weight, unit)| number(weight * unit))),
        }
    }
    numbers
}

/// A row-major matrix as int8, and a scale for each row (embeddings) or column: w ≈ q · scale, the largest
/// magnitude of each group being ±127. A group of zeros has the scale 1. Weights must be finite.
pub fn int8(weights: &[f32], rows: usize, columns: usize, role: Role) -> (Vec<i8>, Vec<f32>) {
    let mut largest = vec![0f32; groups(role, rows, columns)];
    gather(weights, columns, role, &mut largest, |largest, weight| *largest = weight.abs().max(*largest));
    let unit = |largest: &f32| Some(INT8_LIMIT / largest).filter(|unit| unit.is_finite());
    let units: Vec<f32> = largest.iter().map(|largest| unit(largest).unwrap_or(0.0)).collect();
    let integers =
        in_units(weights, columns, role, &units, |value| nearest(value.clamp(-INT8_LIMIT, INT8_LIMIT)) as i8);
    let scale = |largest: &f32| unit(largest).map_or(1.0, |_| largest / INT8_LIMIT);
    (integers, largest.iter().map(scale).collect())
}

/// A row-major matrix as int16 fixed point, and a scale for each row (embeddings) or column. The scale is
/// 1/1024, doubled as often as a group needs to keep to [`INT16_SUM_LIMIT`] and to 16 bits. Scaling by powers
/// of two is exact. Weights must be finite.
pub fn int16(weights: &[f32], rows: usize, columns: usize, role: Role) -> (Vec<i16>, Vec<f32>) {
    let mut units = vec![INT16_UNIT; groups(role, rows, columns)];
    while halve_where_too_large(weights, columns, role, &mut units) {}
    let integers = in_units(weights, columns, role, &units, |value| {
        nearest(value.clamp(-INT16_LIMIT, INT16_LIMIT)) as i16
    });
    (integers, units.iter().map(|unit| 1.0 / unit).collect())
}

/// Halves the units of those groups whose sum of magnitudes, or one of whose weights, is too large; whether
/// any was.
fn halve_where_too_large(weights: &[f32], columns: usize, role: Role, units: &mut [f32]) -> bool {
    let mut kept: Vec<(f32, u64, f32)> = units.iter().map(|unit| (*unit, 0, 0.0)).collect();
    gather(weights, columns, role, &mut kept, |(unit, sum, largest), weight| {
        let magnitude = (weight * *unit).abs();
        *sum += u64::from(nearest(magnitude.min(INT16_LIMIT)) as u16);
        *largest = magnitude.max(*largest);
    });
    let mut any = false;
    for (unit, (_, sum, largest)) in units.iter_mut().zip(kept) {
        let coarser = sum > INT16_SUM_LIMIT || largest > INT16_LIMIT;
        if coarser && *unit > f32::MIN_POSITIVE {
            (*unit, any) = (*unit / 2.0, true);
        }
    }
    any
}
