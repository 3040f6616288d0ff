//! `dyno report`: the HTML page on a run, its figures and its tables.

use std::path::PathBuf;

use dyno_report::Report;
use dyno_results::merge::is_merged;
use dyno_results::store::files::write_whole;
use dyno_results::{Merged, Run, Summary};
use serde_json::{Value, json};

use crate::cli::runs::ReportArgs;
use crate::exit::{Exit, Outcome};
use crate::output::{print, print_json, warn_of_look_alikes};
use crate::page::{NAME, commands, readme_with, write, write_figures, write_hosts};
use crate::papers::published;
use crate::publication::PrivateFolders;

/// Writes or prints the report on the run of `args`.
pub fn report(args: &ReportArgs) -> Outcome {
    if is_merged(&args.run) {
        return report_hosts(args);
    }
    let run = Run::read(&args.run)?;
    warn_of_look_alikes(&run.systems());
    let report = Report::of(&run, &Summary::of(&run), &published(&args.published)?);
    if let Some(folder) = &args.figures {
        write_figures(report.figures(), folder)?;
    }
    if let (Some(readme), Some(figures)) = (&args.readme, &args.figures) {
        let commands = commands(&run, &PrivateFolders::of_this_host([&*args.run])?);
        let updated = readme_with(&report, &commands, readme, figures)?;
        write_whole(readme, updated.as_bytes())?;
    }
    if args.markdown {
        print(&report.markdown())?;
        return Ok(Exit::Done);
    }
    write(&report, &path_of(args), &args.run)?;
    finish(args, || report.summary())
}

fn path_of(args: &ReportArgs) -> PathBuf {
    args.out.clone().unwrap_or_else(|| args.run.join(NAME))
}

/// Names what was written; as JSON with what the page says.
fn finish(args: &ReportArgs, says: impl Fn() -> Value) -> Outcome {
    let (report, figures, readme) = (path_of(args), &args.figures, &args.readme);
    if args.json {
        let written = json!({"report": report, "figures": figures, "readme": readme, "says": says()});
        print_json("report", &written)?;
    } else {
        say!("report: {}", report.display());
    }
    Ok(Exit::Done)
}

/// Writes the page of a merged run, and with --hosts the report of each host beside its run.
fn report_hosts(args: &ReportArgs) -> Outcome {
    if args.markdown || args.figures.is_some() || !args.published.is_empty() {
        let remedy = "name the run of one host, in the folder hosts/";
        refuse!("a merged run has one page and no other form; {remedy}");
    }
    let merged = Merged::read(&args.run)?;
    let summaries = merged.summaries();
    for (host, summary) in merged.hosts.iter().zip(&summaries).filter(|_| args.hosts) {
        let folder = args.run.join(&host.folder);
        write(&Report::of(&host.run, summary, &[]), &folder.join(NAME), &folder)?;
    }
    write_hosts(&args.run, &merged, &summaries, &path_of(args))?;
    let names: Vec<&str> = merged.hosts.iter().map(|host| host.name.as_str()).collect();
    finish(args, || json!({"campaign": merged.campaign, "hosts": names, "notes": merged.notes}))
}
