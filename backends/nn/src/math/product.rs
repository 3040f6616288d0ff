//! Products of rows with weights.

/// Rows that share each pass over the weights.
const ROWS: usize = 4;

/// `out`[rows, columns] = `input`[rows, inner] · `weights`[inner, columns].
///
/// Each row of `out` is summed up over `inner` in ascending order, whatever the number of rows.
///
/// # Panics
/// When the lengths don't fit together.
pub fn product(input: &[f32], weights: &[f32], inner: usize, columns: usize, out: &mut [f32]) {
    out.fill(0.0);
    let inputs = input.chunks(ROWS * inner);
    for (input, out) in inputs.zip(out.chunks_mut(ROWS * columns)) {
        if out.len() == ROWS * columns {
            four_rows(input, weights, inner, columns, out);
        } else {
            input.chunks_exact(inner).zip(out.chunks_exact_mut(columns)).for_each(|(input, out)| {
                for (x, weights) in input.iter().zip(weights.chunks_exact(columns)) {
                    multiply_add(out, *x, weights);
                }
            });
        }
    }
}

fn four_rows(input: &[f32], weights: &[f32], inner: usize, columns: usize, out: &mut [f32]) {
    let (first, rest) = out.split_at_mut(columns);
    let (second, rest) = rest.split_at_mut(columns);
    let (third, fourth) = rest.split_at_mut(columns);
    for (k, weights) in weights.chunks_exact(columns).enumerate() {
        let x = [input[k], input[inner + k], input[2 * inner + k], input[3 * inner + k]];
        let outs = first.iter_mut().zip(second.iter_mut()).zip(third.iter_mut()).zip(fourth.iter_mut());
        for ((((a, b), c), d), weight) in outs.zip(weights) {
            *a += x[0] * weight;
            *b += x[1] * weight;
            *c += x[2] * weight;
            *d += x[3] * weight;
        }
    }
}

/// `out` += x·`row`.
pub fn multiply_add(out: &mut [f32], x: f32, row: &[f32]) {
    out.iter_mut().zip(row).for_each(|(out, weight)| *out += x * weight);
}

/// `out` += `row`, element by element.
pub fn add(out: &mut [f32], row: &[f32]) {
    out.iter_mut().zip(row).for_each(|(out, x)| *out += x);
}

/// y = x·W + b.
#[derive(Clone, Debug)]
pub struct Linear {
    /// [inputs, outputs].
    weights: Vec<f32>,
    /// [outputs], or empty.
    bias: Vec<f32>,
    inputs: usize,
    outputs: usize,
}

impl Linear {
    /// Of `weights`[inputs, outputs] and `bias`[outputs]; an empty bias is none.
    ///
    /// # Panics
    /// When the lengths don't fit together.
    pub fn new(weights: Vec<f32>, bias: Vec<f32>, inputs: usize, outputs: usize) -> Self {
        assert_eq!(weights.len(), inputs * outputs, "weights have the shape [{inputs}, {outputs}]");
        assert!(bias.is_empty() || bias.len() == outputs, "a bias has one number for each of {outputs}");
        Self { weights, bias, inputs, outputs }
    }

    /// Width of x.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Width of y.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Replaces `out` by y for each row of `input`[rows, inputs].
    pub fn apply(&self, input: &[f32], out: &mut Vec<f32>) {
        out.resize(input.len() / self.inputs * self.outputs, 0.0);
        product(input, &self.weights, self.inputs, self.outputs, out);
        if !self.bias.is_empty() {
            out.chunks_exact_mut(self.outputs).for_each(|row| add(row, &self.bias));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_same_in_any_batch() {
        let (inner, columns) = (7, 5);
        let weights: Vec<f32> = (0..inner * columns).map(|i| (i as f32).sin()).collect();
        let linear = Linear::new(weights, vec![0.25; columns], inner, columns);
        let input: Vec<f32> = (0..9 * inner).map(|i| (i as f32 * 0.3).cos()).collect();
        let (mut all, mut one) = (Vec::new(), Vec::new());
        for rows in 1..=9 {
            linear.apply(&input[..rows * inner], &mut all);
            for row in 0..rows {
                linear.apply(&input[row * inner..][..inner], &mut one);
                assert_eq!(one, all[row * columns..][..columns], "row {row} of {rows}");
            }
        }
    }
}
