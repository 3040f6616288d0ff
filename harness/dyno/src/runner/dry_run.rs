//! The dry run: cells of a campaign, number of rounds, expected and longest time, without measuring.

use std::time::Duration;

use dyno_measure::Cell;
use dyno_record::Host;
use dyno_stats::numbers::{counted, mebibytes};
use serde_json::json;

use crate::campaign::{Campaign, Generated, unbuilt, undrawn};
use crate::ceiling::Ceiling;
use crate::exit::Outcome;
use crate::forecast::Forecast;
use crate::output::{answer, say};
use crate::progress::clock;
use crate::table::grid;

pub fn dry_run(campaign: &Campaign, host: &Host, json: bool) -> Outcome {
    campaign.placement(host).shortfall(campaign.cores, &campaign.tracks).into_iter().for_each(say);
    let forecast = Forecast::of(campaign, &host.cores)?;
    let plan = campaign.plan(|_| None)?;
    let (probes, seconds) = (forecast.examinations(), forecast.whole(&plan).as_secs_f64());
    let ceiling = Ceiling::of(campaign);
    let bytes: u64 = undrawn(campaign).map(Generated::bytes).sum();
    let mut cells = plan.cells();
    cells.retain(|cell| campaign.measures(&cell.test_set.name, cell.track));
    let names = |cell: &Cell<'_>| json!({"system": cell.system.name, "test_set": cell.test_set.name, "track": cell.track});
    let each = campaign.protocol.profile.rounds();
    let fields = json!({
        "cells": cells.iter().map(names).collect::<Vec<_>>(), "rounds": each, "seconds": seconds,
        "probes_seconds": probes, "ceiling": ceiling, "bytes_to_draw": bytes,
    });
    let row = |cell: &Cell<'_>| {
        vec![cell.system.name.clone(), cell.track.name().into(), cell.test_set.name.clone()]
    };
    let list = grid(&["system", "track", "test set"], cells.iter().map(row).collect(), 0..0);
    let count = counted(cells.len(), "cell", "cells");
    let bound = if forecast.is_whole() { "about" } else { "at least" };
    let time = |seconds| clock(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let [time, probes] = [seconds, probes].map(time);
    let drawn = (bytes > 0).then(|| format!("{:.0} MiB of models are drawn first", mebibytes(bytes)));
    let first = drawn.into_iter().chain(unbuilt(campaign)).map(|first| format!("; {first}"));
    let first: String = first.collect();
    let rounds = format!("{count} of {each} rounds, {bound} {time}, {probes} of it for probes{first}");
    answer(json, "dry-run", &fields, || format!("{list}\n{rounds}\n{ceiling}\n"))
}
