//! Model directories of other projects. No engine here runs them; their own program does, as a system of a
//! campaign.

use std::path::Path;

use crate::Fault;
use crate::bytes::read_text;

/// Longest `config.json` that is read; usual ones have a few kilobytes.
const LONGEST: usize = 1 << 20;

/// The reason why no engine runs the model in `directory`, if another project's program wrote it.
pub(crate) fn fault_of(directory: &Path) -> Option<Fault> {
    let project = project_of(directory)?;
    let remedy = "measure the program that runs it: give the campaign a system with a `command` and this `model`, as in \
                  docs/BRING-YOUR-OWN.md, section Engines of other projects";
    Some(Fault::unsupported(format!("a model of {project}"), remedy))
}

fn project_of(directory: &Path) -> Option<&'static str> {
    let has = |name: &str| directory.join(name).is_file();
    let vocabularies = [
        "shared_vocabulary.json",
        "shared_vocabulary.txt",
        "source_vocabulary.json",
        "source_vocabulary.txt",
    ];
    if has("model.bin") && (has("config.json") || vocabularies.into_iter().any(has)) {
        return Some("CTranslate2");
    }
    let config = read_text(&directory.join("config.json"), LONGEST).ok()?;
    (config.contains("\"architectures\"") && has_weights(directory)).then_some("Hugging Face")
}

/// Whether the directory holds weights under the names that Hugging Face's libraries give them.
fn has_weights(directory: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(directory) else { return false };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.into_iter().any(|name| {
        name.ends_with(".safetensors") || name.starts_with("pytorch_model") && name.ends_with(".bin")
    })
}
