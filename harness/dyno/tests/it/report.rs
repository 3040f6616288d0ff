//! The report: one offline page, whatever the systems are called and whatever they say.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Ended, path};

/// A run that never was, and dyno to report on it.
pub struct Synthetic {
    folder: TempDir,
}

impl Synthetic {
    pub fn new(arguments: &[&str]) -> Self {
        let synthetic = Self { folder: tempfile::tempdir().unwrap() };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/synthetic-run.py");
        let made = Command::new("python3")
            .env("PATH", path())
            .arg(script)
            .arg(synthetic.run())
            .args(arguments)
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        synthetic
    }

    fn run(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    fn report(&self, arguments: &[&str]) -> Ended {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
        command.env("PATH", path());
        command
            .arg("report")
            .arg(self.run())
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        Ended::of(command.output().unwrap())
    }

    /// The page, written beside the records.
    pub fn page(&self) -> PathBuf {
        let ended = self.report(&[]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        self.run().join("report.html")
    }
}

#[test]
fn hostile_names_and_texts_stay_text() {
    let page =
        fs::read_to_string(Synthetic::new(&["--hostile", "--systems", "9", "--lines", "40"]).page()).unwrap();
    for markup in ["<script>alert", "<img", "onerror=alert(1)>\n<"] {
        assert!(!page.contains(markup), "{markup}");
    }
    // What looks like a template is shown as it is: nothing of it was executed, and no template of the page is left.
    let hostile = ["{{ view }}{% raw %}", "{{ view …raw %}"]; // whole, and in a label that is short of space
    let rest = hostile.iter().fold(page.clone(), |rest, text| rest.replace(text, ""));
    assert!(!rest.contains("{{") && !rest.contains("{%"), "a template that nobody filled");
    assert!(page.contains("{{ view }}{% raw %}"), "a name like a template is shown as it is");
    assert!(page.contains("default-src 'none'"));
    for address in ["http://", "https://", "//cdn", "@import", "url("] {
        assert!(!page.contains(address), "{address}");
    }
}

#[test]
#[ignore = "takes many seconds"]
fn a_page_of_twenty_systems_stays_below_five_megabytes_and_is_the_same_every_time() {
    let synthetic = Synthetic::new(&["--systems", "20", "--lines", "3003"]);
    let page = fs::read(synthetic.page()).unwrap();
    assert!(page.len() < 5_000_000, "{} bytes", page.len());
    assert!(page == fs::read(synthetic.page()).unwrap(), "the same run gives the same page");
    let text = String::from_utf8(page).unwrap();
    for heading in [
        "Can the numbers be trusted?",
        "Quality against cost",
        "Latency",
        "Where the time goes",
        "Cores, sizes and memory",
        "Translations side by side",
        "Every figure",
        "How it was measured",
    ] {
        assert!(text.contains(heading), "{heading}");
    }
    assert!(text.contains("INVALID in latency: hung"), "the trust panel names what was INVALID, and why");
}

/// Compares with a file of the expected text; `DYNO_BLESS=1` writes it instead.
fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/report").join(name);
    if std::env::var("DYNO_BLESS").is_ok_and(|bless| bless == "1") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differs = expected.lines().zip(text.lines()).position(|(a, b)| a != b);
    assert!(
        expected == text,
        "{name} differs (line {differs:?}); if that is meant, DYNO_BLESS=1 writes it anew"
    );
}

#[test]
fn figures_and_tables_are_as_they_were_when_they_were_looked_at() {
    let synthetic = Synthetic::new(&["--systems", "9", "--lines", "60"]);
    let ended = synthetic.report(&["--figures", "figures", "--markdown", "--published", "marian"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_golden("report.md", &ended.stdout);
    let mut names: Vec<String> = fs::read_dir(synthetic.folder.path().join("figures"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_golden("figures.txt", &(names.join("\n") + "\n"));
    for name in names {
        // An element a line, so that a difference can be read.
        let drawing = fs::read_to_string(synthetic.folder.path().join("figures").join(&name)).unwrap();
        assert_golden(&name, &drawing.replace("><", ">\n<"));
    }
}

#[test]
fn a_readme_shows_the_picture_for_light_and_dark_from_where_it_lies() {
    let synthetic = Synthetic::new(&["--systems", "5", "--lines", "60", "--hostile"]);
    let docs = synthetic.folder.path().join("docs");
    fs::create_dir(&docs).unwrap();
    fs::write(docs.join("a.md"), "<!-- dyno report: begin -->\nold\n<!-- dyno report: end -->\n").unwrap();
    let ended = synthetic.report(&["--figures", "figures", "--readme", "docs/a.md", "--json"]);
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    let text = fs::read_to_string(docs.join("a.md")).unwrap();
    let pictures: Vec<&str> = text.split('"').filter(|part| part.ends_with(".svg")).collect();
    assert_eq!(pictures, ["../figures/bleu-dollars-dark.svg", "../figures/bleu-dollars.svg"], "{text}");
    for picture in pictures {
        assert!(docs.join(picture).exists(), "{picture}");
    }
    assert!(!text.contains("old") && !text.contains("<script>") && !text.contains("<img src=x"), "{text}");
    assert!(text.contains("dyno report "), "{text}");
    assert_eq!(answer["readme"], "docs/a.md");
    assert!(
        answer["says"]["test_sets"][0]["frontier"]["rows"].as_array().is_some_and(|rows| !rows.is_empty())
    );
}

#[test]
fn what_cannot_be_reported_is_told() {
    let synthetic = Synthetic::new(&["--systems", "2", "--lines", "10"]);
    synthetic.report(&["--published", "nobody"]).assert_says(2, &["nobody", "Marian 2018"]);
    synthetic.report(&["-o", "no/such/folder/page.html"]).assert_says(2, &["no/such/folder", "-o"]);
    fs::remove_file(synthetic.run().join("run.json")).unwrap();
    synthetic.report(&[]).assert_says(2, &["no run folder"]);
}

#[test]
fn a_run_without_quality_is_still_reported() {
    let synthetic = Synthetic::new(&["--systems", "3", "--lines", "10"]);
    fs::remove_file(synthetic.run().join("scores.json")).unwrap();
    let page = fs::read_to_string(synthetic.page()).unwrap();
    assert!(page.contains("No quality was scored"));
    assert!(page.contains("dyno score"));
}
