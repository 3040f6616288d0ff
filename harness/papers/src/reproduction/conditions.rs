//! Conditions of our figures, and reasons why there are none: the host's cores, systems that are absent or failed.

use dyno_record::{Profile, Verdict};
use dyno_results::Run;

use super::measured::Measured;
use super::verdict::Lacking;
use crate::tables::{Point, Table};

/// Reason of a system's absence.
const ABSENT: &str = "its engine or its model isn't ready on this host (ci/peers/README.md says what makes it so), or the \
                      processor lacks its instructions";

impl Measured<'_> {
    /// Reason why this host is too small for a point, if it is.
    pub(super) fn lacking(&self, cores: Option<usize>) -> Option<Lacking> {
        let (wanted, there) = (cores?, self.cores()?);
        (there < wanted).then_some(Lacking { wanted, there })
    }

    /// Number of the host's cores.
    pub(super) fn cores(&self) -> Option<usize> {
        self.run.map(|run| run.identity.host.cores.len()).or(self.cores)
    }

    /// Profile of the run.
    pub(super) fn profile(&self) -> Option<Profile> {
        Some(self.run?.identity.protocol.profile)
    }

    /// Reason why a system that the campaign has didn't run here, if so.
    pub(super) fn absent(&self, system: &str) -> Option<String> {
        let is_absent = self.contestants?.absent.iter().any(|name| name == system);
        (is_absent && self.cells_of(system).is_empty()).then(|| ABSENT.into())
    }

    /// Reason why a system lacks figures that may be quoted.
    pub(super) fn failure(&self, system: &str) -> Option<String> {
        self.run?;
        let cells = self.cells_of(system);
        if cells.is_empty() {
            return Some("the run holds no round of it; without -s, and uninterrupted, it will".into());
        }
        let bad = cells.iter().find(|cell| cell.verdict() == Verdict::Invalid)?;
        let mut reasons = bad.records.iter().flat_map(|record| &record.reasons);
        let reason = reasons.next()?;
        Some(format!("INVALID in {}: {} ({})", bad.track, reason.code.name(), reason.figure))
    }

    /// Systems of a table whose plugin is still to be built, with the command: those of its points, also over
    /// a library's products. Other tables of the campaign have others.
    pub(super) fn unbuilt(&self, table: &Table) -> impl Iterator<Item = (&str, String)> {
        let unbuilt = self.contestants.into_iter().flat_map(|contestants| &contestants.unbuilt);
        let is_of = |name: &str| {
            let rest = |point: &Point| name.strip_prefix(point.system());
            table.points.iter().filter_map(rest).any(|rest| rest.is_empty() || rest.starts_with(" ("))
        };
        let of_table = unbuilt.filter(move |(name, _)| table.measures() && is_of(name));
        of_table.map(|(name, build)| (name.as_str(), format!("not built; `{build}` builds it")))
    }

    /// Host, profile and test sets.
    pub(super) fn conditions(&self) -> Vec<String> {
        let Some(run) = self.run else {
            return self.products.map(|products| products.conditions.clone()).unwrap_or_default();
        };
        let sets = run.test_sets.iter().map(|set| {
            let (lines, words) = (set.source.len(), set.words());
            format!("{} ({lines} lines of {:.1} words)", set.name, words as f64 / lines.max(1) as f64)
        });
        let day = run.day().map(|day| format!(", {day}")).unwrap_or_default();
        let told = [
            format!("{}{day}", run.identity.host.line()),
            format!("{} profile on {}", run.identity.protocol.profile, sets.collect::<Vec<_>>().join(", ")),
        ];
        told.into_iter().chain(noisy(run)).collect()
    }
}

/// Number of rounds that were disturbed, and count all the same; `None` without one.
fn noisy(run: &Run) -> Option<String> {
    let cells = run.cells();
    let records = || cells.iter().flat_map(|cell| &cell.records);
    let noisy = records().filter(|record| record.verdict == Verdict::Noisy).count();
    (noisy > 0).then(|| format!("{noisy} of {} rounds are NOISY", records().count()))
}
