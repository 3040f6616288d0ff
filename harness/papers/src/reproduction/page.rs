//! A reproduction as a section of a page, as Markdown, and as SVG files.

use serde_json::{Value, json};

use super::claim::claims_table;
use super::claims::claims;
use super::cover::cover;
use super::notes::{Notes, all_findings, caveats, conditions, findings, missing, source, title};
use super::rows::Reproduction;
use super::side_by_side::SideBySide;
use super::table::whole;
use super::{chart, map, time};
use dyno_report::Result;
use dyno_report::charts::Figure;
use dyno_report::document;
use dyno_report::{Table, inline};

const TEMPLATE: &str = include_str!("../../../../templates/reproduce.html");

/// Figures of a reproduction, if the paper's table is a figure.
fn drawn(reproduction: &Reproduction) -> Vec<Figure> {
    let maps = map::figure(reproduction).into_iter();
    chart::figure(reproduction).into_iter().chain(maps).chain(time::figures(reproduction)).collect()
}

/// Names and contents of the figures as SVG files that stand alone, on a light and on a dark ground.
pub fn figures(reproductions: &[Reproduction]) -> Vec<(String, String)> {
    let files = |figure: Figure| {
        [(format!("{}.svg", figure.id), figure.paper), (format!("{}-dark.svg", figure.id), figure.paper_dark)]
    };
    reproductions.iter().flat_map(drawn).flat_map(files).collect()
}

/// A reproduction in GitHub's Markdown.
pub fn markdown(reproduction: &Reproduction) -> String {
    let table = whole(reproduction);
    let grid = if table.rows.is_empty() { String::new() } else { table.to_markdown() + "\n" };
    let said = [source(reproduction)].into_iter().chain(all_findings(reproduction));
    let said: String = said.map(|line| inline(&line) + "\n\n").collect();
    let text = |groups: Vec<Notes>| groups.iter().map(list).collect::<String>();
    let (before, after) = (text(caveats(reproduction)), text(missing(reproduction)));
    let times: Vec<Table> = time::tables(reproduction);
    let times = times.iter().map(|table| format!("{}\n\n{}\n", table.caption, table.to_markdown()));
    let title = inline(&title(reproduction));
    format!("### {title}\n\n{before}{said}{grid}{}{after}", times.collect::<String>())
}

fn list(notes: &Notes) -> String {
    let lines = notes.lines.iter().map(|line| format!("- {}\n", inline(line)));
    format!("**{}**\n\n{}\n", notes.about, lines.collect::<String>())
}

fn claims_of(reproduction: &Reproduction) -> Table {
    let claims: Vec<_> = claims(reproduction).into_iter().map(|claim| (claim.what.clone(), claim)).collect();
    claims_table("Claims of the paper", &claims)
}

/// All reproductions on one offline page.
pub fn page(reproductions: &[Reproduction]) -> Result<String> {
    document_of(reproductions, None)
}

/// The page on all papers: our engines beside others, a head with the headline factors and every numbered table and
/// figure, then the reproductions.
pub fn papers_page(
    reproductions: &[Reproduction],
    conditions: &[String],
    beside: Option<&SideBySide>,
) -> Result<String> {
    document_of(reproductions, Some(cover(reproductions, conditions, beside)))
}

fn document_of(reproductions: &[Reproduction], cover: Option<Value>) -> Result<String> {
    let paper = |at: usize| reproductions.get(at).map(|reproduction| &reproduction.table.title);
    let section = |(at, reproduction): (usize, &Reproduction)| {
        // A paper is named where its tables begin.
        let was_named = at.checked_sub(1).and_then(paper) == paper(at);
        json!({
            "id": reproduction.table.id,
            "title": title(reproduction),
            "source": if was_named { conditions(reproduction) } else { source(reproduction) },
            "findings": findings(reproduction),
            "claims": claims_of(reproduction),
            "figures": drawn(reproduction),
            "table": whole(reproduction),
            "caveats": caveats(reproduction),
            "missing": missing(reproduction),
        })
    };
    let sections: Vec<Value> = reproductions.iter().enumerate().map(section).collect();
    document("reproduce.html", TEMPLATE, &json!({ "sections": sections, "cover": cover }))
}
