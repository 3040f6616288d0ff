//! `dyno convert`: a model directory out of Marian's files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use dyno_formats::{ConvertOptions, ConvertReport, Cut, ModelDir, Shortlist, Vocabularies};
use dyno_text::Vocabulary;
use dyno_translator::Words;
use serde_json::json;

use super::{print, print_json};
use crate::cli::ConvertArgs;
use crate::exit::{Exit, OrBadInput, Outcome, bad_input};

/// Converts, and prints what was made.
pub fn convert(args: &ConvertArgs) -> Outcome {
    let model = open(args)?;
    let shortlist = args.shortlist.as_deref().map(|values| shortlist(&model, values)).transpose()?;
    let languages =
        args.languages.as_deref().and_then(|languages| <[String; 2]>::try_from(languages.to_vec()).ok());
    let options = ConvertOptions {
        precisions: args.precision.clone(),
        languages,
        shortlist: shortlist.as_ref().map(|(path, list)| (path.as_path(), list)),
        overwrite: args.overwrite,
    };
    let report = dyno_formats::convert(&model, &args.to, &options).or_bad_input()?;
    if args.json {
        let files: serde_json::Map<_, _> =
            report.files.iter().map(|(name, file)| (name.clone(), file.bytes.into())).collect();
        print_json(&json!({"directory": report.directory, "bytes": files}))?;
    } else {
        print(&as_text(&report))?;
    }
    Ok(Exit::Done)
}

fn open(args: &ConvertArgs) -> Outcome<ModelDir> {
    match args.vocab.as_deref() {
        None => ModelDir::open(&args.model).or_bad_input(),
        Some([one]) => ModelDir::open_weights(&args.model, [one, one], None).or_bad_input(),
        Some([source, target, ..]) => {
            ModelDir::open_weights(&args.model, [source, target], None).or_bad_input()
        }
        Some([]) => Err(bad_input("--vocab names no file")),
    }
}

fn shortlist(model: &ModelDir, values: &[String]) -> Outcome<(PathBuf, Shortlist)> {
    let (path, numbers) = values.split_first().ok_or_else(|| bad_input("--shortlist names no file"))?;
    let mut cut = Cut::default();
    for (to, text) in [&mut cut.first, &mut cut.best].into_iter().zip(numbers) {
        *to = text.parse().map_err(|_| bad_input(format!("--shortlist: {text:?} is no whole number")))?;
    }
    let [source, target] = model.vocabularies() else {
        return Err(bad_input("the model names no vocabularies"));
    };
    let (source, target) = (read(source)?, read(target)?);
    let (source, target) = (Words(&source), Words(&target));
    let vocabularies = Vocabularies { source: &source, target: &target, shared: model.shares_vocabulary() };
    let list = Shortlist::open(path.as_ref(), cut, vocabularies).or_bad_input()?;
    Ok((path.into(), list))
}

fn read(path: &Path) -> Outcome<Vocabulary> {
    Vocabulary::from_path(path).or_bad_input()
}

fn as_text(report: &ConvertReport) -> String {
    let mut text = format!("{}\n", report.directory.display());
    for (name, file) in &report.files {
        let _ = writeln!(text, "  {name:<28} {:>12} bytes", file.bytes);
    }
    for precision in dyno_formats::Precision::ALL {
        let errors: Vec<f32> = report
            .tensors
            .iter()
            .filter(|tensor| tensor.precision == precision)
            .map(|tensor| tensor.max_error)
            .collect();
        if let Some(worst) = errors.iter().copied().reduce(f32::max) {
            let _ = writeln!(text, "  {precision}: {} tensors, largest error {worst:.2e}", errors.len());
        }
    }
    text
}
