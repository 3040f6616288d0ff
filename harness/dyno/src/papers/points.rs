//! Points of papers under the charts of a report.

use dyno_papers::published;
use dyno_report::Published;

use crate::exit::Outcome;

/// Points of the wanted papers, each found by any part of its name.
pub fn published(wanted: &[String]) -> Outcome<Vec<Published>> {
    let fits = |paper: &str, wanted: &String| paper.to_lowercase().contains(&wanted.to_lowercase());
    let papers = published::papers()?;
    if let Some(unknown) = wanted.iter().find(|wanted| !papers.iter().any(|paper| fits(paper, wanted))) {
        refuse!("no paper matches {unknown:?}; there are: {}", papers.join(", "));
    }
    let all = published::all()?;
    Ok(all.into_iter().filter(|point| wanted.iter().any(|wanted| fits(&point.paper, wanted))).collect())
}
