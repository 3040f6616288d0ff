//! Context of a part of the page: one test set, the questions that all its sections ask, and the form of a section.

use serde::Serialize;

use crate::charts::{Colour, Figure, shortened};
use crate::material::{Material, System};
use crate::published::Published;
use crate::tables::Table;
use dyno_record::{Track, Verdict};
use dyno_results::CellSummary;
use dyno_results::contest::{Contest, Set};
use dyno_stats::Standing;

/// A test set as its sections see it.
pub struct SetContext<'a> {
    pub material: &'a Material<'a>,
    pub set: &'a Set<'a>,
    /// Prefix of ids, which makes ids unique on the page.
    pub prefix: String,
    /// Systems that translate. Yardsticks and twins are in the full table alone.
    pub translators: Vec<usize>,
    /// Contest of the summary.
    pub contest: Option<Contest<'a>>,
    pub published: &'a [Published],
}

/// Figures and tables under one heading.
#[derive(Debug, Serialize)]
pub struct Section {
    /// Name of the section in links.
    pub id: &'static str,
    pub title: &'static str,
    pub figures: Vec<Figure>,
    pub tables: Vec<Table>,
    /// Reason for missing figures, or a remark.
    pub note: Option<String>,
}

impl<'a> SetContext<'a> {
    pub fn of(
        material: &'a Material<'a>,
        set: &'a Set<'a>,
        prefix: String,
        published: &'a [Published],
    ) -> Self {
        let translates = |&system: &usize| !material.systems[system].is_twin && !set.is_yardstick(system);
        let translators: Vec<usize> = (0..material.systems.len()).filter(translates).collect();
        let contest = Contest::primary(set, &translators);
        Self { material, set, prefix, translators, contest, published }
    }

    pub fn system(&self, system: usize) -> &System<'a> {
        &self.material.systems[system]
    }

    pub fn name(&self, system: usize) -> String {
        self.system(system).name.clone()
    }

    /// Name of a system inside a sentence, shortened, since a long one would hide the sentence.
    pub fn spoken(&self, system: usize) -> String {
        shortened(&self.system(system).name, 40)
    }

    /// Valid cells of translators in a track, those on the frontier first.
    pub fn cells(&self, track: Track) -> Vec<&'a CellSummary> {
        let valid = |cell: &&CellSummary| {
            cell.track == track && cell.verdict != Verdict::Invalid && self.translators.contains(&cell.place)
        };
        let mut cells: Vec<&CellSummary> = self.set.cells.iter().copied().filter(valid).collect();
        cells.sort_by_key(|cell| (self.is_off(cell.place), cell.place));
        cells
    }

    /// The valid cell of a translator in a track.
    pub fn cell(&self, system: usize, track: Track) -> Option<&'a CellSummary> {
        self.cells(track).into_iter().find(|cell| cell.place == system)
    }

    /// Whether a system is off the frontier of the summary's contest. Without a contest, no system is.
    pub fn is_off(&self, system: usize) -> bool {
        self.contest
            .as_ref()
            .is_some_and(|contest| matches!(contest.standing(system), None | Some(Standing::Off)))
    }

    /// Colour of a system: its family's, or grey off the frontier.
    pub fn colour(&self, system: usize) -> Colour {
        if self.is_off(system) { Colour::Grey } else { Colour::Of(self.system(system).family) }
    }

    /// Name and colour of a system.
    pub fn look(&self, system: usize) -> (String, Colour) {
        (self.name(system), self.colour(system))
    }

    /// Id that is unique on the page.
    pub fn id(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

/// CSS class of a row with that verdict and standing.
pub fn class_of(verdict: Verdict, standing: Option<Standing>) -> &'static str {
    if verdict == Verdict::Invalid { "invalid" } else { row_class(standing) }
}

/// CSS class of a table row.
pub const fn row_class(standing: Option<Standing>) -> &'static str {
    match standing {
        Some(Standing::Frontier) => "frontier",
        Some(Standing::Probably) => "probably",
        _ => "",
    }
}
