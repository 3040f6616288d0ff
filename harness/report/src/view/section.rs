//! Figures under one heading, and the legend of the lead chart.

use itertools::Itertools;
use serde::Serialize;
use serde_json::{Value, json};

use super::context::SetContext;
use crate::charts::{Figure, mark};
use crate::tables::Table;
use dyno_stats::Standing;

/// Figures under one heading.
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

/// Marks of the families with their names, then the looks of the standings that occur.
pub fn legend(context: &SetContext<'_>) -> Vec<Value> {
    let standings = || context.contest.iter().flat_map(|contest| contest.all()).map(|one| one.standing);
    let looks = [(Standing::Probably, "hollow: probably on the frontier"), (Standing::Off, "grey: off it")];
    let looks = looks.into_iter().filter(|(look, _)| standings().any(|standing| standing == *look));
    let families = context.translators.iter().map(|&system| context.system(system).family);
    let families = families.sorted().dedup();
    let families = families.map(|family| json!({"name": family.name(), "mark": mark(family)}));
    families.chain(looks.map(|(_, name)| json!({"name": name, "mark": ""}))).collect()
}
