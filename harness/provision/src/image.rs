//! Images of containers as submissions: `podman:NAME` or `docker:NAME`.
//!
//! The engine of containers only unpacks the image, into the user's cache. The unpacked root file system then
//! runs in the sandbox, below the supervisor. In a container of the engine, cores, CPU time, memory and stops
//! would be those of the engine's client.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::error::{Result, refused};
use crate::{Listener, cache_folder, last_line};

/// Engines of containers, whose commands are alike.
const ENGINES: [&str; 2] = ["podman", "docker"];

/// An image of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    engine: &'a str,
    name: &'a str,
}

/// What an engine tells of an image: an item of its answer to `image inspect`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Inspected {
    id: String,
    config: Option<Config>,
}

/// Settings of an image's programs.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Config {
    env: Option<Vec<String>>,
}

impl<'a> Image<'a> {
    /// The image that `text` names; `None` for a folder.
    pub fn named(text: &'a str) -> Option<Self> {
        let (engine, name) = text.split_once(':')?;
        (ENGINES.contains(&engine) && !name.is_empty() && !name.starts_with('-'))
            .then_some(Self { engine, name })
    }

    /// Folder with the image's files, and the variables of its environment. The folder is made on first use.
    pub fn unpacked(&self, say: Listener<'_>) -> Result<(PathBuf, Vec<(String, String)>)> {
        let (id, variables) = self.described(&self.ask(&["image", "inspect", self.name])?)?;
        let folder = cache_folder()?.join("images").join(id);
        if !folder.is_dir() {
            self.unpack(&folder, say)?;
        }
        Ok((folder, variables))
    }

    /// Digest of the image, and the variables of its environment, by the engine's answer to `image inspect`.
    pub fn described(&self, answer: &str) -> Result<(String, Vec<(String, String)>)> {
        let Self { engine, name } = self;
        let unknown =
            |fault| refused!("{engine} describes {name} in no known form: {fault}; unpack the image by hand");
        let images: Vec<Inspected> =
            serde_json::from_str(answer).map_err(|fault| unknown(fault.to_string()))?;
        let first = images.into_iter().next().ok_or_else(|| refused!("no image {name}; pull or load it"))?;
        let digest = first.id.rsplit(':').next().unwrap_or_default();
        // It names a folder.
        if digest.is_empty() || !digest.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(unknown(format!("{:?} is no digest", first.id)));
        }
        let variables = first.config.and_then(|config| config.env).unwrap_or_default();
        let pairs = variables.iter().filter_map(|pair| pair.split_once('='));
        Ok((digest.into(), pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()))
    }

    /// Unpacks aside, so that a folder is whole.
    fn unpack(&self, folder: &Path, say: Listener<'_>) -> Result<()> {
        say(format_args!("unpacking {} into {}", self.name, folder.display()));
        let above = folder.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(above)?;
        // Programs in an image may be setuid: other users of this host must not reach them.
        fs::set_permissions(above, fs::Permissions::from_mode(0o700))?;
        let aside = tempfile::tempdir_in(above)?;
        // The container is never started. An image without a command of its own needs one.
        let created = self.ask(&["create", "--network=none", self.name, "/run.sh"])?;
        let container = created.trim();
        let copied = self.copy(container, aside.path());
        self.ask(&["rm", container])?;
        copied?;
        fs::set_permissions(aside.path(), fs::Permissions::from_mode(0o755))?;
        Ok(fs::rename(aside.keep(), folder)?)
    }

    /// Streams the files of `container` into `folder`.
    fn copy(&self, container: &str, folder: &Path) -> Result<()> {
        let mut export = Command::new(self.engine);
        let mut export = export.args(["export", container]).stdout(Stdio::piped()).spawn()?;
        let stream = export.stdout.take().map_or_else(Stdio::null, Stdio::from);
        // The user's own files, without devices, which only root could make.
        let mut tar = Command::new("tar");
        tar.args(["-x", "--no-same-owner", "--exclude=dev/*", "-C"]).arg(folder);
        let unpacked = tar.stdin(stream).status()?;
        let exported = export.wait()?;
        match exported.success() && unpacked.success() {
            true => Ok(()),
            false => {
                Err(refused!("can't unpack {}: {exported}, tar: {unpacked}; unpack it by hand", self.name))
            }
        }
    }

    /// Standard output of the engine's command.
    fn ask(&self, arguments: &[&str]) -> Result<String> {
        let engine = self.engine;
        let asked = Command::new(engine).args(arguments).stdin(Stdio::null()).output();
        let asked = asked.map_err(|error| {
            refused!("can't start {engine}: {error}; install it, or give an unpacked folder")
        })?;
        if asked.status.success() {
            return Ok(String::from_utf8_lossy(&asked.stdout).into_owned());
        }
        let last = last_line(&asked.stderr);
        let line = shlex::try_join(arguments.iter().copied()).unwrap_or_default();
        Err(refused!("{engine} {line}: {last}; pull or load the image, or give an unpacked folder"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_named_by_its_engine_and_a_path_is_none() {
        let image = Image::named("docker:host/team/mine:1.0").unwrap();
        assert_eq!(image, Image { engine: "docker", name: "host/team/mine:1.0" });
        for path in ["mine", "./docker:x", "lxc:mine", "podman:", "a/b:c", "podman:--root=x"] {
            assert_eq!(Image::named(path), None, "{path}");
        }
    }

    #[test]
    fn an_image_is_described_by_its_digest_and_its_environment() {
        let described = |answer: &str| Image::named("podman:mine").unwrap().described(answer);
        let answer = r#"[{"Id": "sha256:abc", "Config": {"Env": ["A=b=c", "D"]}}]"#;
        assert_eq!(described(answer).unwrap(), ("abc".into(), vec![("A".into(), "b=c".into())]));
        assert!(described(r#"[{"Id": "abc", "Config": {"Env": null}}]"#).unwrap().1.is_empty());
        for (answer, fault) in [
            ("[]", "no image mine; pull"),
            ("[{}]", "missing field `Id`"),
            (r#"[{"Id": "../a"}]"#, "no digest"),
        ] {
            assert!(described(answer).unwrap_err().to_string().contains(fault), "{answer}");
        }
    }
}
