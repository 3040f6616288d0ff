//! All of the papers' tables with what was measured for them before: here, or else for an earlier publication.
//!
//! All tables take hours, and a host is seldom quiet for so long. A factor is of one run on one host, so a page may
//! hold tables of several hosts; each names its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use dyno_papers::Table;
use dyno_papers::reproduction::{KeptProducts, Reproduction};
use dyno_record::{Host, Profile};
use dyno_results::{best_of, day, latest};
use dyno_stats::numbers::counted;
use itertools::Itertools;

use super::ours::{Ours, campaign_of, reproduction};
use super::products::{RUNS, kept};
use crate::campaign::{Entry, shipped};
use crate::exit::{Failure, Outcome};

/// Folder of the records in a publication.
pub const RECORDS: &str = "records";

/// Tables of the papers with our figures, and the files that have them.
#[derive(Default)]
pub struct Collected {
    pub reproductions: Vec<Reproduction>,
    /// Folder of each campaign's run, where it was measured here.
    pub runs: BTreeMap<String, PathBuf>,
    /// Files of products' speeds that were measured here.
    pub products: Vec<PathBuf>,
    /// What is taken from earlier publications: their records, with the names of campaigns and of tables.
    pub earlier: BTreeMap<PathBuf, Vec<String>>,
    /// Day of the newest measurement, if there is one.
    pub day: Option<String>,
    /// Hosts and extent of the measurements, in sentences.
    pub conditions: Vec<String>,
}

impl Collected {
    /// Whether anything was measured here.
    pub fn is_measured_here(&self) -> bool {
        !(self.runs.is_empty() && self.products.is_empty())
    }

    /// Notes a measurement of that name. False if it lies in the records of an earlier publication.
    fn is_new(&mut self, name: &str, path: &Path, day: Option<String>, earlier: &[PathBuf]) -> bool {
        self.day = self.day.take().max(day);
        let Some(records) = earlier.iter().find(|records| path.starts_with(records)) else { return true };
        self.earlier.entry(records.clone()).or_default().push(name.to_owned());
        false
    }
}

/// Collects what was measured for `tables`: by the best runs on `host`, or else by the best ones in the publications
/// below `publications`, as far as the campaign is still the same.
pub fn collect(tables: &[Table], host: &Host, publications: &Path) -> Outcome<Collected> {
    let earlier = records_below(publications);
    let mut ours: BTreeMap<&str, Result<Ours, String>> = BTreeMap::new();
    for name in tables.iter().filter_map(|table| table.campaign.as_deref()).unique() {
        let told = |failure: Failure| without_folder(&format!("{:#}", failure.error), name);
        let found = of_campaign(name, host, &earlier).map_err(told);
        if let Err(fault) = &found {
            // A page that silently has less than the one before would mislead.
            if earlier.iter().any(|records| records.join(name).is_dir()) {
                refuse!("campaign {name} was published before, and can't be read now: {fault}");
            }
            say!("note: the tables of campaign {name} have no figures of ours: {fault}");
        }
        ours.insert(name, found);
    }
    let (mut collected, mut speeds) = (Collected::default(), Vec::new());
    for table in tables {
        let found = table.campaign.as_deref().map(|name| ours[name].as_ref());
        let fault = found.and_then(Result::err).map(String::as_str);
        let of_table = if table.products().is_empty() { None } else { speeds_of(table, host, &earlier)? };
        let of_products = of_table.as_ref().map(|(_, kept)| &kept.products);
        let reproduction = reproduction(table, found.and_then(Result::ok), of_products, fault)?;
        collected.reproductions.push(reproduction);
        speeds.extend(of_table.map(|(path, kept)| (&table.id, path, day(kept.measured_unix_ms))));
    }
    let ours: Vec<(&str, &Ours)> =
        ours.iter().filter_map(|(name, ours)| Some((*name, ours.as_ref().ok()?))).collect();
    collected.conditions = conditions(&ours);
    for (name, (folder, run)) in ours.iter().filter_map(|(name, ours)| Some((*name, ours.run.as_ref()?))) {
        if collected.is_new(name, folder, run.day(), &earlier) {
            collected.runs.insert(name.to_owned(), folder.clone());
        }
    }
    for (name, path, day) in speeds {
        if collected.is_new(name, &path, day, &earlier) {
            collected.products.push(path);
        }
    }
    Ok(collected)
}

/// Records of the publications below `folder`, in the order of their names.
fn records_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path().join(RECORDS)).filter(|records| records.is_dir()).sorted().collect()
}

/// An error about a shipped campaign without the folder that it lies in, which is this host's own affair.
fn without_folder(fault: &str, campaign: &str) -> String {
    let path = shipped(campaign).unwrap_or_default();
    let checkout = path.parent().and_then(Path::parent).map(|folder| format!("{}/", folder.display()));
    checkout.map_or_else(|| fault.to_owned(), |checkout| fault.replace(&checkout, ""))
}

fn of_campaign(name: &str, host: &Host, earlier: &[PathBuf]) -> Outcome<Ours> {
    let campaign = campaign_of(name)?;
    // What lacks its model or its plugin here may have been measured elsewhere.
    let lacking = campaign.absent.iter().chain(campaign.unbuilt.iter().map(|(entry, _)| entry));
    let systems: Vec<_> = campaign.systems.iter().chain(lacking).map(Entry::described).collect();
    let run = match latest(Path::new(RUNS), name, &systems, &host.cpu)? {
        None => best_of(earlier.iter().map(|records| records.join(name)).collect(), name, &systems, None)?,
        found => found,
    };
    Ok(Ours { run, campaign })
}

/// Speeds of the products of a table: of this host, or else the newest ones of the `earlier` publications.
fn speeds_of(table: &Table, host: &Host, earlier: &[PathBuf]) -> Outcome<Option<(PathBuf, KeptProducts)>> {
    if let Some(here) = kept(table, Some(host), Path::new(RUNS))? {
        return Ok(Some(here));
    }
    let found = earlier.iter().filter_map(|records| kept(table, None, records).transpose());
    let found: Vec<(PathBuf, KeptProducts)> = found.collect::<Outcome<_>>()?;
    Ok(found.into_iter().max_by_key(|(_, kept)| kept.measured_unix_ms))
}

/// Hosts with the number of their campaigns, and the extent of the whole.
fn conditions(ours: &[(&str, &Ours)]) -> Vec<String> {
    let measured = || ours.iter().filter_map(|(_, ours)| ours.run.as_ref());
    let hosts = measured().map(|(_, run)| run.identity.host.line()).counts().into_iter().sorted();
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
    let parts: Vec<String> = ours.iter().filter_map(|(name, ours)| part(name, ours)).collect();
    let parts = (!parts.is_empty()).then(|| format!("Measured in part: {}.", parts.join(", ")));
    let of_host =
        |(host, count): (String, usize)| format!("{host}: {}.", counted(count, "campaign", "campaigns"));
    hosts.map(of_host).chain([extent]).chain(quick).chain(parts).collect()
}

/// How many of its campaign's systems a run has, unless it has all.
fn part(name: &str, Ours { run, campaign }: &Ours) -> Option<String> {
    let cells = run.as_ref()?.1.cells();
    let measured = cells.iter().map(|cell| cell.system).unique().count();
    let all = campaign.systems.len() + campaign.absent.len() + campaign.unbuilt.len();
    (measured < all).then(|| format!("{name} ({measured} of {all} systems)"))
}
