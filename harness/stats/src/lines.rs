//! What a metric knows of each line of a text, and the sums from which a score follows.

/// Numbers that a metric gives to one line. The score of a text is a function of their sums.
pub type Line = Vec<f64>;

/// A metric: from sums over lines to the score of the text. Sums of counts are whole numbers, exact in a double.
pub type Metric = fn(&[f64]) -> f64;

/// Sums of `lines`, of which each has `width` numbers.
pub(crate) fn sum<'a>(lines: impl Iterator<Item = &'a Line>, width: usize) -> Line {
    let mut sums = vec![0.0; width];
    lines.for_each(|line| sums.iter_mut().zip(line).for_each(|(sum, number)| *sum += number));
    sums
}
