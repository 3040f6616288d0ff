//! The files of a program: itself, the interpreter that its first line asks for, and the installation that it
//! is a part of. Without them a program doesn't start in an empty root.
//!
//! An installation is a folder with a `bin`, such as an environment of Python or of conda. A link leads to the
//! next installation: the program of an environment of Python is often a link to that of its base.

use std::path::{Path, PathBuf};

use super::resolution::Resolution;
use crate::program::{first_line, named};

/// Parts of an installation that its programs read; `conf` is one of Java.
const PARTS: [&str; 7] = ["bin", "conf", "lib", "lib32", "lib64", "libexec", "pyvenv.cfg"];
/// Folder of small programs that choose among several installations beside it, as pyenv, rbenv and asdf have it.
const SHIMS: &str = "shims";

/// Files and folders of the program `name`, which is found in `folder` if it has a slash, else along `path`.
pub(crate) fn installation(name: &str, folder: &Path, path: &str) -> Vec<PathBuf> {
    let mut search = Search { folder, path, programs: Vec::new(), parts: Vec::new() };
    search.add(name);
    search.programs.into_iter().chain(search.parts).collect()
}

pub(crate) fn program(name: &str, folder: &Path, path: &str) -> Option<PathBuf> {
    named(name, folder, path.as_ref()).into_iter().next()
}

struct Search<'a> {
    folder: &'a Path,
    path: &'a str,
    programs: Vec<PathBuf>,
    parts: Vec<PathBuf>,
}

impl Search<'_> {
    fn add(&mut self, name: &str) {
        let found = program(name, self.folder, self.path).filter(|file| !self.programs.contains(file));
        let Some(file) = found else { return };
        self.programs.push(file.clone());
        let links = Resolution::of(&file).links.into_iter().map(|(place, _)| place);
        for place in [file.clone()].into_iter().chain(links).chain(file.canonicalize()) {
            self.add_around(&place);
        }
        if let Some(interpreter) = first_line(&file).and_then(|words| interpreter(&words)) {
            self.add(&interpreter);
        }
    }

    fn add_around(&mut self, place: &Path) {
        let folder = place.parent().unwrap_or(place);
        let Some(prefix) = folder.parent().filter(|prefix| prefix.parent().is_some()) else { return };
        if folder.ends_with(SHIMS) {
            self.parts.push(prefix.to_owned());
        } else if folder.ends_with("bin") {
            self.parts.extend(PARTS.map(|part| prefix.join(part)).into_iter().filter(|part| part.exists()));
            self.base_of(prefix).into_iter().for_each(|base| self.add(&base));
        }
    }

    /// The base of an environment of Python whose program is a copy (PEP 405, the key `home`).
    fn base_of(&self, prefix: &Path) -> Option<String> {
        let text = dyno_api::files::read_to_string(&prefix.join("pyvenv.cfg")).ok()?;
        let home = text.lines().filter_map(|line| line.split_once('=')).find(|(key, _)| key.trim() == "home");
        home.map(|(_, folder)| format!("{}/python3", folder.trim()))
    }
}

/// Program that a script's first line starts, also by way of `env`.
fn interpreter(words: &[String]) -> Option<String> {
    let (first, further) = words.split_first()?;
    if !Path::new(first).ends_with("env") {
        return Some(first.clone());
    }
    further.iter().find(|word| !word.starts_with('-') && !word.contains('=')).cloned()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder with these empty files.
    fn tree(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for file in files {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), "").unwrap();
        }
        (folder, root)
    }

    #[test]
    fn an_environment_of_python_comes_with_its_base() {
        let (_kept, root) =
            tree(&["base/bin/python3", "base/lib/os.py", "base/secret", "venv/lib/x.py", "venv/notes"]);
        fs::create_dir(root.join("venv/bin")).unwrap();
        let own = |parts: &[PathBuf], name: &str| parts.contains(&root.join(name));
        for by_link in [true, false] {
            let (python, config) = (root.join("venv/bin/python3"), root.join("venv/pyvenv.cfg"));
            if by_link {
                symlink(root.join("base/bin/python3"), &python).unwrap();
            } else {
                fs::remove_file(&python).unwrap();
                fs::write(&python, "").unwrap();
                fs::write(config, format!("home = {}\n", root.join("base/bin").display())).unwrap();
            }
            let parts = installation("venv/bin/python3", &root, "");
            for part in ["venv/bin", "venv/lib", "base/bin", "base/lib"] {
                assert!(own(&parts, part), "{part}: {parts:?}");
            }
            assert!(
                !own(&parts, "base/secret") && !own(&parts, "venv/notes") && !own(&parts, "base"),
                "{parts:?}"
            );
        }
    }

    #[test]
    fn a_script_comes_with_its_interpreter_along_the_path() {
        let (_kept, root) =
            tree(&["theirs/bin/lua", "theirs/lib/x", "many/shims/run", "many/versions/1/bin/run"]);
        fs::write(root.join("it"), "#!/usr/bin/env -S lua -x\n").unwrap();
        let path = format!("{}:{}", root.join("many/shims").display(), root.join("theirs/bin").display());
        let parts = installation("./it", &root, &path);
        for part in ["./it", "theirs/bin/lua", "theirs/lib"] {
            assert!(parts.contains(&root.join(part)), "{part}: {parts:?}");
        }
        assert!(
            installation("run", &root, &path).contains(&root.join("many")),
            "shims need what they choose among"
        );
        assert!(installation("absent", &root, &path).is_empty());
    }
}
