//! What looks at a whole row: sums, softmax, the greatest.

/// Partial sums of a reduction: one 512-bit register of f32, which narrower machines take in several.
const LANES: usize = 16;

/// Sum of the elements in the fixed order.
fn sum(terms: impl Fn(usize) -> f32, len: usize) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let whole = len - len % LANES;
    for start in (0..whole).step_by(LANES) {
        for (lane, total) in lanes.iter_mut().enumerate() {
            *total += terms(start + lane);
        }
    }
    for (lane, at) in (whole..len).enumerate() {
        lanes[lane] += terms(at);
    }
    fold(lanes)
}

/// Pairwise: lane i with lane i + 8, then + 4, + 2, + 1.
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

/// The index of the greatest; the first among equals, 0 of an empty row.
pub fn argmax(values: &[f32]) -> usize {
    let mut best = 0;
    for (at, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = at;
        }
    }
    best
}

fn greatest(values: &[f32]) -> f32 {
    values.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

/// Softmax over a row, in place.
pub fn softmax(row: &mut [f32]) {
    let top = greatest(row);
    row.iter_mut().for_each(|value| *value = (*value - top).exp());
    let total = sum(|at| row[at], row.len());
    row.iter_mut().for_each(|value| *value /= total);
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
            assert!((sum(|at| a[at] * b[at], len) - dot(&a, &b)).abs() < 1e-5, "{len}");
        }
    }

    #[test]
    fn softmax_survives_extremes() {
        let mut row = [-1e30, 0.0, 88.0, 1e30];
        softmax(&mut row);
        assert_eq!(row, [0.0, 0.0, 0.0, 1.0]);
        let mut row = [1.0, 2.0, 3.0];
        softmax(&mut row);
        let (e, e2) = (1f32.exp(), 2f32.exp());
        assert!((row[1] / row[0] - e).abs() < 1e-5 && (row[2] / row[0] - e2).abs() < 1e-5);
    }
}
