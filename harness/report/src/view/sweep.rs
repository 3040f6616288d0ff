//! Maps in section 5: speed by beam and batch, where both were swept.

use super::context::SetContext;
use crate::charts::{Figure, Map};
use crate::material::System;
use crate::tables::{Field, Table};
use dyno_record::Track;
use dyno_stats::Estimate;
use dyno_stats::grouped;
use dyno_stats::numbers::supported;
use itertools::Itertools;

const BEAM: &str = "beam";
const BATCH: &str = "batch";

/// Systems that differ in beam and batch alone, with the values of both.
struct Sweep<'a> {
    context: &'a SetContext<'a>,
    /// Systems, each with its beam and batch.
    systems: Vec<(usize, [u32; 2])>,
    beams: Vec<u32>,
    batches: Vec<u32>,
}

/// Value and text of each measured pair: one row for each beam, one column for each batch.
type Fields = Vec<Vec<Option<(f64, String)>>>;

/// A map for each model whose beam and batch were swept.
pub(super) fn maps(context: &SetContext<'_>) -> Vec<Figure> {
    let swept = context.translators.iter().filter_map(|&system| {
        let of = |name| number(context.system(system), name);
        Some((system, [of(BEAM)?, of(BATCH)?]))
    });
    let sweeps = grouped(swept, |(a, _), (b, _)| same_sweep(context.system(*a), context.system(*b)));
    let map = |(i, systems)| Sweep::of(context, systems)?.figure(i + 1);
    sweeps.into_iter().enumerate().filter_map(map).collect()
}

/// A system's setting, if it is a number.
fn number(system: &System<'_>, name: &str) -> Option<u32> {
    system.settings.iter().find(|(setting, _)| setting == name)?.1.parse().ok()
}

/// Whether two systems differ in beam and batch alone.
fn same_sweep(a: &System<'_>, b: &System<'_>) -> bool {
    let others = |system: &System<'_>| {
        let mut others: Vec<_> =
            system.settings.iter().filter(|(name, _)| name != BEAM && name != BATCH).cloned().collect();
        others.sort();
        others
    };
    a.family == b.family && a.described.models == b.described.models && others(a) == others(b)
}

impl<'a> Sweep<'a> {
    /// The sweep of `systems`; `None` where beam or batch never varies.
    fn of(context: &'a SetContext<'a>, systems: Vec<(usize, [u32; 2])>) -> Option<Self> {
        let values =
            |at: usize| systems.iter().map(|(_, own)| own[at]).sorted().dedup().collect::<Vec<u32>>();
        let (beams, batches) = (values(0), values(1));
        (beams.len() > 1 && batches.len() > 1).then_some(Self { context, systems, beams, batches })
    }

    fn figure(&self, number: usize) -> Option<Figure> {
        let fields = self.fields();
        let (title, table) = (self.title()?, self.table(&fields));
        let texts = |values: &[u32]| values.iter().map(u32::to_string).collect::<Vec<_>>();
        let chart = Map {
            columns: (BATCH.into(), texts(&self.batches)),
            rows: (BEAM.into(), texts(&self.beams)),
            name: "words/s on one core".into(),
            fields,
        };
        let id = self.context.id(&format!("beam-batch-{number}"));
        let about = "Beam downwards, batch across; darker is faster.";
        Some(Figure::of(&chart, &id, title, about.into(), table))
    }

    fn fields(&self) -> Fields {
        let field = |beam, batch| {
            let speed = self.speed(self.at(beam, batch)?)?;
            Some((speed.value, supported(&speed)))
        };
        let row = |&beam: &u32| self.batches.iter().map(|&batch| field(beam, batch)).collect();
        self.beams.iter().map(row).collect()
    }

    /// The system of that beam and batch.
    fn at(&self, beam: u32, batch: u32) -> Option<usize> {
        self.systems.iter().find(|(_, own)| *own == [beam, batch]).map(|(system, _)| *system)
    }

    fn speed(&self, system: usize) -> Option<Estimate> {
        self.context.cell(system, Track::Throughput1)?.speed()
    }

    fn title(&self) -> Option<String> {
        let speeds = self.systems.iter().filter_map(|&(system, _)| Some((system, self.speed(system)?)));
        let (fastest, speed) = speeds.max_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
        let name = self.context.spoken(fastest);
        Some(format!("{name} is the fastest of its sweep, at {} words/s on one core", supported(&speed)))
    }

    fn table(&self, fields: &Fields) -> Table {
        Table::of("Words per second on one core by beam and batch", self.beams.iter().zip(fields))
            .column(BEAM, |(beam, _)| Field::text(beam.to_string()))
            .columns(
                self.batches.iter().enumerate(),
                |(_, batch)| format!("#batch {batch}"),
                |(at, _), (_, fields)| Field::maybe(fields[*at].as_ref(), |(_, text)| text.clone()),
            )
            .aligned()
    }
}
