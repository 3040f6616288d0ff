//! From a run to what the page says: plain data, every judgement made, every sentence written. The templates only
//! set it.

mod full;
mod latency;
mod quality;
mod scaling;
mod summary;
mod sweep;
#[cfg(test)]
mod tests;
mod time;

use serde::Serialize;

use super::charts::{Colour, Family, Figure, mark, shortened};
use super::cost::Contest;
use super::material::{Cell, Material, Set, System};
use super::published::Published;
use super::tables::Table;
use super::translations::{Translations, translations};
use dyno_measure::{Track, Verdict};
use dyno_stats::Standing;

/// A page.
#[derive(Debug, Serialize)]
pub struct View {
    /// The campaign's name.
    pub campaign: String,
    /// The run's key.
    pub key: String,
    /// How thorough.
    pub profile: &'static str,
    /// Where, in a line.
    pub host: String,
    /// The day on which it began, as 2026-11-21.
    pub date: Option<String>,
    /// Of dyno.
    pub version: &'static str,
    /// Whether to trust it.
    pub trust: Vec<summary::Trust>,
    /// One a test set.
    pub parts: Vec<Part>,
    /// The machine and the run's parameters.
    pub environment: Table,
    /// What was run.
    pub commands: Table,
    /// The instance by which words per dollar are counted.
    pub price: Option<String>,
    /// Rounds a cell, and how surely their interval covers the true median.
    pub protocol: full::Protocol,
    /// The run's table as CSV, to be saved.
    pub csv: String,
}

/// What was found on one test set.
#[derive(Debug, Serialize)]
pub struct Part {
    /// Name in links.
    pub id: String,
    /// The test set.
    pub name: String,
    /// Its size, in a line.
    pub size: String,
    /// What to take.
    pub verdict: Vec<String>,
    /// Quality against the cost that the verdict speaks of.
    pub lead: Option<Figure>,
    /// What marks on that chart mean.
    pub legend: Vec<Legend>,
    /// What to take for which quality.
    pub choices: Table,
    /// Sections 2 to 5.
    pub sections: Vec<Section>,
    /// Section 6.
    pub translations: Option<Translations>,
    /// Section 7's table.
    pub full: Table,
    /// How quality was computed.
    pub signatures: Vec<String>,
}

/// A mark, or a look, with its meaning.
#[derive(Debug, Serialize)]
pub struct Legend {
    name: &'static str,
    mark: String,
}

/// Figures under one heading.
#[derive(Debug, Serialize)]
pub struct Section {
    /// Name in links.
    pub id: &'static str,
    /// The heading.
    pub title: &'static str,
    /// The figures.
    pub figures: Vec<Figure>,
    /// Why there is none, or what else is to be said.
    pub note: Option<String>,
}

/// A test set with what every section asks about it.
struct Scene<'a> {
    material: &'a Material,
    set: &'a Set,
    /// In front of ids, so that they are the page's only ones.
    prefix: String,
    /// Systems that translate; yardsticks and twins stand in the full table alone.
    translators: Vec<usize>,
    /// The contest that the summary speaks of.
    contest: Option<Contest<'a>>,
    published: &'a [Published],
}

impl View {
    /// Makes the view of a run.
    pub fn of(material: &Material, published: &[Published]) -> Self {
        let several = material.sets.len() > 1;
        let scenes: Vec<Scene<'_>> = material
            .sets
            .iter()
            .enumerate()
            .map(|(i, set)| {
                Scene::of(
                    material,
                    set,
                    if several { format!("set{}-", i + 1) } else { String::new() },
                    published,
                )
            })
            .collect();
        Self {
            campaign: material.campaign.clone(),
            key: material.key.clone(),
            profile: material.profile.name(),
            host: full::host_line(material),
            date: material.date.clone(),
            version: env!("CARGO_PKG_VERSION"),
            trust: summary::trust(material, &scenes),
            parts: scenes.iter().map(Scene::part).collect(),
            environment: full::environment(material),
            commands: full::commands(material),
            price: material.price.as_ref().map(|price| format!("{} {}", price.provider, price.instance)),
            protocol: full::Protocol::of(material.profile),
            csv: full::csv(&scenes),
        }
    }

