//! The head of the page on all papers: the headline factors, and every numbered table and figure with the
//! number of its claims by verdict.

use serde_json::{Value, json};

use super::claim::{Claim, claims_table};
use super::claims::claims;
use super::rows::Reproduction;
use super::side_by_side::SideBySide;
use super::verdict::Verdict;
use dyno_report::{Field, Table};

/// What the headline factors depend on beside the engines; the tables tell it with figures.
const CAVEAT: &str = "Factors over MKL are greater on AMD's processors, since MKL chooses its code by the processor's \
                      maker. Integers use AVX-512 VNNI where the processor has it; the papers' processors lack it.";

/// The head over `reproductions`: ours `beside` other engines, sentences, the claims on which the papers' abstracts and
/// conclusions rest, and every numbered table and figure. `conditions` say where and how ours were measured.
pub(super) fn cover(
    reproductions: &[Reproduction],
    conditions: &[String],
    beside: Option<&SideBySide>,
) -> Value {
    let all = judged(reproductions);
    json!({
        "beside": beside,
        "sentences": sentences(&all, conditions), "headlines": headline_table(&all), "places": places(&all),
    })
}

/// The papers' headline factors beside ours.
pub fn headlines(reproductions: &[Reproduction]) -> Table {
    headline_table(&judged(reproductions))
}

/// Number of claims by verdict, in words: of the headline factors, then of all claims.
pub fn verdicts(reproductions: &[Reproduction]) -> [String; 2] {
    let all = judged(reproductions);
    let claims = || all.iter().flat_map(|(_, claims)| claims);
    [counted(claims().filter(|claim| claim.headline)), counted(claims())]
}

fn judged(reproductions: &[Reproduction]) -> Vec<(&Reproduction, Vec<Claim>)> {
    reproductions.iter().map(|reproduction| (reproduction, claims(reproduction))).collect()
}

/// Verdicts that occur, with their number.
fn counted<'a>(claims: impl Iterator<Item = &'a Claim> + Clone) -> String {
    let counts = Verdict::KINDS.map(|kind| (kind, count(claims.clone(), kind)));
    let counted = counts.into_iter().filter(|(_, count)| *count > 0);
    let several = |kind| match kind {
        "agrees" => "agree",
        "differs" => "differ",
        kind => kind,
    };
    counted.map(|(kind, count)| format!("{count} {}", several(kind))).collect::<Vec<_>>().join(", ")
}

fn sentences(all: &[(&Reproduction, Vec<Claim>)], conditions: &[String]) -> Vec<String> {
    let claims = || all.iter().flat_map(|(_, claims)| claims);
    let verdicts = format!("{} claims: {}.", claims().count(), counted(claims()));
    let drawn = "Models with drawn weights have the papers' dimensions and show speed and size only. Their \
                 translations mean nothing, and their BLEU isn't printed. Quality is that of the trained \
                 models that ship with dyno, where a table names them.";
    let judged = "Exceeded: our whole interval, the least to the most of the rounds, is better than the \
                  paper's speed-up. Reached: our median is the paper's figure, or better. Agrees: our median of \
                  a ratio of costs and the paper's differ by a factor of 1.10 at most, sizes of networks by 1.05. A speed-up \
                  over a library's products is judged over that library's alone; a quality by 1,000 lines at least.";
    let settings = "Settings of one claim, such as numbers of threads, are one line with the worst verdict.";
    let ours = conditions.iter().cloned();
    ours.chain([drawn, judged, settings].map(Into::into)).chain([verdicts]).collect()
}

/// Number of claims with that kind of verdict.
fn count<'a>(claims: impl Iterator<Item = &'a Claim>, kind: &str) -> usize {
    claims.filter(|claim| claim.verdict.kind() == kind).count()
}

