//! The verdict on a claim: our figure, with its interval, against the paper's.

use dyno_stats::Estimate;
use serde::Serialize;

/// Verdict on a claim of a paper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "verdict", content = "reason")]
pub enum Verdict {
    /// Our whole interval is better than the paper's figure.
    Exceeded,
    /// Our interval holds the paper's figure.
    Reached,
    /// Our whole interval is worse than the paper's figure.
    NotReached,
    /// Hardware or data that the comparison needs isn't there.
    NotComparable(String),
    /// Nothing was measured so far; the reason says what measures it.
    NotMeasured(String),
}

impl Verdict {
    /// The verdict on a figure of which more is better.
    pub fn of(ours: Estimate, paper: f64) -> Self {
        match () {
            () if ours.low > paper => Self::Exceeded,
            () if ours.high < paper => Self::NotReached,
            () => Self::Reached,
        }
    }

    /// The verdict on a size, of which less is better. Sizes within 5 % are the same: papers round them, and
    /// file formats have heads.
    pub fn of_size(ours: f64, paper: f64) -> Self {
        const SAME: f64 = 0.05;
        match ours / paper {
            ratio if ratio < 1.0 - SAME => Self::Exceeded,
            ratio if ratio > 1.0 + SAME => Self::NotReached,
            _ => Self::Reached,
        }
    }

    /// Kind of the verdict, as heads of columns name it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Exceeded => "exceeded",
            Self::Reached => "reached",
            Self::NotReached => "not reached",
            Self::NotComparable(_) => "can't be compared",
            Self::NotMeasured(_) => "not measured yet",
        }
    }

    /// Text of the verdict with its reason.
    pub fn text(&self) -> String {
        match self {
            Self::NotComparable(reason) | Self::NotMeasured(reason) => format!("{}: {reason}", self.kind()),
            _ => self.kind().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_interval_decides() {
        let ours = |low, value, high| Estimate { value, low, high };
        assert_eq!(Verdict::of(ours(4.4, 4.5, 4.6), 4.37), Verdict::Exceeded);
        assert_eq!(Verdict::of(ours(4.3, 4.5, 4.6), 4.37), Verdict::Reached);
        assert_eq!(Verdict::of(ours(4.1, 4.2, 4.4), 4.37), Verdict::Reached);
        assert_eq!(Verdict::of(ours(4.1, 4.2, 4.3), 4.37), Verdict::NotReached);
    }

    #[test]
    fn smaller_models_are_better() {
        assert_eq!(Verdict::of_size(100.0, 238.0), Verdict::Exceeded);
        assert_eq!(Verdict::of_size(238.5, 238.0), Verdict::Reached);
        assert_eq!(Verdict::of_size(260.0, 238.0), Verdict::NotReached);
    }
}
