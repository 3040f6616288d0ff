use std::fs;
use std::path::Path;

use dyno_measure::host;

use super::Campaign;

/// Keys at the top of a campaign, in one order.
const KEYS: [&str; 6] = [
    "name = \"c\"",
    "profile = \"quick\"",
    "seed = 7",
    "tracks = [\"latency\", \"throughput-1\"]",
    "test-sets = [{ name = \"set\", source = \"source.en\" }]",
    "noisy-repeats = 2",
];

/// Keys of its system.
const SYSTEM: [&str; 4] =
    ["name = \"a\"", "command = [\"cat\", \"-u\"]", "environment = { A = \"1\" }", "sampling = true"];

/// Key of the run of a campaign with these lines.
fn key(folder: &Path, lines: &[&str]) -> String {
    let path = folder.join("campaign.toml");
    fs::write(&path, lines.join("\n")).unwrap();
    let campaign = Campaign::load(&path).unwrap_or_else(|failure| panic!("{lines:?}: {}", failure.error));
    campaign.identity(&host::detect().unwrap()).unwrap().key
}

#[test]
fn neither_the_order_of_keys_nor_comments_nor_blanks_make_another_run() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("source.en"), "A dog.\n").unwrap();
    let whole = |keys: &[&'static str], system: &[&'static str]| [keys, &["[[system]]"], system].concat();
    let plain = key(folder.path(), &whole(&KEYS, &SYSTEM));
    for turn in 1..KEYS.len() {
        let (mut keys, mut system) = (KEYS, SYSTEM);
        keys.rotate_left(turn);
        system.rotate_left(turn % SYSTEM.len());
        let lines = whole(&keys, &system);
        assert_eq!(key(folder.path(), &lines), plain, "{lines:?}");
        let spaced: Vec<String> = lines.iter().map(|line| format!("\n  {line} # = [\"\n\t\n")).collect();
        assert_eq!(key(folder.path(), &spaced.iter().map(String::as_str).collect::<Vec<_>>()), plain);
    }
    let other = [&KEYS[..2], &["seed = 8"], &KEYS[3..]].concat();
    assert_ne!(key(folder.path(), &whole(&other, &SYSTEM)), plain);
}
