//! All of the papers' tables with what was measured for them before.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dyno_measure::{Host, Profile};
use dyno_papers::Table;
use dyno_papers::reproduction::Reproduction;
use dyno_results::{Run, day, latest};
use dyno_stats::numbers::counted;

use super::ours::{Ours, campaign_of, reproduction};
use super::products::{RUNS, kept};
use crate::campaign::{Entry, shipped};
use crate::exit::Outcome;

/// Tables of the papers with our figures, and the files that have them.
pub struct Collected {
    pub reproductions: Vec<Reproduction>,
    /// Folder of each campaign's run.
    pub runs: BTreeMap<String, PathBuf>,
    /// Files of products' speeds.
    pub products: Vec<PathBuf>,
    /// Day of the newest measurement, if there is one.
    pub day: Option<String>,
    /// Host and extent of the measurements, in sentences.
    pub conditions: Vec<String>,
}

/// Collects what was measured on `host` for `tables`: by the latest runs, or by the `records` of a publication.
pub fn collect(tables: &[Table], host: &Host, records: Option<&Path>) -> Outcome<Collected> {
    let (mut ours, mut faults): (BTreeMap<&str, Ours>, BTreeMap<&str, String>) = Default::default();
    for name in tables.iter().filter_map(|table| table.campaign.as_deref()) {
        if ours.contains_key(name) || faults.contains_key(name) {
            continue;
        }
        match of_campaign(name, host, records) {
            Ok(found) => drop(ours.insert(name, found)),
            Err(failure) => {
                let fault = without_folder(&format!("{:#}", failure.error), name);
                say!("note: the tables of campaign {name} have no figures of ours: {fault}");
                faults.insert(name, fault);
            }
        }
    }
    let (mut reproductions, mut products, mut days) = (Vec::new(), Vec::new(), Vec::new());
    for table in tables {
        let found = table.campaign.as_deref().and_then(|name| ours.get(name));
        let speeds = if table.products().is_empty() {
            None
        } else {
            kept(table, host, records.unwrap_or(Path::new(RUNS)))?
        };
        let fault = table.campaign.as_deref().and_then(|name| faults.get(name)).map(String::as_str);
        let of_products = speeds.as_ref().map(|(_, kept)| &kept.products);
        reproductions.push(reproduction(table, found, of_products, fault)?);
        days.extend(speeds.as_ref().and_then(|(_, kept)| day(kept.measured_unix_ms)));
        products.extend(speeds.map(|(path, _)| path));
    }
    let runs = ours.iter().filter_map(|(name, ours)| Some((*name, ours.run.as_ref()?)));
    days.extend(runs.clone().filter_map(|(_, (_, run))| run.day()));
    let conditions = conditions(host, &ours);
    let runs = runs.map(|(name, (folder, _))| (name.to_owned(), folder.clone())).collect();
    Ok(Collected { reproductions, runs, products, day: days.into_iter().max(), conditions })
}

/// An error about a shipped campaign without the folder that it lies in, which is this host's own affair.
fn without_folder(fault: &str, campaign: &str) -> String {
    let path = shipped(campaign).unwrap_or_default();
    let checkout = path.parent().and_then(Path::parent).map(|folder| format!("{}/", folder.display()));
    checkout.map_or_else(|| fault.to_owned(), |checkout| fault.replace(&checkout, ""))
}

fn of_campaign(name: &str, host: &Host, records: Option<&Path>) -> Outcome<Ours> {
    let campaign = campaign_of(name)?;
    let systems: Vec<_> = campaign.systems.iter().chain(&campaign.absent).map(Entry::described).collect();
    let run = match records {
        None => latest(Path::new(RUNS), name, &systems, &host.cpu)?,
        // A publication has one run of a campaign, with this host's own paths shortened.
        Some(records) => {
            let folder = Some(records.join(name)).filter(|folder| folder.is_dir());
            let run = folder.map(|folder| Run::read(&folder).map(|run| (folder, run))).transpose()?;
            run.filter(|(_, run)| run.identity.host.cpu == host.cpu)
        }
    };
    Ok(Ours { run, campaign })
}

fn conditions(host: &Host, ours: &BTreeMap<&str, Ours>) -> Vec<String> {
    let measured = || ours.values().filter_map(|ours| ours.run.as_ref());
    let count = |profile| measured().filter(|(_, run)| run.identity.protocol.profile == profile).count();
    let profiles = Profile::ALL.into_iter().map(|profile| (count(profile), profile));
    let profiles = profiles.filter(|(count, _)| *count > 0);
    let profiles: Vec<String> =
        profiles.map(|(count, profile)| format!("{count} in the {profile} profile")).collect();
    let of = counted(ours.len(), "campaign", "campaigns");
    let extent = match measured().count() {
        0 => format!("None of the {of} was measured so far."),
        count => format!("Measured: {count} of the {of}, {}.", profiles.join(", ")),
    };
    let quick = (count(Profile::Quick) > 0).then(|| "The quick profile is a first look.".to_owned());
    let told = vec![
        format!("Here: {}, {}, {}.", host.cpu, counted(host.cores.len(), "core", "cores"), host.best_isa()),
        extent,
    ];
    told.into_iter().chain(quick).collect()
}
