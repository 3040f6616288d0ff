//! Submissions made of our own models: a folder with the model, this program, and the scripts of the dialect.
//! The file of the dialect in `templates/dialects/` has the scripts.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use dyno_measure::files::{bytes_of, files_at};
use tera::{Context, Tera};

use crate::exit::Outcome;
use crate::output::{folder_of, name_of};
use crate::submission::Dialect;

/// Bytes of a file from which on it is left out unless the engine opens it: weights of other precisions are
/// larger, configurations smaller.
const WEIGHTS_BYTES: u64 = 1 << 20;
const PROGRAM: &str = "dyno";

/// Type of the segment that names the loader of shared libraries: elf(5), PT_INTERP.
const INTERPRETER: u32 = 3;

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
        let above = folder_of(folder);
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
        context.insert("name", &name_of(self.model));
        context.insert("options", &options);
        context.insert("pair", self.pair);
        context.insert("is_static", &self.is_static);
        context
    }

    /// Copies the files that the engine opens, and the small ones, which configure it.
    fn copy_model(&self, to: &Path) -> io::Result<()> {
        let opened: BTreeSet<_> = self.opened.iter().filter_map(|path| path.canonicalize().ok()).collect();
        for file in files_at(self.model)? {
            let is_opened = file.canonicalize().is_ok_and(|file| opened.contains(&file));
            if is_opened || file.metadata()?.len() < WEIGHTS_BYTES {
                let at = to.join(file.strip_prefix(self.model).unwrap_or(&file));
                fs::create_dir_all(at.parent().unwrap_or(to))?;
                fs::copy(&file, at)?;
            }
        }
        Ok(())
    }
}

fn make_executable(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

/// Whether the program at `path` needs no loader, and so no library of its host. `None` for a file that is no
/// program of 64 bits.
pub fn is_static(path: &Path) -> io::Result<Option<bool>> {
    let mut file = dyno_api::files::open(path)?;
    let mut head = [0; 64];
    if file.read_exact(&mut head).is_err() || head[..6] != *b"\x7fELF\x02\x01" {
        return Ok(None);
    }
    // elf(5), Elf64_Ehdr: e_phoff at 32, e_phentsize at 54, e_phnum at 56.
    let [size, number] = [54, 56].map(|at| u16::from_le_bytes([head[at], head[at + 1]]));
    let offset = head[32..40].iter().rev().fold(0, |offset, &byte| offset << 8 | u64::from(byte));
    file.seek(SeekFrom::Start(offset))?;
    let mut segments = vec![0; usize::from(size) * usize::from(number)];
    file.read_exact(&mut segments)?;
    let mut kinds = segments.chunks(usize::from(size).max(4)).map(|segment| &segment[..4]);
    Ok(Some(!kinds.any(|kind| kind == INTERPRETER.to_le_bytes())))
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
            (Dialect::Wmt22, "", "Containerfile"),
            (Dialect::Wmt25, "model/mine/", "Containerfile"),
            (Dialect::Wmt26, "", "setup.sh"),
        ] {
            let bundle = Bundle {
                dialect,
                model: &model,
                opened: vec![model.join("weights.int8")],
                program: &program,
                is_static: true,
                options: &["--set".into(), "a=b c".into()],
                pair: "en-de",
            };
            let folder = source.path().join(dialect.name());
            let sizes = bundle.write(&folder).unwrap();
            let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
            assert_eq!((sizes.model_bytes, sizes.program_bytes), ((2 << 20) + 10, 7));
            assert!(text(&format!("{home}run.sh")).contains("--set 'a=b c'"), "{dialect}");
            assert!(!text(&format!("{home}run.sh")).contains("{{"), "nothing is left to fill");
            assert!(folder.join(further).is_file() && folder.join(format!("{home}dyno")).is_file());
            let refused = bundle.write(&folder).unwrap_err().error.to_string();
            assert!(refused.contains("exists already"), "{refused}");
        }
    }

    /// A program with segments of these types.
    fn program(kinds: &[u32]) -> tempfile::NamedTempFile {
        let mut bytes = b"\x7fELF\x02\x01".to_vec();
        bytes.resize(64, 0);
        (bytes[32], bytes[54], bytes[56]) = (64, 56, kinds.len() as u8);
        for kind in kinds {
            bytes.extend(kind.to_le_bytes());
            bytes.extend([0; 52]);
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), bytes).unwrap();
        file
    }

    #[test]
    fn a_program_without_a_loader_is_static() {
        let told = |kinds: &[u32]| is_static(program(kinds).path()).unwrap();
        assert_eq!((told(&[1, 2]), told(&[6, 3, 1]), told(&[])), (Some(true), Some(false), Some(true)));
        let script = tempfile::NamedTempFile::new().unwrap();
        fs::write(script.path(), "#!/bin/sh\n".repeat(20)).unwrap();
        assert_eq!(is_static(script.path()).unwrap(), None);
    }
}
