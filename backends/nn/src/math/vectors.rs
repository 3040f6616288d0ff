//! Plain loops over rows of f32: dot product, sums, and the greatest element.

/// Number of partial sums of a reduction: one 512-bit register of f32, or several narrower registers.
const LANES: usize = 16;

/// Folds pairwise: lane i with lane i + 8, then + 4, + 2, + 1.
fn fold(mut lanes: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}

/// Σ a·b.
///
/// # Panics
/// When `b` is shorter than `a`.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let b = &b[..a.len()];
    let (a_blocks, b_blocks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tails = a_blocks.remainder().iter().zip(b_blocks.remainder());
    for (a, b) in a_blocks.zip(b_blocks) {
        for lane in 0..LANES {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    for (lane, (a, b)) in lanes.iter_mut().zip(tails) {
        *lane += a * b;
    }
    fold(lanes)
}

/// Index of the greatest value: the first of equal values, and 0 for an empty row.
pub fn argmax(values: &[f32]) -> usize {
    let mut best = 0;
    for (at, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = at;
        }
    }
    best
}

/// Adds x·`row` to `out`, element by element.
pub fn multiply_add(out: &mut [f32], x: f32, row: &[f32]) {
    out.iter_mut().zip(row).for_each(|(out, weight)| *out += x * weight);
}

/// Adds `row` to `out`, element by element.
pub fn add(out: &mut [f32], row: &[f32]) {
    out.iter_mut().zip(row).for_each(|(out, x)| *out += x);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_agree_with_plain_ones_around_the_lanes() {
        for len in [0, 1, 15, 16, 17, 31, 32, 33, 100] {
            let a: Vec<f32> = (0..len).map(|i| (i as f32 * 0.7).sin()).collect();
            let b: Vec<f32> = (0..len).map(|i| (i as f32 * 1.3).cos()).collect();
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            assert!((f64::from(dot(&a, &b)) - plain).abs() < 1e-5, "{len}");
        }
    }
}