    /// A view of no test set, for tests of what a view is set into.
    #[cfg(test)]
    pub fn of_nothing() -> Self {
        Self {
            campaign: "nothing".into(),
            key: String::new(),
            profile: "quick",
            host: String::new(),
            date: None,
            version: "",
            trust: Vec::new(),
            parts: Vec::new(),
            environment: Table::default(),
            commands: Table::default(),
            price: None,
            protocol: full::Protocol::of(dyno_measure::Profile::Quick),
            csv: String::new(),
        }
    }

    /// All figures, in the page's order.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.parts.iter().flat_map(|part| {
            part.lead.iter().chain(part.sections.iter().flat_map(|section| &section.figures))
        })
    }
}

impl<'a> Scene<'a> {
    fn of(material: &'a Material, set: &'a Set, prefix: String, published: &'a [Published]) -> Self {
        let translates = |&system: &usize| {
            !material.systems[system].is_twin && !set.is_yardstick(system, &material.outputs)
        };
        let translators: Vec<usize> = (0..material.systems.len()).filter(translates).collect();
        let contest = Contest::primary(set, &translators);
        Self { material, set, prefix, translators, contest, published }
    }

    fn part(&self) -> Part {
        let (lead, others) = quality::figures(self);
        Part {
            id: format!("{}set", self.prefix),
            name: self.set.name.clone(),
            size: format!(
                "{} lines, {} words",
                dyno_stats::numbers::count(self.set.lines),
                dyno_stats::numbers::count(self.set.words)
            ),
            verdict: summary::verdict(self),
            lead,
            legend: self.legend(),
            choices: summary::choices(self),
            sections: vec![others, latency::section(self), time::section(self), scaling::section(self)],
            translations: translations(self.material, self.set, &self.translators),
            full: full::table(self),
            signatures: self.set.signatures.clone(),
        }
    }

    /// The families with their marks, and of the looks of standing those that occur.
    fn legend(&self) -> Vec<Legend> {
        let standings =
            || self.contest.iter().flat_map(|contest| &contest.contestants).map(|one| one.standing);
        let looks =
            [(Standing::Probably, "hollow: probably on the frontier"), (Standing::Off, "grey: off it")];
        let looks = looks.into_iter().filter(|(look, _)| standings().any(|standing| standing == *look));
        let mut families: Vec<Family> =
            self.translators.iter().map(|&system| self.system(system).family).collect();
        families.sort();
        families.dedup();
        let families = families.into_iter().map(|family| Legend { name: family.name(), mark: mark(family) });
        families.chain(looks.map(|(_, name)| Legend { name, mark: String::new() })).collect()
    }

    fn system(&self, system: usize) -> &System {
        &self.material.systems[system]
    }

    fn name(&self, system: usize) -> String {
        self.system(system).name.clone()
    }

    /// A name inside a sentence: a long one would drown it.
    fn spoken(&self, system: usize) -> String {
        shortened(&self.system(system).name, 40)
    }

    /// The valid cells of a track whose systems translate; those on the frontier first.
    fn cells(&self, track: Track) -> Vec<&Cell> {
        let valid = |cell: &&Cell| {
            cell.track == track && cell.verdict != Verdict::Invalid && self.translators.contains(&cell.system)
        };
        let mut cells: Vec<&Cell> = self.set.cells.iter().filter(valid).collect();
        cells.sort_by_key(|cell| (self.is_off(cell.system), cell.system));
        cells
    }

    /// Whether a system is off the frontier of the summary's contest. Where there is no contest, nobody is.
    fn is_off(&self, system: usize) -> bool {
        self.contest
            .as_ref()
            .is_some_and(|contest| matches!(contest.standing(system), None | Some(Standing::Off)))
    }

    fn colour(&self, system: usize) -> Colour {
        if self.is_off(system) { Colour::Grey } else { Colour::Of(self.system(system).family) }
    }

    fn id(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

/// How a row looks.
const fn row_class(standing: Option<Standing>) -> &'static str {
    match standing {
        Some(Standing::Frontier) => "frontier",
        Some(Standing::Probably) => "probably",
        _ => "",
    }
}
