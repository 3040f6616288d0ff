//! The view of a run: plain data with all sentences, tables and charts of the page. Templates only lay them
//! out.
//!
//! Each section of the page has its own file. This file assembles them.

mod context;
mod full;
mod kinds;
mod latency;
mod quality;
mod scaling;
mod server;
mod summary;
mod sweeps;
#[cfg(test)]
mod tests;
mod time;
mod trust;

use dyno_record::Profile;
use dyno_results::{Run, Summary, csv_of};
use dyno_stats::numbers::whole;
use serde::Serialize;
use serde_json::Value;

use crate::charts::Figure;
use crate::material::Material;
use crate::published::Published;
use crate::tables::Table;
use crate::translations::translations;
pub(crate) use context::{class_of, row_class};
pub(crate) use full::{on_frontier, with_reason};
pub(crate) use quality::scatter;

use context::{Section, SetContext};

/// A report: all that its page and its other forms show.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    pub(crate) campaign: String,
    pub(crate) profile: &'static str,
    /// Machine of the run, in a line.
    pub(crate) host: String,
    /// Day on which the run began, as 2026-11-21.
    pub(crate) date: Option<String>,
    pub(crate) version: &'static str,
    /// Reasons for and against trust in the figures.
    pub(crate) trust: Vec<trust::Trust>,
    /// One part for each test set.
    pub(crate) parts: Vec<Part>,
    /// Machine and parameters of the run.
    pub(crate) environment: Table,
    pub(crate) commands: Table,
    /// Instance whose price counts words per dollar.
    pub(crate) price: Option<String>,
    pub(crate) protocol: Value,
    /// Rows of `summary.csv`, to be saved.
    pub(crate) csv: String,
}

/// Findings on one test set.
#[derive(Debug, Serialize)]
pub struct Part {
    /// Name of the part in links.
    pub id: String,
    pub name: String,
    /// Size of the test set, in a line.
    pub size: String,
    /// Sentences that say which system to take.
    pub verdict: Vec<String>,
    /// What is unequal between the systems.
    pub remarks: Vec<String>,
    /// Chart of quality against the cost of the verdict.
    pub lead: Option<Figure>,
    pub legend: Vec<Value>,
    /// Systems on the frontier, by quality.
    pub choices: Table,
    /// Sections 2 to 5, and what translations keep.
    pub sections: Vec<Section>,
    /// Section 6, translations side by side.
    pub translations: Option<Value>,
    /// Table of section 7.
    pub full: Table,
    pub signatures: Vec<String>,
}

impl Report {
    /// The report on a run, with the points of papers under its charts.
    pub fn of(run: &Run, summary: &Summary, published: &[Published]) -> Self {
        let material = &Material::of(run, summary);
        let profile = run.records.first().map_or(Profile::Quick, |record| record.profile);
        let several = material.sets.len() > 1;
        let prefix = |i: usize| if several { format!("set{}-", i + 1) } else { String::new() };
        let sets = material.sets.iter().enumerate();
        let contexts: Vec<SetContext<'_>> =
            sets.map(|(i, set)| SetContext::of(material, set, prefix(i), published)).collect();
        Self {
            campaign: run.identity.campaign.clone(),
            profile: profile.name(),
            host: run.identity.host.line(),
            date: run.day(),
            version: env!("CARGO_PKG_VERSION"),
            trust: trust::trust(material, profile, &contexts),
            parts: contexts.iter().map(Part::of).collect(),
            environment: full::environment(material),
            commands: full::commands(material),
            price: summary.price.as_ref().map(|price| format!("{} {}", price.provider, price.instance)),
            protocol: full::protocol(profile),
            csv: csv_of(&summary.cells),
        }
    }

    /// All figures, in the page's order.
    pub(crate) fn drawn(&self) -> impl Iterator<Item = &Figure> {
        self.parts.iter().flat_map(|part| {
            part.lead.iter().chain(part.sections.iter().flat_map(|section| &section.figures))
        })
    }
}

impl Part {
    fn of(context: &SetContext<'_>) -> Self {
        let (lead, others) = quality::figures(context);
        let set = context.set;
        Self {
            id: format!("{}set", context.prefix),
            name: set.texts.name.clone(),
            size: format!(
                "{} lines, {} words",
                whole(set.texts.source.len() as f64),
                whole(set.texts.words() as f64)
            ),
            verdict: summary::verdict(context),
            remarks: summary::remarks(context),
            lead,
            legend: quality::legend(context),
            choices: summary::choices(context),
            sections: [others, latency::section(context), time::section(context), scaling::section(context)]
                .into_iter()
                .chain(kinds::section(context))
                .collect(),
            translations: translations(context.material, set, &context.translators),
            full: full::table(context),
            signatures: full::signatures(context.material.run, &set.texts.name),
        }
    }
}
