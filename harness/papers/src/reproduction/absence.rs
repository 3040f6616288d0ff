//! The verdict where no figure of ours answers a claim: the reason of its absence.

use super::rows::Reproduction;
use super::verdict::Verdict;

/// Reason of figures whose campaign can't be read; the notes of the table have the error.
const UNREADABLE: &str = "its campaign can't be read on this host, as noted above";

/// The verdict without a figure: what is missing for good, what is pending, or what measures it.
pub(super) fn without_figure(
    reproduction: &Reproduction,
    missing: Option<String>,
    pending: Option<&String>,
) -> Verdict {
    let table = &reproduction.table;
    match (missing, pending) {
        (Some(missing), _) => Verdict::NotComparable(missing),
        (_, Some(pending)) => Verdict::NotMeasured(pending.clone()),
        _ if reproduction.fault.is_some() => Verdict::NotMeasured(UNREADABLE.into()),
        _ if table.measures() || !table.products().is_empty() => {
            Verdict::NotMeasured(format!("`dyno reproduce {}` measures it", table.id))
        }
        _ => Verdict::NotMeasured("nothing here measures it so far".into()),
    }
}
