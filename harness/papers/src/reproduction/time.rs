//! A paper's breakdown of time, drawn again: the time of each network by component and by operator, as the
//! engines account for it.

use super::rows::{Reproduction, Row};
use dyno_report::Table;
use dyno_report::charts::{Colour, Family, Figure};
use dyno_report::shares::{self, Account};
use dyno_results::CellBreakdown;

/// The figures, if the table is such a figure and its networks account for their time.
pub(super) fn figures(reproduction: &Reproduction) -> Vec<Figure> {
    let told: Vec<(&Row, &CellBreakdown)> =
        reproduction.rows.iter().filter_map(|row| Some((row, row.time.as_ref()?))).collect();
    let accounts: Vec<Account<'_>> = told.iter().map(|(row, told)| account(row, told)).collect();
    let id = |by: &str| format!("{}-{by}", reproduction.table.id);
    let splits = reproduction.table.splits.iter().map(|split| id(split.name()));
    let wanted: Vec<String> = splits.collect();
    let all = told.first().map_or_else(Vec::new, |(_, first)| shares::figures(first.track, &accounts, id));
    all.into_iter().filter(|figure| wanted.contains(&figure.id)).collect()
}

fn account<'a>(row: &'a Row, told: &'a CellBreakdown) -> Account<'a> {
    let family = row.backend.as_deref().map_or(Family::Program, Family::of_backend);
    Account { system: &row.name, colour: Colour::Of(family), breakdown: &told.breakdown }
}

/// Numbers of the figures as tables with one row for each part, since a terminal is too narrow for columns.
pub fn tables(reproduction: &Reproduction) -> Vec<Table> {
    figures(reproduction).into_iter().map(|figure| figure.table.transposed()).collect()
}

#[cfg(test)]
mod tests {
    use dyno_api::Breakdown;

    use super::super::measured::Measured;
    use super::*;
    use crate::tables as papers;
    use dyno_record::Track;

    #[test]
    fn networks_that_told_of_their_time_stand_beside_each_other() {
        let table = papers::tables().unwrap().into_iter().find(|table| table.id == "opennmt-fig2").unwrap();
        let mut reproduction = Reproduction::of(&table, Measured::default());
        assert!(figures(&reproduction).is_empty(), "nothing was measured");
        for (row, encoder) in reproduction.rows.iter_mut().zip([6, 1]) {
            let components = [("encoder".into(), encoder), ("output".into(), 2)].into();
            let breakdown = Breakdown { components, ..Breakdown::default() };
            let (system, test_set) = (row.name.clone(), "lines".into());
            row.time = Some(CellBreakdown { system, test_set, track: Track::Throughput1, breakdown });
        }
        let figures = figures(&reproduction);
        assert_eq!(figures.iter().map(|figure| &figure.id).collect::<Vec<_>>(), ["opennmt-fig2-component"]);
        assert!(figures[0].title.starts_with("encoder takes 75 % of small-1's time"), "{}", figures[0].title);
        let parts = tables(&reproduction).remove(0);
        let heads: Vec<&str> = parts.heads.iter().map(|head| head.text.as_str()).collect();
        assert_eq!(heads, ["", "small-1", "small-2"]);
        let texts = |row: usize| parts.rows[row].fields.iter().map(|field| field.text.as_str());
        assert_eq!(texts(0).collect::<Vec<_>>(), ["encoder %", "75.0", "33.3"]);
        assert_eq!(texts(1).collect::<Vec<_>>(), ["output %", "25.0", "66.7"]);
    }
}
