//! The publication of the page on all papers: a folder with the page, its claims as JSON, the figures and the
//! records.

use std::path::{Path, PathBuf};

use anyhow::Context;
use dyno_measure::host;
use dyno_papers::Table;
use dyno_papers::reproduction::{
    Reproduction, SideBySide, claims, figures, headlines, papers_page, verdicts,
};
use dyno_report::{PAPERS, between};
use dyno_results::store::files::{write_json, write_whole};
use dyno_results::{Summary, newest};
use serde_json::json;

use super::collected::{Collected, RECORDS, collect};
use crate::cli::papers::ReproduceArgs;
use crate::exit::{Exit, Outcome};
use crate::output::print;
use crate::page::{from_readme, link, read_readme, without_markers, write_figures};
use crate::publication::{self, FIGURES, PrivateFolders, Source, files_of, name};

const PAGE: &str = "index.html";

/// Campaign of our engines beside others on the same weights.
const SIDE_BY_SIDE: &str = "published";

/// End of the name of a publication whose records are all those of earlier ones.
const AGAIN: &str = "-judged-again";

/// Publishes what was measured for the papers in a new folder, completely or not at all; then links it from the README.
/// Records of earlier publications stay there.
pub fn publish(args: &ReproduceArgs) -> Outcome {
    let (to, readme) = (args.to.as_path(), args.readme.as_deref());
    let host = host::detect()?;
    let collected = collect(&dyno_papers::tables()?, &host, to)?;
    let day = collected.day.clone().unwrap_or_else(|| "unmeasured".into());
    let again = if collected.is_measured_here() || collected.earlier.is_empty() { "" } else { AGAIN };
    let place = to.join(name(&day, &host, args.label.as_deref())? + again);
    if place.exists() {
        let remedy =
            "choose a name with --as NAME, or another folder with --to; dyno never overwrites a publication";
        refuse!("{} exists already; {remedy}", place.display());
    }
    let updated = |readme| linked(readme, &place, &collected.reproductions, &day).map(|text| (readme, text));
    let readme: Option<(&Path, String)> = readme.map(updated).transpose()?;
    let runs = collected.runs.values().map(PathBuf::as_path);
    let (sources, private) = (sources(&collected)?, PrivateFolders::of_this_host(runs)?);
    let (records, beside) = (records(&collected, &place)?, side_by_side(to, &place)?);
    publication::publish(&sources, (to, &place), readme, |folder| {
        let mut runs = collected.runs.keys().map(|name| folder.join(RECORDS).join(name));
        runs.try_for_each(|run| private.shorten_in(&run))?;
        write(&collected, &records, beside.as_ref(), folder)
    })?;
    print(&format!("{}\n", place.join(PAGE).display()))?;
    Ok(Exit::Done)
}

/// Files of the runs and of the products that were measured here, each with its path in the publication.
fn sources(collected: &Collected) -> Outcome<Vec<Source>> {
    let mut sources = Vec::new();
    for (name, run) in &collected.runs {
        let to = Path::new(RECORDS).join(name);
        sources.extend(files_of(run)?.into_iter().map(|file| (run.join(&file), to.join(&file))));
    }
    let products = collected.products.iter().filter_map(|path| Some((path, path.file_name()?)));
    sources.extend(products.map(|(path, name)| (path.clone(), Path::new(RECORDS).join(name))));
    Ok(sources)
}

/// Sentences that say where the records lie, with links from the publication at `place`.
fn records(collected: &Collected, place: &Path) -> Outcome<Vec<String>> {
    let held = "hold the run of each campaign, and the speeds of products alone.";
    let here = collected.is_measured_here().then(|| format!("[Its records]({RECORDS}) {held}"));
    let readme = place.join("README.md");
    let of_earlier = |(records, names): (&PathBuf, &Vec<String>)| {
        let link = link(&from_readme(&readme, records)?);
        Ok(format!("[Records of an earlier publication]({link}) hold {}.", names.join(", ")))
    };
    here.into_iter().map(Ok).chain(collected.earlier.iter().map(of_earlier)).collect()
}

/// Our engines beside others, by the newest published run beside the folder `to`, with a link from the publication at
/// `place`.
fn side_by_side(to: &Path, place: &Path) -> Outcome<Option<SideBySide>> {
    let to = std::path::absolute(to)?;
    let results = to.parent().unwrap_or(&to);
    let Some((folder, run)) = newest(results, SIDE_BY_SIDE)? else {
        say!("note: {} has no run of {SIDE_BY_SIDE:?}, so no other engine is on the page", results.display());
        return Ok(None);
    };
    let link = link(&from_readme(&place.join(PAGE), &folder.join("report.html"))?);
    Ok(SideBySide::of(&run, &Summary::of(&run), link))
}

/// Writes the page and what belongs to it; `records` says where the records lie.
fn write(
    collected: &Collected,
    records: &[String],
    beside: Option<&SideBySide>,
    folder: &Path,
) -> Outcome<()> {
    let Collected { reproductions, conditions, .. } = collected;
    write_whole(&folder.join(PAGE), papers_page(reproductions, conditions, beside)?.as_bytes())?;
    let told = |table: &Reproduction| {
        let Table { id, paper, place, .. } = &table.table;
        json!({"id": id, "paper": paper, "place": place, "claims": claims(table)})
    };
    let told: Vec<_> = reproductions.iter().map(told).collect();
    write_json(&folder.join("claims.json"), &json!({"conditions": conditions, "tables": told}))?;
    write_figures(figures(reproductions), &folder.join(FIGURES))?;
    let readme = folder.join("README.md");
    let text = readme_text(reproductions, conditions, records, beside);
    write_whole(&readme, text.as_bytes()).with_context(|| readme.display().to_string())?;
    Ok(())
}

fn readme_text(
    reproductions: &[Reproduction],
    conditions: &[String],
    records: &[String],
    beside: Option<&SideBySide>,
) -> String {
    let ([_, verdicts], table) = (verdicts(reproductions), headlines(reproductions));
    let told = |beside: &SideBySide| {
        let (said, link, table) = (beside.sentences.join("\n"), &beside.link, beside.table.to_markdown());
        format!("{said}\n[The whole comparison]({link}).\n\n{table}\n")
    };
    let beside = beside.map(told).unwrap_or_default();
    format!(
        "# The papers' tables, measured again\n\n{beside}All claims: {verdicts}.\n{}\n\n{}\n\n{}\n\
         [The page]({PAGE}) has the papers' claims beside ours; `claims.json` has the same.\n\
         {}\n\
         Written by `dyno reproduce --all --publish`.\n",
        conditions.join("\n"),
        table.caption,
        table.to_markdown(),
        records.join("\n")
    )
}

/// The text of `readme` with a link to the publication at `place` between its markers.
fn linked(readme: &Path, place: &Path, reproductions: &[Reproduction], day: &str) -> Outcome<String> {
    let text = read_readme(readme)?;
    let page = link(&from_readme(readme, &place.join("README.md"))?);
    let [headlines, all] = verdicts(reproductions);
    let new = format!(
        "[The tables of five papers, measured again]({page}) ({day}). Their headline factors: {headlines}.\n\
         All their claims: {all}.\n"
    );
    between(&text, PAPERS, &new)
        .ok_or_else(|| without_markers(readme, PAPERS, "the link to the papers belongs"))
}
