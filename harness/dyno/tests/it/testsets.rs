//! Test sets: the one that ships, and sacrebleu's own.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Bench, Ended, skip};

fn listed(campaign: &str) -> Result<Value, Ended> {
    let bench = Bench::new(campaign);
    let ended = Ended::of(bench.dyno(&["list", "campaign.toml", "--json"]).output().unwrap());
    if ended.code == Some(0) { Ok(serde_json::from_str(&ended.stdout).unwrap()) } else { Err(ended) }
}

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testsets/captions-en-de")
}

#[test]
fn the_starter_set_is_what_its_manifest_says() {
    let set = format!("test-sets = [{:?}]\n", shipped().display().to_string());
    let list = listed(&format!("{set}[[system]]\nname = \"a\"\nbackend = \"null\"\n")).expect("it loads");
    let set = &list["test_sets"][0];
    assert_eq!(set["name"], "captions-en-de");
    assert!(set["lines"].as_u64().unwrap() >= 700, "{set}");
}

#[test]
fn a_campaign_may_take_the_first_lines_of_a_set_alone() {
    let of = |part: &str| {
        let set = shipped().display().to_string();
        listed(&format!(
            "test-sets = [{{ set = {set:?}, {part} }}]\n[[system]]\nname = \"a\"\nbackend = \"null\"\n"
        ))
    };
    let text = fs::read_to_string(shipped().join("source.en")).unwrap();
    let words: usize = text.lines().take(25).map(|line| line.split_whitespace().count()).sum();
    for part in ["first = 25", "first = 25, pages = 10"] {
        let set = &of(part).expect("it loads")["test_sets"][0];
        assert_eq!(
            (&set["name"], &set["lines"], &set["words"]),
            (&json!("captions-en-de, first 25"), &json!(25), &json!(words))
        );
    }
    of("first = 0").unwrap_err().assert_says(2, &["`first` is 0"]);
}

#[test]
fn a_test_set_edited_by_accident_is_refused() {
    let bench = Bench::new("test-sets = [\"set\"]\n[[system]]\nname = \"a\"\nbackend = \"null\"\n");
    fs::create_dir(bench.path("set")).unwrap();
    for entry in fs::read_dir(shipped()).unwrap().flatten() {
        fs::copy(entry.path(), bench.path("set").join(entry.file_name())).unwrap();
    }
    let manifest = fs::read_to_string(bench.path("set/testset.toml")).unwrap();
    let source = bench.path("set/source.en");
    let text = fs::read_to_string(&source).unwrap();
    fs::write(&source, text.replacen('.', "!", 1)).unwrap();
    bench.run(&[]).assert_says(2, &["testset.toml", "sha256", "restore the files"]);
    fs::write(&source, format!("{text}One more.\n")).unwrap();
    bench.run(&[]).assert_says(2, &["lines, but"]);
    fs::write(bench.path("set/testset.toml"), manifest.replace("name", "nome")).unwrap();
    bench.run(&[]).assert_says(2, &["testset.toml", "nome"]);
}

#[test]
fn sacrebleus_own_names_work() {
    // The cache of this variable holds the set; without it a network would be needed.
    if std::env::var_os("SACREBLEU").is_none() {
        return skip("SACREBLEU is not set: multi30k/2016 is not tried");
    }
    let campaign = "languages = \"en-de\"\ntest-sets = [\"multi30k/2016\"]\n[[system]]\nname = \"a\"\nbackend = \"null\"\n";
    let list = match listed(campaign) {
        Err(ended) if ended.stderr.contains("can't create") => {
            return skip("the cache can't be written: sacrebleu, and multi30k/2016 with it, isn't tried");
        }
        list => list.expect("sacrebleu gives its files"),
    };
    assert_eq!(list["test_sets"][0]["lines"], 1000);
    assert_eq!(list["test_sets"][0]["words"], 11_877);
}

#[test]
fn sacrebleus_documents_are_pages_unless_all_are_unknown() {
    let Some(collection) = std::env::var_os("SACREBLEU").map(PathBuf::from) else {
        return skip("SACREBLEU is not set: the documents of wmt19 are not tried");
    };
    let campaign =
        "languages = \"en-de\"\ntest-sets = [\"wmt19\"]\n[[system]]\nname = \"a\"\nbackend = \"null\"\n";
    let bench = Bench::new(campaign);
    fs::create_dir_all(bench.path("sacrebleu/wmt19")).unwrap();
    for entry in fs::read_dir(collection.join("wmt19")).unwrap().flatten() {
        fs::copy(entry.path(), bench.path("sacrebleu/wmt19").join(entry.file_name())).unwrap();
    }
    let pages = |name: fn(usize) -> String| {
        bench.write("sacrebleu/wmt19/wmt19.en-de.docid", (0..1997).map(name).collect::<String>());
        let mut list = bench.dyno(&["list", "campaign.toml", "--json"]);
        let ended = Ended::of(list.env("SACREBLEU", bench.path("sacrebleu")).output().unwrap());
        if ended.stderr.contains("can't create") {
            skip("the cache can't be written: sacrebleu, and wmt19 with it, isn't tried");
            return None;
        }
        assert_eq!(ended.code, Some(0), "{ended:?}");
        serde_json::from_str::<Value>(&ended.stdout).unwrap()["test_sets"][0]["pages"].as_u64()
    };
    assert!(pages(|line| format!("document {}\n", line / 20)).is_none_or(|pages| pages == 100));
    assert!(pages(|_| "unknown\n".into()).is_none_or(|pages| pages == 500), "four lines each");
}
