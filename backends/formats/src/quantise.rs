//! The numeric side of quantising: which tensors, to what, with which scales.
//!
//! Rounding is to the nearest, halves to even, everywhere. int8 keeps to [−127, 127]: −128 has no counterpart, so that
//! |a|·sign(b) kernels can't overflow. Scales are per output of the product, since a column whose weights are
//! small would else be left with a few levels only.

/// The largest magnitude of an int8 weight.
pub const INT8_LIMIT: f32 = 127.0;

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
    /// Embeddings or transposed output weights `[V, D]`, used as rows and, transposed, as output matrix: a scale
    /// for each row.
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

/// The group (row or column) of the element at `index` of a matrix with so many `columns`.
fn group(role: Role, index: usize, columns: usize) -> usize {
    if role == Role::Embedding { index / columns } else { index % columns }
}

fn groups(role: Role, rows: usize, columns: usize) -> usize {
    if role == Role::Embedding { rows } else { columns }
}

/// A row-major matrix as int8, and a scale for each row (embeddings) or column: w ≈ q · scale, the largest
/// magnitude of each group being ±127. A group of zeros has the scale 1.
pub fn int8(weights: &[f32], rows: usize, columns: usize, role: Role) -> (Vec<i8>, Vec<f32>) {
    let mut largest = vec![0f32; groups(role, rows, columns)];
    for (index, weight) in weights.iter().enumerate() {
        let group = &mut largest[group(role, index, columns)];
        *group = group.max(weight.abs());
    }
    let units: Vec<f32> = largest.iter().map(|largest| INT8_LIMIT / largest).collect();
    let quantised = weights.iter().enumerate().map(|(index, weight)| {
        let unit = units[group(role, index, columns)];
        let unit = if unit.is_finite() { unit } else { 0.0 };
        (weight * unit).round_ties_even().clamp(-INT8_LIMIT, INT8_LIMIT) as i8
    });
    let quantised = quantised.collect();
    let scale = |(largest, unit): (&f32, &f32)| if unit.is_finite() { largest / INT8_LIMIT } else { 1.0 };
    (quantised, largest.iter().zip(&units).map(scale).collect())
}

/// A row-major matrix as int16 fixed point, and a scale for each row (embeddings) or column: 1/1024, doubled as
/// often as a group needs to keep to [`INT16_SUM_LIMIT`] and to 16 bits. Powers of two: scaling is exact.
pub fn int16(weights: &[f32], rows: usize, columns: usize, role: Role) -> (Vec<i16>, Vec<f32>) {
    let mut units = vec![INT16_UNIT; groups(role, rows, columns)];
    while halve_where_too_large(weights, columns, role, &mut units) {}
    let unit = |index| units[group(role, index, columns)];
    let quantised = weights.iter().enumerate().map(|(index, w)| (w * unit(index)).round_ties_even() as i16);
    (quantised.collect(), units.iter().map(|unit| 1.0 / unit).collect())
}

/// Halves the units of those groups whose sum of magnitudes, or one of whose weights, is too large; whether any was.
fn halve_where_too_large(weights: &[f32], columns: usize, role: Role, units: &mut [f32]) -> bool {
    let (mut sums, mut largest) = (vec![0u64; units.len()], vec![0f32; units.len()]);
    for (index, weight) in weights.iter().enumerate() {
        let group = group(role, index, columns);
        let magnitude = (weight * units[group]).round_ties_even().abs();
        sums[group] = sums[group].saturating_add(magnitude as u64);
        largest[group] = largest[group].max(magnitude);
    }
    let mut any = false;
    for (group, unit) in units.iter_mut().enumerate() {
        if sums[group] > INT16_SUM_LIMIT || largest[group] > f32::from(i16::MAX) {
            (*unit, any) = (*unit / 2.0, true);
        }
    }
    any
}
