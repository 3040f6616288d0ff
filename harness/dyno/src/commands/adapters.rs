//! `dyno adapters`: the engines of other projects that dyno can run, and the campaign lines for each.

use std::fmt::Write;

use dyno_provision::adapters::{self, Adapter};
use serde_json::{Value, json};

use crate::cli::runs::AdaptersArgs;
use crate::exit::Outcome;
use crate::output::{answer, say};

/// Prints all adapters, or the named one with its settings.
pub fn adapters(args: &AdaptersArgs) -> Outcome {
    let shown = match &args.name {
        Some(name) => vec![adapters::find(name)?],
        None => adapters::all()?,
    };
    for adapter in shown.iter().filter(|_| args.build) {
        adapter.provide(&|line| say(line))?;
    }
    let fields = json!({"adapters": shown.iter().map(as_json).collect::<Vec<_>>()});
    let text = |adapter: &Adapter| as_text(adapter, args.name.is_some());
    answer(args.json, "adapters", &fields, || shown.iter().map(text).collect::<Vec<_>>().join("\n"))
}

fn as_json(adapter: &Adapter) -> Value {
    let described = &adapter.description;
    let state = match &described.unavailable {
        Some(_) => "unavailable",
        None if adapter.is_built() => "ready",
        None => "unbuilt",
    };
    json!({
        "name": adapter.name,
        "about": described.about,
        "state": state,
        "reason": described.unavailable,
        "takes": adapters::megabytes(described.takes_mb),
        "takes_mb": described.takes_mb,
        "python": adapter.python().ok().filter(|_| state == "ready"),
        "lines": adapter.campaign_lines(),
        "settings": described.settings,
    })
}

fn as_text(adapter: &Adapter, with_settings: bool) -> String {
    let described = &adapter.description;
    let takes = adapters::megabytes(described.takes_mb);
    let state = match &described.unavailable {
        Some(reason) => format!("can't be used: {reason}"),
        None if adapter.is_built() => "ready".into(),
        None => format!("its environment is built on first use, about {takes}"),
    };
    let mut text = format!("{} · {}\n  {state}\n", adapter.name, described.about);
    for line in adapter.campaign_lines().lines() {
        let _ = writeln!(text, "    {line}");
    }
    for (name, setting) in described.settings.iter().filter(|_| with_settings) {
        let default = setting.default.as_ref().map_or(String::new(), |value| format!(" [default: {value}]"));
        let _ = writeln!(text, "  {name:<20} {}{default}", setting.about);
    }
    text
}
