//! Items of a kind: how many the source holds, and how many of them an answer keeps.

use std::iter::Sum;

use serde::Serialize;

/// Items of a kind in a line or a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// Number of items in the source.
    pub found: usize,
    /// Number of these that the answer keeps.
    pub kept: usize,
}

impl Kept {
    /// Of so many items in the source so many that stand in the answer.
    pub(super) fn of(found: usize, there: usize) -> Self {
        Self { found, kept: found.min(there) }
    }

    /// A line that is, or isn't, as it should be.
    pub(super) fn line(is_kept: bool) -> Self {
        Self { found: 1, kept: usize::from(is_kept) }
    }

    /// Number of lost items.
    pub const fn lost(self) -> usize {
        self.found - self.kept
    }

    /// Share that is kept; none if the source holds nothing of the kind.
    pub fn share(self) -> Option<f64> {
        (self.found > 0).then(|| self.kept as f64 / self.found as f64)
    }
}

impl Sum for Kept {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self { found: sum.found + one.found, kept: sum.kept + one.kept })
    }
}

/// Takes one item out, if `there` has such a one.
pub(super) fn take<T>(there: &mut Vec<T>, is_it: impl Fn(&T) -> bool) -> Option<T> {
    there.iter().position(is_it).map(|place| there.swap_remove(place))
}

/// Items of `wanted` that `there` has too, each as often as it stands there.
pub(super) fn shared<T: PartialEq>(wanted: &[T], mut there: Vec<T>) -> usize {
    wanted.iter().filter(|item| take(&mut there, |other| other == *item).is_some()).count()
}
