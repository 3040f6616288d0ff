//! The papers' tables beside what was measured for them: `dyno reproduce`, which measures; the kept speeds of
//! products, the latest finished runs, and the publication of the page on all papers.
//!
//! All of it is behind the feature `papers`. `no_papers.rs` stands here without it.

mod collected;
mod coverage;
mod ours;
mod products;
mod publication;
mod reproduce;
mod text;

use dyno_report::Published;

pub use reproduce::reproduce;

use crate::exit::Outcome;

/// Points of the wanted papers for the charts of a report, each found by any part of its name.
pub fn published(wanted: &[String]) -> Outcome<Vec<Published>> {
    let fits = |paper: &str, wanted: &String| paper.to_lowercase().contains(&wanted.to_lowercase());
    let papers = dyno_papers::published::papers()?;
    if let Some(unknown) = wanted.iter().find(|wanted| !papers.iter().any(|paper| fits(paper, wanted))) {
        refuse!("no paper matches {unknown:?}; there are: {}", papers.join(", "));
    }
    let all = dyno_papers::published::all()?;
    Ok(all.into_iter().filter(|point| wanted.iter().any(|wanted| fits(&point.paper, wanted))).collect())
}
