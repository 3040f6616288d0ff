//! Material of a report: a run and its summary, with its systems and test sets as sections ask for them.
//!
//! Measurements and judgements are those of `dyno-results`. Verdicts for the reader follow in `view`.

use std::str::FromStr;

use dyno_api::printable_line;
use dyno_record::identity::{Launch, RunSystem};
use dyno_results::contest::Set;
use dyno_results::{Run, Summary};

use super::charts::Family;

/// A run, as a page needs it.
pub struct Material<'a> {
    pub run: &'a Run,
    pub summary: &'a Summary,
    /// Systems, in the campaign's order.
    pub systems: Vec<System<'a>>,
    pub sets: Vec<Set<'a>>,
}

/// A system of the campaign.
pub struct System<'a> {
    /// Name of the system, in printable characters.
    pub name: String,
    pub family: Family,
    /// Whether the system is an earlier one under a second name, entered to measure the noise.
    pub is_twin: bool,
    /// Name of the sweep that the system is a part of.
    pub sweep: Option<String>,
    /// Settings that were varied, with their names.
    pub settings: Vec<(String, String)>,
    /// The campaign's description.
    pub described: &'a RunSystem,
}

impl<'a> Material<'a> {
    pub fn of(run: &'a Run, summary: &'a Summary) -> Self {
        let systems = run.identity.systems.iter().enumerate();
        Self {
            run,
            summary,
            systems: systems.map(|(i, described)| System::of(run, i, described)).collect(),
            sets: run.test_sets.iter().map(|texts| Set::of(run, summary, texts)).collect(),
        }
    }
}

impl<'a> System<'a> {
    fn of(run: &Run, index: usize, described: &'a RunSystem) -> Self {
        let settings = match &described.launch {
            Launch::Adapter(_) => Vec::new(), // its command shows them
            launch => launch.settings(),
        };
        Self {
            name: printable_line(&described.name),
            family: family_of(described),
            is_twin: run.systems()[..index].iter().any(|other| run.are_twins(other, &described.name)),
            sweep: described.sweep.as_deref().map(printable_line),
            settings,
            described,
        }
    }

    /// A setting, if it is a number.
    pub fn number<T: FromStr>(&self, name: &str) -> Option<T> {
        self.settings.iter().find(|(setting, _)| setting == name)?.1.parse().ok()
    }
}

/// Family of the engine of a system, as the run's identity describes it.
pub fn family_of(described: &RunSystem) -> Family {
    match &described.launch {
        Launch::BuiltIn { backend, .. } => Family::of_backend(backend),
        Launch::Plugin { .. } => Family::Plugin,
        Launch::Foreign { .. } | Launch::Adapter(_) | Launch::Submission(_) => Family::Program,
    }
}
