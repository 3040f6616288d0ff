//! Test sets that a campaign names: folders with a manifest, and sacrebleu's collection.

use std::path::{Path, PathBuf};

use dyno_api::files;
use dyno_measure::TestSet;
use dyno_results::scores;
use serde::{Deserialize, Serialize};

use super::pairs::read_pairs;
use super::suggestions::with_suggestion;

/// Content of a folder's `testset.toml`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    name: String,
    /// Description of the set, for readers of the file.
    about: String,
    licence: String,
    languages: String,
    lines: usize,
    /// Source lines of a set to translate.
    source: Option<PathBuf>,
    #[serde(default)]
    references: Vec<PathBuf>,
    /// Sentence pairs with gold scores of a set for encoders; `lines` counts both sentences of each.
    pairs: Option<PathBuf>,
    pages: Option<WirePages>,
    /// Way to get files that don't stand beside the manifest.
    fetch: Option<String>,
    /// SHA-256 of the files' contents, source first; it detects accidental edits.
    sha256: String,
}

/// Pages of a set: so many lines each, or a file with the name of each line's document.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "`pages` is a number of lines, or a file with the name of each line's document"
)]
pub enum WirePages {
    Lines(usize),
    Documents(PathBuf),
}

/// `set` with its pages, if it has any; `resolve` finds a file of documents.
pub fn paged(
    set: TestSet,
    pages: Option<&WirePages>,
    resolve: impl Fn(&Path) -> PathBuf,
) -> Result<TestSet, String> {
    match pages {
        None => Ok(set),
        Some(WirePages::Lines(0)) => Err("`pages` is 0; a page has at least one line".into()),
        Some(WirePages::Lines(lines)) => Ok(set.with_pages_of(*lines)),
        Some(WirePages::Documents(path)) => set.with_documents(&resolve(path)).map_err(message_of),
    }
}

/// Reads the test set of a folder with a manifest, and its languages.
pub fn from_folder(folder: &Path) -> Result<(TestSet, String), String> {
    let path = folder.join("testset.toml");
    let text = files::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let manifest: Manifest = toml::from_str(&text)
        .map_err(|error| format!("{}: {}", path.display(), with_suggestion(error.message())))?;
    let set = read(folder, &path, &manifest)?;
    if set.source.len() != manifest.lines {
        let (is, says) = (set.source.len(), manifest.lines);
        return Err(format!(
            "{}: the manifest says {says} lines, but the source has {is}; restore the file or correct `lines`",
            path.display()
        ));
    }
    if set.sha256 != manifest.sha256 {
        let remedy = "restore the files, or put the new sum into the manifest if you meant to change them";
        return Err(format!("{}: the files' sha256 is {}; {remedy}", path.display(), set.sha256));
    }
    Ok((set, manifest.languages))
}

/// The files that a manifest names.
fn read(folder: &Path, path: &Path, manifest: &Manifest) -> Result<TestSet, String> {
    let named = manifest.source.as_ref().or(manifest.pairs.as_ref());
    let file = match (named, &manifest.source, &manifest.pairs) {
        (Some(file), Some(_), None) | (Some(file), None, Some(_)) => folder.join(file),
        _ => return Err(format!("{}: it needs `source` or `pairs`, and one of them only", path.display())),
    };
    if let (Some(fetch), false) = (&manifest.fetch, file.exists()) {
        return Err(format!("{} is not shipped: {fetch}", file.display()));
    }
    if manifest.pairs.is_some() {
        return read_pairs(&manifest.name, &file);
    }
    let references: Vec<_> = manifest.references.iter().map(|file| folder.join(file)).collect();
    let set = TestSet::from_files(&manifest.name, &file, &references).map_err(message_of)?;
    paged(set, manifest.pages.as_ref(), |path| folder.join(path))
}

/// Whether `name` looks like a test set of sacrebleu (`multi30k/2016`, `wmt14/full`, `wmt20`) instead of a
/// path.
pub fn may_be_sacrebleu(name: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    !name.starts_with('.') && name.split('/').count() <= 3 && name.split('/').all(part)
}

/// Reads a test set of sacrebleu, with its documents as pages. sacrebleu downloads the set if its cache lacks
/// it.
pub fn from_sacrebleu(name: &str, languages: &str) -> Result<TestSet, String> {
    let files = scores::sacrebleu_files(name, languages).map_err(message_of)?;
    let name = format!("{name} {languages}");
    let set = TestSet::from_files(&name, &files.source, &files.references).map_err(message_of)?;
    let Some(documents) = files.documents else { return Ok(set) };
    let named = set.clone().with_documents(&documents).map_err(message_of)?;
    // sacrebleu calls all documents of some sets "unknown".
    Ok(if named.pages.len() > 1 { named } else { set })
}

fn message_of(error: impl ToString) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sacrebleu_names_are_told_from_paths() {
        assert!(may_be_sacrebleu("multi30k/2016"));
        assert!(may_be_sacrebleu("wmt14/full"));
        assert!(!may_be_sacrebleu("../testsets/captions-en-de"));
        assert!(!may_be_sacrebleu("a b"));
    }
}
