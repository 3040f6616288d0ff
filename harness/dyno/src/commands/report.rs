//! `dyno report`: the HTML page on a run, its figures and its tables.

use dyno_report::{Published, Report, published};
use dyno_results::store::files::write_whole;
use dyno_results::{Run, Summary};
use serde_json::json;

use crate::cli::ReportArgs;
use crate::exit::{Exit, Outcome, bad_input};
use crate::output::{print, print_json, say, warn_of_look_alikes};
use crate::page::{NAME, readme_with, write, write_figures};

/// Writes or prints the report on the run of `args`.
pub fn report(args: &ReportArgs) -> Outcome {
    let run = Run::read(&args.run)?;
    warn_of_look_alikes(&run.systems());
    let report = Report::of(&run, &Summary::of(&run), &published_of(&args.published)?);
    if let Some(folder) = &args.figures {
        write_figures(report.figures(), folder)?;
    }
    if let (Some(readme), Some(figures)) = (&args.readme, &args.figures) {
        let updated = readme_with(&report, &run, readme, figures)?;
        write_whole(readme, updated.as_bytes())?;
    }
    if args.markdown {
        print(&report.markdown())?;
        return Ok(Exit::Done);
    }
    let path = args.out.clone().unwrap_or_else(|| args.run.join(NAME));
    write(&report, &path, &args.run)?;
    if args.json {
        let written =
            json!({"report": path, "figures": args.figures, "readme": args.readme, "says": report.summary()});
        print_json("report", &written)?;
    } else {
        say(format_args!("report: {}", path.display()));
    }
    Ok(Exit::Done)
}

/// Points of the wanted papers, each found by any part of its name.
fn published_of(wanted: &[String]) -> Outcome<Vec<Published>> {
    let fits = |paper: &str, wanted: &String| paper.to_lowercase().contains(&wanted.to_lowercase());
    let papers = published::papers()?;
    if let Some(unknown) = wanted.iter().find(|wanted| !papers.iter().any(|paper| fits(paper, wanted))) {
        return Err(bad_input(format!("no paper matches {unknown:?}; there are: {}", papers.join(", "))));
    }
    let all = published::all()?;
    Ok(all.into_iter().filter(|point| wanted.iter().any(|wanted| fits(&point.paper, wanted))).collect())
}
