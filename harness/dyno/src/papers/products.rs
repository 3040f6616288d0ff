//! Speeds of the matrix products of a paper's figure: measured in about a second, and kept beside the runs,
//! since the page on all papers is made from what was measured before.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use dyno_measure::{Host, Placement, Track, host};
use dyno_papers::Table;
use dyno_papers::reproduction::Products;
use dyno_results::store::files::{read_json, write_json};
use dyno_stats::numbers::counted;
use serde::{Deserialize, Serialize};

use crate::exit::{OrBadInput, Outcome};
use crate::product_speed::product_speeds;

/// Folder of the runs, the same as that of `dyno run`.
pub const RUNS: &str = "runs";

/// Speeds as they are kept.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    /// Processor that was measured.
    cpu: String,
    /// Time of the measurement, in milliseconds since 1970.
    pub measured_unix_ms: u64,
    /// Speeds with their conditions.
    pub products: Products,
}

/// Measures the products of a table on one core.
pub fn measure(table: &Table, this_host: &Host) -> Outcome<Products> {
    let (names, products): (Vec<_>, Vec<_>) = table.own_products().into_iter().unzip();
    let count = counted(products.len(), "product", "products");
    let core = Placement::new(&this_host.cores, None, host::siblings).system(Track::Latency)[0];
    let conditions =
        vec![format!("{}, one core, {}", this_host.cpu, this_host.best_isa()), format!("{count} alone")];
    let names = names.into_iter().map(str::to_owned);
    Ok(Products { conditions, speeds: names.zip(product_speeds(&products, core)?).collect() })
}

/// Keeps the speeds of a table for the page on all papers.
pub fn keep(table: &Table, this_host: &Host, products: &Products) -> Outcome<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let measured_unix_ms = u64::try_from(now.as_millis()).unwrap_or_default();
    let kept = Kept { cpu: this_host.cpu.clone(), measured_unix_ms, products: products.clone() };
    fs::create_dir_all(RUNS)?;
    Ok(write_json(&path_of(table), &kept)?)
}

/// The kept speeds of a table with their file, if they are this processor's.
pub fn kept(table: &Table, this_host: &Host) -> Outcome<Option<(PathBuf, Kept)>> {
    let path = path_of(table);
    let is_ours = |kept: &Kept| {
        let has = |(name, _): (&str, _)| kept.products.speeds.contains_key(name);
        kept.cpu == this_host.cpu && table.own_products().into_iter().all(has)
    };
    let kept = read_json(&path).with_context(|| {
        let remedy = format!("remove it, and measure anew by `dyno reproduce {}`", table.id);
        format!("can't use the kept speeds of products; {remedy}")
    });
    Ok(kept.or_bad_input()?.filter(is_ours).map(|kept| (path, kept)))
}

fn path_of(table: &Table) -> PathBuf {
    Path::new(RUNS).join(format!("products-{}.json", table.id))
}
