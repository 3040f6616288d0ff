//! Where test data is: small files in the repository, big ones in the folder that `DYNO_FIXTURES` names.

use std::path::{Path, PathBuf};

/// A file of `tests/goldens`.
pub fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name)
}

/// A file of the fixtures; where there are none, says that `test` was skipped.
pub fn fixture(name: &str, test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("DYNO_FIXTURES");
    if folder.is_none() {
        eprintln!("skipped: {test} needs `{name}` in the folder that DYNO_FIXTURES names");
    }
    folder.map(|folder| Path::new(&folder).join(name))
}

/// The models of `tests/goldens`, by name.
pub const MODELS: [&str; 15] = [
    "unigram-nmt",
    "unigram-bytes",
    "unigram-rules",
    "unigram-suffix",
    "unigram-spaces",
    "unigram-ties",
    "bpe-ties",
    "bpe-unused",
    "bpe-plain",
    "bpe-bytes",
    "bpe-symbols",
    "bpe-suffix",
    "bpe-across",
    "word",
    "char",
];
