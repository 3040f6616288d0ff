//! Speeds of the matrix products of a paper's figure: measured in about a second, and kept beside the runs,
//! since the page on all papers is made from what was measured before.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use dyno_measure::{Placement, host};
use dyno_papers::reproduction::{KeptProducts, Products};
use dyno_papers::{Precision, Product, Table};
use dyno_record::Host;
use dyno_results::store::files::{read_json, write_json};
use dyno_stats::numbers::counted;

use crate::exit::{OrBadInput, Outcome};

/// Folder of the runs, the same as that of `dyno run`.
pub const RUNS: &str = "runs";

pub fn measure(table: &Table, this_host: &Host) -> Outcome<Products> {
    let (names, products): (Vec<_>, Vec<_>) = table.own_products().into_iter().unzip();
    let count = counted(products.len(), "product", "products");
    let core = Placement::new(&this_host.cores, None, host::siblings).one_core();
    let conditions =
        vec![format!("{}, one core, {}", this_host.cpu, this_host.best_isa()), format!("{count} alone")];
    let names = names.into_iter().map(str::to_owned);
    let products: Vec<_> = products.iter().map(hosted).collect();
    let speeds = dyno_host::product_speeds(&products, core)?;
    Ok(Products { conditions, speeds: names.zip(speeds).collect() })
}

fn hosted(&Product { precision, rows, k, n, .. }: &Product) -> dyno_host::Product {
    let precision = match precision {
        Precision::F32 => dyno_formats::Precision::F32,
        Precision::Int16 => dyno_formats::Precision::Int16,
        Precision::Int8 => dyno_formats::Precision::Int8,
    };
    dyno_host::Product { precision, rows, k, n }
}

/// Keeps the speeds of a table for the page on all papers.
pub fn keep(table: &Table, this_host: &Host, products: &Products) -> Outcome<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let measured_unix_ms = u64::try_from(now.as_millis()).unwrap_or_default();
    let kept = KeptProducts { cpu: this_host.cpu.clone(), measured_unix_ms, products: products.clone() };
    fs::create_dir_all(RUNS)?;
    Ok(write_json(&Path::new(RUNS).join(file_of(table)), &kept)?)
}

/// The speeds of a table that `folder` keeps, with their file; of the processor of `host`, where one is given.
pub fn kept(table: &Table, host: Option<&Host>, folder: &Path) -> Outcome<Option<(PathBuf, KeptProducts)>> {
    let path = folder.join(file_of(table));
    let is_ours = |kept: &KeptProducts| {
        let has = |(name, _): (&str, _)| kept.products.speeds.contains_key(name);
        host.is_none_or(|host| kept.cpu == host.cpu) && table.own_products().into_iter().all(has)
    };
    let kept = read_json(&path).with_context(|| {
        let remedy = format!("remove it, and measure anew by `dyno reproduce {}`", table.id);
        format!("can't use the kept speeds of products; {remedy}")
    });
    Ok(kept.or_bad_input()?.filter(is_ours).map(|kept| (path, kept)))
}

fn file_of(table: &Table) -> String {
    format!("products-{}.json", table.id)
}
