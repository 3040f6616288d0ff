//! `dyno translate`: a built-in backend as a program.

use std::io::IsTerminal;

use dyno_api::{Settings, closest};

use crate::campaign::Track;
use crate::cli::TranslateArgs;
use crate::exit::{OrBadInput, Outcome, bad_input};
use crate::{registry, translate};

/// Hosts the backend until its input ends.
pub fn translate(args: TranslateArgs) -> Outcome {
    let track = args.track.unwrap_or_else(default_track);
    if args.cores > 1 && track != Track::ThroughputAll {
        return Err(bad_input(format!(
            "track {track} is for one core: leave out --cores, or use throughput-all"
        )));
    }
    let backend = registry::find(&args.backend).ok_or_else(|| unknown(&args.backend))?;
    let settings: Settings = args.settings.into_iter().collect();
    let model = backend.open(&args.models, &settings).or_bad_input()?;
    let exit = translate::host(&model, track, args.cores)?;
    if let Some(path) = &args.facts {
        translate::write_facts(&model, path)?;
    }
    Ok(exit)
}

/// Who types wants an answer to each line; a file is best done as a whole.
fn default_track() -> Track {
    if std::io::stdin().is_terminal() { Track::Latency } else { Track::Throughput1 }
}

fn unknown(name: &str) -> crate::exit::Failure {
    let names: Vec<_> = registry::all().iter().map(|backend| backend.name()).collect();
    let near = closest(name, names.iter().copied()).map(|near| format!(" (did you mean {near:?}?)"));
    let hint = near.unwrap_or_default();
    bad_input(format!("no backend {name:?}{hint}; there are: {}", names.join(", ")))
}
