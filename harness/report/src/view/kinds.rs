//! What translations keep, by kind: shares of all systems, and lines where something was lost.

use super::context::{Section, SetContext};
use crate::sentences::beginning;
use crate::tables::{Field, Table};
use dyno_results::kinds::{Counter, Kept, Kind, Languages, Loss};

/// Examples of each kind, each of another system: enough to see what a share is made of.
const EXAMPLES: usize = 3;

/// The section; `None` without answers of translators.
pub fn section(context: &SetContext<'_>) -> Option<Section> {
    let shares = shares(context);
    let tables = [shares, examples(context)].into_iter().filter(|table| !table.rows.is_empty());
    let tables: Vec<Table> = tables.collect();
    let note = "Counted by rules, without a model. Names are those that a reference copies. The last three columns count \
                lines: those of a fit length, without a loop, without a word left in the source's language. What an \
                answer adds isn't counted.";
    (!tables.is_empty()).then(|| Section {
        id: "kinds",
        title: "What the translations keep",
        figures: Vec::new(),
        tables,
        note: Some(note.into()),
    })
}

/// Systems with answers: translators and yardsticks, which show what a copy of the source keeps.
fn systems(context: &SetContext<'_>) -> impl Iterator<Item = usize> {
    let all = 0..context.material.systems.len();
    all.filter(|&system| !context.system(system).is_twin && kept(context, system, Kind::Length).is_some())
}

fn kept(context: &SetContext<'_>, system: usize, kind: Kind) -> Option<Kept> {
    let counts = &context.set.translated(system)?.kinds;
    counts.iter().find(|count| count.kind == kind).map(|count| count.kept)
}

/// Share that each system keeps of each kind. The first row says of how many.
fn shares(context: &SetContext<'_>) -> Table {
    let names = Kind::ALL.map(|kind| format!("#{} %", kind.text()));
    let heads: Vec<&str> = ["system"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let mut table = Table::new("Share that is kept of what the source holds", &heads);
    for system in systems(context) {
        if table.rows.is_empty() {
            let found =
                |kind| Field::text(kept(context, system, kind).map_or(0, |kept| kept.found).to_string());
            table.push("", [Field::text("(items in the source)")].into_iter().chain(Kind::ALL.map(found)));
        }
        let share = |kind| {
            let share = kept(context, system, kind).and_then(Kept::share);
            Field::maybe(share.map(|share| share * 100.0), |percent| format!("{percent:.1}"))
        };
        table.push("", [Field::text(context.name(system))].into_iter().chain(Kind::ALL.map(share)));
    }
    table
}

/// Lines where translators have lost something, of each kind. A system is looked at only for kinds that lack
/// examples.
fn examples(context: &SetContext<'_>) -> Table {
    let mut shown: [Vec<(usize, Loss)>; Kind::ALL.len()] = Kind::ALL.map(|_| Vec::new());
    let set = context.set.texts;
    let mut counter = Counter::new(set, Languages::of(set, &context.material.run.metrics));
    for &system in &context.translators {
        let lacks = |(kind, shown): (Kind, &Vec<_>)| {
            shown.len() < EXAMPLES && kept(context, system, kind).is_some_and(|kept| kept.lost() > 0)
        };
        if Kind::ALL.into_iter().zip(&shown).any(lacks) {
            let lost = counter.losses(context.set.answers(system).map_or(&[], Vec::as_slice));
            shown.iter_mut().zip(lost).for_each(|(shown, lost)| add(shown, system, &lost));
        }
    }
    let shown = Kind::ALL.into_iter().zip(shown);
    let all =
        shown.flat_map(|(kind, shown)| shown.into_iter().map(move |(system, loss)| (kind, system, loss)));
    Table::of("Lines where something was lost", all)
        .column("lost", |(kind, ..)| Field::text(kind.text()))
        .column("system", |(_, system, _)| Field::text(context.name(*system)))
        .column("#line", |(.., loss)| Field::text((loss.line + 1).to_string()))
        .column("kept", |(.., loss)| Field::text(format!("{} of {}", loss.kept.kept, loss.kept.found)))
        .column("source", |(.., loss)| {
            Field::text(beginning(&String::from_utf8_lossy(&set.source[loss.line])))
        })
        .column("answer", |(_, system, loss)| {
            let answers = context.set.answers(*system);
            Field::text(beginning(answers.map_or("", |answers| answers[loss.line].as_str())))
        })
        .table()
}

/// Adds the greatest loss of a system on a line that no other system shows.
fn add(shown: &mut Vec<(usize, Loss)>, system: usize, lost: &[Loss]) {
    let is_new = |loss: &&Loss| shown.iter().all(|(_, other)| other.line != loss.line);
    let first = lost.iter().find(is_new).filter(|_| shown.len() < EXAMPLES);
    shown.extend(first.map(|loss| (system, *loss)));
}
