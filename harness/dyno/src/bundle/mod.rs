//! Submissions made of our own models: a folder with the model, this program, and the scripts of the dialect.
//! The file of the dialect in `templates/dialects/` has the scripts; `elf` finds whether a program is static.

mod elf;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use dyno_measure::files::{bytes_of, collect_files};
use tera::{Context, Tera};

use crate::exit::Outcome;
use crate::submission::Dialect;

pub use elf::is_static;

/// Bytes of a file from which on it is left out unless the engine opens it: weights of other precisions are
/// larger, configurations smaller.
const WEIGHTS_BYTES: u64 = 1 << 20;
const PROGRAM: &str = "dyno";

pub struct Bundle<'a> {
    pub dialect: Dialect,
    pub model: &'a Path,
    /// Files of the model that the engine opens.
    pub opened: Vec<PathBuf>,
    pub program: &'a Path,
    /// Whether the program needs no library of its host.
    pub is_static: bool,
    pub options: &'a [String],
    /// Language pair, in the task's own words; empty if the dialect names none.
    pub pair: &'a str,
}

/// Sizes of a submission, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub model_bytes: u64,
    pub program_bytes: u64,
    pub bytes: u64,
}

impl Bundle<'_> {
    /// Writes the submission to `folder`, which must not exist. It is made aside first, so that no half of it
    /// stays.
    pub fn write(&self, folder: &Path) -> Outcome<Sizes> {
        if folder.exists() {
            refuse!("{} exists already; name another folder with -o", folder.display());
        }
        let above = folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let no_room = |error| bad_input!("can't write to {}: {error}; choose another -o", above.display());
        fs::create_dir_all(above).map_err(no_room)?;
        let aside = tempfile::tempdir_in(above).map_err(no_room)?;
        let sizes = self.fill(aside.path()).map_err(no_room)?;
        fs::set_permissions(aside.path(), fs::Permissions::from_mode(0o755))?;
        fs::rename(aside.keep(), folder).map_err(no_room)?;
        Ok(sizes)
    }

    fn fill(&self, folder: &Path) -> io::Result<Sizes> {
        let context = self.context();
        let filled = |text: &str| Tera::one_off(text, &context, false).map_err(io::Error::other);
        let mut home = folder.to_owned();
        for (path, template) in &self.dialect.files {
            let path = folder.join(filled(path)?);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(&path, filled(template)?)?;
            if path.extension().is_some_and(|kind| kind == "sh") {
                // Program and model lie beside the scripts.
                make_executable(&path)?;
                home = path.parent().unwrap_or(folder).to_owned();
            }
        }
        let (model, program) = (home.join("model"), home.join(PROGRAM));
        self.copy_model(&model)?;
        fs::copy(self.program, &program)?;
        make_executable(&program)?;
        let [model_bytes, program_bytes, bytes] =
            [model, program, folder.to_owned()].map(|path| bytes_of(&[path]));
        Ok(Sizes { model_bytes, program_bytes, bytes })
    }

    /// Words of the templates.
    fn context(&self) -> Context {
        let words = self.options.iter().map(String::as_str);
        let options = shlex::try_join(words).unwrap_or_default(); // options of a process hold no NUL
        let mut context = Context::new();
        context.insert("name", &self.name());
        context.insert("options", &options);
        context.insert("pair", self.pair);
        context.insert("is_static", &self.is_static);
        context
    }

    /// Copies the files that the engine opens, and the small ones, which configure it.
    fn copy_model(&self, to: &Path) -> io::Result<()> {
        let mut files = Vec::new();
        collect_files(self.model, &mut files)?;
        let opened: BTreeSet<_> = self.opened.iter().filter_map(|path| path.canonicalize().ok()).collect();
        for file in files {
            let is_opened = file.canonicalize().is_ok_and(|file| opened.contains(&file));
            if is_opened || file.metadata()?.len() < WEIGHTS_BYTES {
                let at = to.join(file.strip_prefix(self.model).unwrap_or(&file));
                fs::create_dir_all(at.parent().unwrap_or(to))?;
                fs::copy(&file, at)?;
            }
        }
        Ok(())
    }

    /// Name of the model: that of its folder.
    fn name(&self) -> String {
        let folder = self.model.canonicalize().unwrap_or_else(|_| self.model.to_owned());
        folder.file_name().unwrap_or_default().display().to_string()
    }
}

fn make_executable(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_the_files_of_its_dialect_and_no_other_weights() {
        let source = tempfile::tempdir().unwrap();
        let model = source.path().join("mine");
        fs::create_dir(&model).unwrap();
        let program = source.path().join("program");
        fs::write(&program, "program").unwrap();
        for (name, bytes) in [("model.toml", 10), ("weights.int8", 2 << 20), ("weights.f32", 8 << 20)] {
            fs::write(model.join(name), vec![0; bytes]).unwrap();
        }
        for (dialect, home, further) in [
            ("wmt22", "", "Containerfile"),
            ("wmt25", "model/mine/", "Containerfile"),
            ("wmt26", "", "setup.sh"),
        ] {
            let dialect = Dialect::try_from(dialect.to_owned()).unwrap();
            let bundle = Bundle {
                dialect,
                model: &model,
                opened: vec![model.join("weights.int8")],
                program: &program,
                is_static: true,
                options: &["--set".into(), "a=b c".into()],
                pair: "en-de",
            };
            let folder = source.path().join(&dialect.name);
            let sizes = bundle.write(&folder).unwrap();
            let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
            assert_eq!((sizes.model_bytes, sizes.program_bytes), ((2 << 20) + 10, 7));
            assert!(text(&format!("{home}run.sh")).contains("--set 'a=b c'"), "{}", dialect.name);
            assert!(!text(&format!("{home}run.sh")).contains("{{"), "nothing is left to fill");
            assert!(folder.join(further).is_file() && folder.join(format!("{home}dyno")).is_file());
            let refused = bundle.write(&folder).unwrap_err().error.to_string();
            assert!(refused.contains("exists already"), "{refused}");
        }
    }
}
