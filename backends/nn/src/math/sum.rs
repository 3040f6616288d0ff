//! Sums of rows.

/// `out` += x·`row`.
pub fn multiply_add(out: &mut [f32], x: f32, row: &[f32]) {
    out.iter_mut().zip(row).for_each(|(out, weight)| *out += x * weight);
}

/// `out` += `row`, element by element.
pub fn add(out: &mut [f32], row: &[f32]) {
    out.iter_mut().zip(row).for_each(|(out, x)| *out += x);
}