fn headline_table(all: &[(&Reproduction, Vec<Claim>)]) -> Table {
    let placed = |(reproduction, claims): &(&Reproduction, Vec<Claim>)| {
        let table = &reproduction.table;
        let profile = reproduction.profile.map(|profile| format!(", {profile} profile"));
        let place = format!("{}, {}{}", table.paper, table.place, profile.unwrap_or_default());
        let headlines = claims.iter().filter(|claim| claim.headline).cloned();
        headlines.map(|claim| (format!("{place}: {}", claim.what), claim)).collect::<Vec<_>>()
    };
    let caption = format!("Headline factors of the papers. {CAVEAT}");
    claims_table(&caption, &all.iter().flat_map(placed).collect::<Vec<_>>())
}

fn places(all: &[(&Reproduction, Vec<Claim>)]) -> Table {
    let all = all.iter().map(|(reproduction, claims)| (&reproduction.table, claims));
    Table::of("Every numbered table and figure, with the number of its claims by verdict", all)
        .column("paper", |(table, _)| Field::text(&table.paper))
        .column("place", |(table, _)| Field::text(&table.place).linked(Some(format!("#{}", table.id))))
        .columns(
            Verdict::KINDS,
            |kind| format!("#{kind}"),
            |kind, (_, claims)| match count(claims.iter(), kind) {
                0 => Field::none(),
                count => Field::text(count.to_string()),
            },
        )
        .column("content", |(table, _)| Field::text(&table.about))
        .table()
}

#[cfg(test)]
mod tests {
    use super::super::measured::Measured;
    use super::*;
    use crate::tables::tables;

    fn unmeasured() -> Vec<Reproduction> {
        let tables = tables().unwrap();
        tables.iter().map(|table| Reproduction::of(table, Measured::default())).collect()
    }

    /// Numbered tables and figures of the papers, counted in the papers themselves.
    const NUMBERED: [(&str, usize, usize); 5] = [
        ("Devlin 2017", 2, 1),
        ("Marian 2018", 4, 2),
        ("OpenNMT 2018", 3, 3),
        ("HW-TSC 2021", 3, 1),
        ("Dice & Kogan 2021", 7, 4),
    ];

    #[test]
    fn no_numbered_table_or_figure_is_silently_absent() {
        let all = unmeasured();
        let places = places(&judged(&all));
        for (paper, tables, figures) in NUMBERED {
            let numbered =
                |kind: &'static str, most| (1..=most).map(move |number| format!("{kind} {number}"));
            for place in numbered("table", tables).chain(numbered("figure", figures)) {
                let text = |fields: &[Field], at: usize| fields[at].text.clone();
                let is_it = |fields: &[Field]| text(fields, 0) == paper && text(fields, 1) == place;
                let row = places.rows.iter().find(|row| is_it(&row.fields));
                let row = row.unwrap_or_else(|| panic!("{paper}, {place}"));
                let says = row.fields[2..].iter().any(|count| count.text.parse::<usize>().is_ok());
                // The training data of HW-TSC are no claim. OpenNMT's figure 1 has a table of its own, by its programs.
                let has_none = [
                    "HW-TSC 2021, table 1",
                    "OpenNMT 2018, table 2",
                    "OpenNMT 2018, figure 1",
                    "Marian 2018, figure 2",
                ];
                let is_without = has_none.contains(&format!("{paper}, {place}").as_str());
                assert_eq!(says, !is_without, "{paper}, {place}");
            }
        }
    }

    #[test]
    fn the_headlines_are_those_of_the_abstracts() {
        let headlines = headlines(&unmeasured());
        let printed: Vec<&str> = headlines.rows.iter().map(|row| row.fields[1].text.as_str()).collect();
        // Printed, 1018.8 / 572.9, 397.5 / 273.2, 506.67 / 99.81, 11279.97 / 99.81 (“110x” in the conclusion); then
        // 815 / 237, 1158 / 411, 2096 / 1000 and 379 / 160.
        assert_eq!(
            printed,
            ["4.37×", "1.78×", "1.45×", "5.08×", "113.01×", "3.44×", "2.82×", "2.10×", "2.37×"]
        );
    }
}
