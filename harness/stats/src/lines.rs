//! What a metric knows of each line of a text, and the score that follows from all lines.

/// Counts of a metric on one line. The score of a corpus is a function of the sums of these counts.
pub type Counts = Vec<u32>;

/// A metric: from sums over lines to the score of the corpus.
pub type Metric = fn(&[u64]) -> f64;

/// What a metric knows of each line of a text.
#[derive(Clone)]
pub(crate) enum Lines {
    /// Counts, from whose sums the score follows.
    Counts(Vec<Counts>, Metric),
    /// Scores, whose mean is the score.
    Scores(Vec<f64>),
}

impl Lines {
    /// Numbers of each line, whose sums have a [`score`](Self::score).
    pub(crate) fn numbers(&self) -> Vec<Vec<f64>> {
        match self {
            Self::Counts(lines, _) => {
                lines.iter().map(|line| line.iter().map(|&count| f64::from(count)).collect()).collect()
            }
            Self::Scores(lines) => lines.iter().map(|&score| vec![score]).collect(),
        }
    }

    /// Score of a text whose lines have these sums.
    pub(crate) fn score(&self, sums: &[f64]) -> f64 {
        match self {
            // Sums of counts are whole numbers, exact in a double.
            Self::Counts(_, metric) => metric(&sums.iter().map(|&sum| sum as u64).collect::<Vec<_>>()),
            Self::Scores(lines) => sums[0] / lines.len() as f64,
        }
    }
}
