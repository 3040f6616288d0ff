//! The declared model beside the files that a system was seen to read. Large files that are not declared are
//! hidden: the size of the model then says nothing.

use std::path::{Path, PathBuf};

use dyno_record::rules::limits::{HIDDEN_BYTES, HIDDEN_SHARE, SEEN_SHARE};
use dyno_record::{Code, Reason};

use crate::files::{bytes_of, files_of};
use crate::sandbox::named_files;
use crate::supervisor::SeenFile;
use crate::system::System;

/// Reason if the files that `system` neither declares nor names in its command are large beside its models. A
/// system without a declared model has no size that they could contradict.
pub fn hidden_files(system: &System, seen: &[SeenFile]) -> Option<Reason> {
    if system.models.is_empty() {
        return None;
    }
    let named = named_files(system).into_iter().chain(files_of(&system.models));
    let named: Vec<_> = named.map(|path| path.canonicalize().unwrap_or(path)).collect();
    let is_named = |path: &Path| named.iter().any(|named| path.starts_with(named));
    let hidden: Vec<&SeenFile> = seen.iter().filter(|file| !is_named(&on_host(system, file))).collect();
    judge(&hidden, bytes_of(&system.models))
}

/// Whether `system` was seen to read the model that it declares; all that a system opens, if that is its model.
pub fn reads_its_model(system: &System, seen: &[SeenFile]) -> bool {
    let read = bytes_read_of_the_model(system, seen);
    read > 0 && (system.sized_by_sight || read as f64 >= SEEN_SHARE * bytes_of(&system.models) as f64)
}

/// Bytes of the model of `system` that it opens: of the files that it was seen to read, and of those too small to
/// be seen. `None` if no file was seen.
pub fn opened_bytes(system: &System, seen: &[SeenFile]) -> Option<u64> {
    let files = files_of(&system.models);
    let sizes = files.iter().filter_map(|file| Some(file.metadata().ok()?.len()));
    let small: u64 = sizes.filter(|&bytes| bytes < HIDDEN_BYTES).sum();
    Some(bytes_read_of_the_model(system, seen))
        .filter(|&read| read > 0)
        .map(|read| read.saturating_add(small))
}

/// Bytes of the files of its model that `system` was seen to read.
fn bytes_read_of_the_model(system: &System, seen: &[SeenFile]) -> u64 {
    // A folder may hold links to its files, as the cache of Hugging Face does.
    let models = system.models.iter().cloned().chain(files_of(&system.models));
    let models: Vec<_> = models.filter_map(|model| model.canonicalize().ok()).collect();
    let is_of_a_model =
        |file: &&SeenFile| models.iter().any(|model| on_host(system, file).starts_with(model));
    seen.iter().filter(is_of_a_model).map(|file| file.bytes).fold(0, u64::saturating_add)
}

fn on_host(system: &System, file: &SeenFile) -> PathBuf {
    let seen = Path::new(&file.path);
    system.places.as_ref().map_or_else(|| seen.into(), |places| places.on_host(seen))
}

fn judge(hidden: &[&SeenFile], declared: u64) -> Option<Reason> {
    let bytes = hidden.iter().map(|file| file.bytes).fold(0, u64::saturating_add);
    let largest = hidden.iter().max_by_key(|file| file.bytes)?;
    let figure = || {
        let name = dyno_api::printable_line(&largest.path.display().to_string());
        format!("reads {bytes} bytes beside its model of {declared} bytes, such as {name}")
    };
    (bytes as f64 > HIDDEN_SHARE * declared as f64).then(|| Code::HiddenFiles.reason(figure()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Places;

    #[test]
    fn files_count_beside_a_declared_model_unless_they_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().canonicalize().unwrap().join(name);
        for name in ["model", "vocab", "real"] {
            std::fs::write(path(name), vec![0; 1000]).unwrap();
        }
        let seen = |name: &str, bytes| SeenFile { path: path(name).into(), bytes };
        let vocab = path("vocab").display().to_string();
        let mut system = System::of_command("it", ["sh", vocab.as_str()]);
        let real = [seen("model", 1000), seen("vocab", 5000), seen("real", 5000)];
        assert_eq!(hidden_files(&system, &real), None, "nothing is declared");
        system.models = vec![path("model")];
        assert_eq!(hidden_files(&system, &real[..2]), None, "all is named");
        assert_eq!(hidden_files(&system, &[seen("real", 500)]), None, "small beside the model");
        assert!(reads_its_model(&system, &real), "the declared model was read");
        assert!(!reads_its_model(&system, &real[1..]), "a vocabulary is no model");
        assert!(!reads_its_model(&system, &[seen("model", 500)]), "half of the model");
        system.sized_by_sight = true;
        assert!(reads_its_model(&system, &[seen("model", 500)]), "what it opens is its model");
        system.sized_by_sight = false;
        std::fs::create_dir(path("snapshot")).unwrap();
        std::os::unix::fs::symlink("../real", path("snapshot/weights")).unwrap();
        system.models = vec![path("snapshot")];
        let blob = [seen("real", 1000)];
        assert_eq!(hidden_files(&system, &blob), None, "a link of the model's folder leads there");
        assert!(reads_its_model(&system, &blob), "behind the link");
        system.models = vec![path("model")];
        let mounts = vec![(path("model"), "/model".into())];
        system.places = Some(Places { root: None, mounts });
        let inside = [SeenFile { path: "/model/weights".into(), bytes: 5000 }];
        assert_eq!(hidden_files(&system, &inside), None, "the model, at its place in the sandbox");
        assert_eq!(opened_bytes(&system, &inside), Some(5000 + 1000), "with the small file");
        assert_eq!(opened_bytes(&system, &real[1..]), None, "nothing of the model was seen");
        let reason = hidden_files(&system, &real).expect("a hidden file");
        assert_eq!(reason.code, Code::HiddenFiles);
        assert!(
            reason.figure.contains("reads 5000 bytes beside its model of 1000 bytes"),
            "{}",
            reason.figure
        );
    }
}
