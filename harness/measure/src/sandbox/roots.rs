//! The root of a sandbox: an empty one, with what every program needs of the host.
//!
//! All of it is read-only. The host's other folders, such as homes, don't exist in a sandbox.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders of the operating system with programs and their libraries; the last two are those of Nix and Guix.
const SYSTEM: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];
/// Parts of /etc that libraries read: where shared libraries and alternatives lie, names of users and of this
/// host, the time zone, certificates. Keys and passwords lie elsewhere. Each part costs a launch 0.1 ms.
const SETTINGS: &str = "alternatives group hosts ld.so.cache localtime nsswitch.conf os-release passwd pki/ca-trust \
                        pki/tls/certs ssl/certs";
/// Beginning of the folders of /etc that hold the settings of a Java, without which it doesn't start.
const JAVA: &str = "java-";
/// The kernel's facts about cores, caches and memory.
const KERNEL: &str = "/sys/devices/system";
/// Names of servers, for what may use the network.
const NAME_SERVERS: &str = "/etc/resolv.conf";

pub(crate) fn of_host() -> Vec<PathBuf> {
    let etc = Path::new("/etc");
    let entries = fs::read_dir(etc).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let java = names.filter(|name| name.starts_with(JAVA)).map(|name| etc.join(name));
    let settings = SETTINGS.split(' ').map(|name| etc.join(name));
    let paths = SYSTEM.iter().chain([&KERNEL]).map(PathBuf::from).chain(settings).chain(java);
    paths.filter(|path| path.exists()).collect()
}

/// File with the name servers, and the path at which programs look for it.
pub(crate) fn name_servers() -> Option<(PathBuf, PathBuf)> {
    Some((Path::new(NAME_SERVERS).canonicalize().ok()?, NAME_SERVERS.into()))
}

/// Options that put a file, a folder or a link of the host at its own path.
pub(crate) fn same(path: &Path) -> Vec<String> {
    match fs::read_link(path) {
        Ok(target) => words("--symlink", &[&target, path]),
        Err(_) => words("--ro-bind", &[path, path]),
    }
}

/// Options that cover `at`, where the system would see `path` of the host.
pub(crate) fn cover(path: &Path, at: &Path) -> Vec<String> {
    match path.is_dir() {
        true => words("--tmpfs", &[at]),
        false => words("--ro-bind", &[Path::new("/dev/null"), at]),
    }
}

pub(crate) fn words(option: &str, paths: &[&Path]) -> Vec<String> {
    [option.to_owned()].into_iter().chain(paths.iter().map(|path| path.display().to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_has_programs_and_no_homes() {
        let root = of_host();
        assert!(root.contains(&"/usr".into()), "{root:?}");
        for absent in
            ["/home", "/root", "/etc", "/etc/shadow", "/etc/ssl", "/var", "/run", "/proc", "/sys", "/opt"]
        {
            assert!(!root.contains(&absent.into()), "{absent}");
        }
    }

    #[test]
    fn a_file_is_covered_by_an_empty_one_and_a_folder_by_an_empty_one() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(cover(file.path(), Path::new("/model/x")), ["--ro-bind", "/dev/null", "/model/x"]);
        assert_eq!(cover(Path::new("/"), Path::new("/model")), ["--tmpfs", "/model"]);
    }
}
