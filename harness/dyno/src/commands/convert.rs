//! `dyno convert`: a model directory from Marian's files, or from a translator of another project.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use dyno_api::{Answer, Settings};
use dyno_formats::{ConvertOptions, ConvertReport, Cut, ModelDir, Precision, Shortlist};
use dyno_host::registry;
use dyno_measure::split_lines;
use serde_json::json;

use super::hosting;
use crate::cli::engines::ConvertArgs;
use crate::exit::{OrBadInput, Outcome, bad_input};
use crate::output::answer;

pub fn convert(args: &ConvertArgs) -> Outcome {
    if args.pack && !args.precision.contains(&Precision::Int8) {
        return Err(bad_input("--pack packs int8 weights: add int8 to --precision"));
    }
    let model = open(args)?;
    let shortlist = args.shortlist.as_deref().map(|values| shortlist(&model, values)).transpose()?;
    let languages =
        args.languages.as_deref().and_then(|languages| <[String; 2]>::try_from(languages.to_vec()).ok());
    let multipliers = args.calibrate.as_deref().map(|lines| calibrate(args, &model, lines)).transpose()?;
    let options = ConvertOptions {
        precisions: args.precision.clone(),
        default_precision: args.precision.iter().copied().find(|precision| *precision == Precision::Int8),
        languages,
        shortlist: shortlist.as_ref().map(|(path, list)| (path.as_path(), list)),
        multipliers: multipliers.unwrap_or_default(),
        packed: args.pack,
        overwrite: args.overwrite,
    };
    let report = dyno_formats::convert(&model, &args.to, &options).or_bad_input()?;
    let files: BTreeMap<_, _> = report.files.iter().map(|(name, file)| (name, file.bytes)).collect();
    let fields = json!({"directory": report.directory.display().to_string(), "bytes": files});
    answer(args.json, "convert", &fields, || as_text(&report))
}

fn open(args: &ConvertArgs) -> Outcome<ModelDir> {
    let opened = match args.vocab.as_deref() {
        Some([source, .., target]) => ModelDir::open_weights(&args.model, [source, target], None),
        Some([one]) => ModelDir::open_weights(&args.model, [one, one], None),
        _ => ModelDir::open(&args.model),
    };
    opened.or_bad_input()
}

/// Static activation scales of the model on the lines of a file. Lines are translated one by one, so that the
/// scales don't depend on batches.
fn calibrate(args: &ConvertArgs, source: &ModelDir, lines: &Path) -> Outcome<BTreeMap<String, f32>> {
    if !args.precision.contains(&Precision::Int8) {
        return Err(bad_input("--calibrate needs int8 weights: add int8 to --precision"));
    }
    let text = dyno_api::files::read(lines)
        .with_context(|| format!("can't read {}", lines.display()))
        .or_bad_input()?;
    let models = [args.model.clone()];
    let backend = registry::suiting(&models).map_err(bad_input)?;
    let found =
        tempfile::NamedTempFile::new().context("can't create a temporary file for activation scales")?;
    let mut settings = Settings::from_iter([("calibrate".to_owned(), json!(found.path()))]);
    // Scales are found with the values that are quantised, whatever the model's default is.
    let widest =
        source.weights().keys().next_back().map(|widest| ("precision".to_owned(), json!(widest.name())));
    settings.extend(widest);
    settings.extend(args.vocab.iter().map(|files| ("vocab".to_owned(), json!(files))));
    settings.extend(languages(args, source)?);
    let model = backend.open(&models, &settings).or_bad_input()?;
    let mut session = model.session().context("can't open a session")?;
    for line in split_lines(&text) {
        session.run(&[line], &mut |_: Answer<'_>| ()).context("can't translate a line for --calibrate")?;
    }
    dyno_host::activation_scales(found.path()).or_bad_input()
}

/// Settings of the languages, for a model with words for both.
fn languages(args: &ConvertArgs, source: &ModelDir) -> Outcome<Settings> {
    let words = source.decoder().and_then(|decoder| decoder.text("language-words").ok());
    if words != Some("both") {
        return Ok(Settings::new());
    }
    let Some([from, to]) = args.languages.as_deref() else {
        let remedy = "add --languages with codes of its vocabulary, such as eng_Latn deu_Latn";
        refuse!("--calibrate translates, and this model has words for languages: {remedy}");
    };
    let named = [("source-language", from), ("target-language", to)];
    Ok(Settings::from_iter(named.map(|(setting, code)| (setting.to_owned(), json!(code)))))
}

fn shortlist(model: &ModelDir, values: &[String]) -> Outcome<(PathBuf, Shortlist)> {
    let (path, numbers) = hosting::shortlist(values)?;
    let mut cut = Cut::default();
    for (to, number) in [&mut cut.first, &mut cut.best].into_iter().zip(numbers) {
        *to = number;
    }
    let list = dyno_host::shortlist(model, path, cut).or_bad_input()?;
    Ok((path.into(), list))
}

fn as_text(report: &ConvertReport) -> String {
    let mut text = format!("{}\n", report.directory.display());
    for (name, file) in &report.files {
        let _ = writeln!(text, "  {name:<28} {:>12} bytes", file.bytes);
    }
    for precision in Precision::ALL {
        let tensors = report.tensors.iter().filter(|tensor| tensor.precision == precision);
        let errors: Vec<f32> = tensors.map(|tensor| tensor.max_error).collect();
        if let Some(worst) = errors.iter().copied().reduce(f32::max) {
            let _ = writeln!(text, "  {precision}: {} tensors, largest error {worst:.2e}", errors.len());
        }
    }
    text
}
