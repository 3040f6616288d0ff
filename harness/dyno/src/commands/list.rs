//! `dyno list`: content of a campaign, backends and tracks of this build, prices of instances.

use std::path::Path;

use dyno_api::Backend;
use dyno_host::registry;
use dyno_measure::{PLACEHOLDERS, TestSet, host};
use dyno_record::Track;
use dyno_results::prices::{self, Price};
use dyno_stats::numbers::counted;
use itertools::Itertools;
use serde_json::json;

use crate::campaign::{Campaign, Entry, Launch, named_or_starter};
use crate::cli::runs::ListArgs;
use crate::exit::Outcome;
use crate::output::answer;
use crate::submission::Submission;
use crate::table;

/// Prints systems, test sets, backends and tracks, or the prices.
pub fn list(args: &ListArgs) -> Outcome {
    if args.campaign.as_deref() == Some(Path::new("prices")) {
        return list_prices(args);
    }
    let campaign = named_or_starter(args.campaign.as_deref())?;
    answer(args.json, "list", &as_json(&campaign), || as_text(&campaign))
}

fn list_prices(args: &ListArgs) -> Outcome {
    let mut prices = prices::load(args.prices.as_deref())?;
    let all = prices.len();
    prices.retain(|price| !args.stale || price.is_stale());
    if args.stale && !args.json {
        let (stale, days) = (prices.len(), prices::STALE_DAYS);
        say!("{stale} of {all} prices are older than {days} days; --prices FILE takes newer ones");
    }
    let here = host::detect().ok().and_then(|host| prices::like(&prices, &host).cloned());
    let row = |price: &Price| {
        let most_like = if here.as_ref() == Some(price) { "most like this host" } else { "" };
        vec![
            price.instance.clone(),
            format!("{} {}", price.provider, price.region),
            price.vcpus.to_string(),
            format!("{:.5}", price.hourly_usd),
            format!("{:.5}", price.hourly_usd / price.vcpus as f64),
            price.date.clone(),
            most_like.into(),
        ]
    };
    let heads = ["instance", "where", "vCPUs", "$/hour", "$/vCPU", "date", ""];
    let sources = prices.iter().map(|price| format!("{}: {}", price.terms, price.source));
    answer(args.json, "prices", &json!({"prices": prices}), || {
        let grid = table::grid(&heads, prices.iter().map(row).collect(), 2..5);
        format!("{grid}\n{}\n", sources.dedup().join("\n"))
    })
}

fn as_json(campaign: &Campaign) -> serde_json::Value {
    let set = |set: &TestSet| {
        let (lines, pages) = (set.source.len(), set.pages.len());
        json!({"name": set.name, "lines": lines, "pages": pages, "words": set.words(), "sha256": set.sha256})
    };
    let backend = |it: &&dyn Backend| json!({"name": it.name(), "about": it.about(), "task": it.task()});
    json!({
        "campaign": campaign.name,
        "profile": campaign.protocol.profile,
        "systems": campaign.systems.iter().map(Entry::described).collect::<Vec<_>>(),
        "test_sets": campaign.test_sets.iter().map(set).collect::<Vec<_>>(),
        "tracks": Track::ALL,
        "backends": registry::all().iter().map(backend).collect::<Vec<_>>(),
    })
}

fn as_text(campaign: &Campaign) -> String {
    let row = |name: &str, what: &str| format!("  {name:<20} {what}\n");
    let system = |system: &Entry| {
        let what = match &system.launch {
            Launch::BuiltIn { backend, settings, .. } => format!("backend {backend}{}", in_words(settings)),
            Launch::Plugin { library, settings, .. } => {
                format!("plugin {}{}", library.display(), in_words(settings))
            }
            Launch::Adapter(adapter) => {
                format!("adapter {}{}", adapter.launch.name, in_words(&adapter.launch.settings))
            }
            Launch::Foreign { command, .. } => command.join(" "),
            Launch::Submission(Submission { launch, .. }) => {
                format!("submission {} ({})", launch.folder.display(), launch.dialect)
            }
        };
        row(&system.name, &what)
    };
    let set = |set: &TestSet| {
        let (lines, words) = (set.source.len(), set.words());
        let references = counted(set.references.len(), "reference", "references");
        row(&set.name, &format!("{lines} lines, {words} words, {references}"))
    };
    let systems: String = campaign.systems.iter().map(system).collect();
    let sets: String = campaign.test_sets.iter().map(set).collect();
    let backends: String = registry::all().iter().map(|it| row(it.name(), it.about())).collect();
    let places: String = PLACEHOLDERS.iter().map(|(name, it)| row(&format!("{{{name}}}"), it)).collect();
    let (name, profile) = (&campaign.name, campaign.protocol.profile);
    let tracks = Track::ALL.iter().map(|track| track.name()).join(", ");
    format!(
        "campaign {name} · profile {profile}\n\nsystems\n{systems}\ntest sets\n{sets}\nbackends\n{backends}\n\
         placeholders in a system's command\n{places}\ntracks\n  {tracks}\n"
    )
}

fn in_words(settings: &dyno_api::Settings) -> String {
    if settings.is_empty() { String::new() } else { format!(" {}", json!(settings)) }
}
