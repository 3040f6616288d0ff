//! `dyno bundle`: a submission to a shared task, made of one of our models.

mod folder;

use std::path::Path;

use dyno_api::Settings;
use folder::{Bundle, Sizes, is_static};
use serde_json::json;

use super::hosting::built_in;
use crate::cli::engines::BundleArgs;
use crate::exit::{OrBadInput, Outcome, bad_input};
use crate::output::{answer, name_of};
use crate::submission::Submission;

pub fn bundle(args: &BundleArgs) -> Outcome {
    let (pair, models) = (checked_pair(args)?, std::slice::from_ref(&args.model));
    let settings: Settings = args.settings.iter().cloned().collect();
    if !args.model.is_dir() {
        refuse!("{} is no folder of a model; make one with `dyno convert`", args.model.display());
    }
    let backend = built_in(args.backend.as_deref(), models)?;
    // Opening shows that the model runs, and which of its files it needs.
    let model = backend.open(models, &settings).or_bad_input()?;
    let program = args.program.clone().map_or_else(std::env::current_exe, Ok)?;
    let is_static = checked_program(&program)?;
    let mut options = vec!["--backend".to_owned(), backend.name().to_owned()];
    options.extend(settings.iter().flat_map(|(name, value)| ["--set".to_owned(), format!("{name}={value}")]));
    let bundle = Bundle {
        dialect: args.dialect,
        model: &args.model,
        opened: model.facts().files.into_iter().map(|file| file.path).collect(),
        program: &program,
        is_static,
        options: &options,
        pair,
    };
    let here = || format!("{}-{}", name_of(&args.model), args.dialect).into();
    let folder = args.out.clone().unwrap_or_else(here);
    let sizes = bundle.write(&folder)?;
    // A folder that dyno itself can't open as a submission would be a fault of this program.
    Submission::open(&folder, args.dialect, args.pair.clone(), None).map_err(|failure| failure.error)?;
    let Sizes { model_bytes, program_bytes, bytes } = sizes;
    let fields = json!({
        "folder": folder, "dialect": args.dialect, "static": is_static, "model_bytes": model_bytes,
        "program_bytes": program_bytes, "bytes": bytes
    });
    answer(args.json, "bundle", &fields, || as_text(args, &folder, &sizes))
}

/// The language pair, which stands in a script as it is.
fn checked_pair(args: &BundleArgs) -> Outcome<&str> {
    args.dialect.check_pair(args.pair.is_some())?;
    let is_plain =
        |pair: &str| !pair.is_empty() && pair.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    match args.pair.as_deref() {
        Some(pair) if !is_plain(pair) => {
            Err(bad_input("--pair has letters, digits, - and _ alone; give a pair such as ces-deu"))
        }
        pair => Ok(pair.unwrap_or_default()),
    }
}

/// Whether `program` is static; a warning if it isn't.
fn checked_program(program: &Path) -> Outcome<bool> {
    let at = program.display();
    let read = is_static(program).map_err(|error| bad_input!("can't read {at}: {error}; check --program"))?;
    let Some(is_static) = read else { refuse!("{at} is no program of Linux; give a dyno with --program") };
    if !is_static {
        let build = "cargo build --release --target x86_64-unknown-linux-musl";
        say!("warning: {at} needs shared libraries of its host; give a static one with --program ({build})");
    }
    Ok(is_static)
}

fn as_text(args: &BundleArgs, folder: &Path, sizes: &Sizes) -> String {
    let row = |name: &str, bytes: u64| format!("  {name:<8} {bytes:>12} bytes\n");
    let pair = args.pair.as_ref().map_or_else(String::new, |pair| format!(" --pair {pair}"));
    let (folder, dialect) = (folder.display(), args.dialect);
    let rows =
        row("model", sizes.model_bytes) + &row("program", sizes.program_bytes) + &row("all", sizes.bytes);
    format!("{folder}\n{rows}check it: dyno verify --submission {folder} --dialect {dialect}{pair}\n")
}
