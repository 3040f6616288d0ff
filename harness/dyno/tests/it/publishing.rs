//! What happens to a run afterwards: prices, publishing; and what the host is said to be like.

use std::fs;

use serde_json::Value;

use crate::support::{Bench, Ended, LATENCY};

fn bench() -> Bench {
    Bench::new(&format!("probes = []\n{LATENCY}[[system]]\nname = \"null\"\nbackend = \"null\"\n"))
}

fn dyno(bench: &Bench, arguments: &[&str]) -> Ended {
    Ended::of(bench.dyno(arguments).output().expect("dyno starts"))
}

#[test]
fn a_run_is_published_once_and_whole() {
    let bench = bench();
    assert_eq!(bench.run(&[]).code, Some(0));
    let ended = dyno(&bench, &["publish", "out", "--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    let place = bench.path(answer["published"].as_str().unwrap());
    for file in [
        "run.json",
        "records.jsonl",
        "summary.csv",
        "outputs",
        "testsets",
        "histograms",
        "report.html",
        "README.md",
    ] {
        assert!(place.join(file).exists(), "{file}");
    }
    assert!(!place.join("run.lock").exists());
    let here = bench.path(".").canonicalize().unwrap();
    for file in ["run.json", "records.jsonl", "verified.json", "report.html"] {
        let text = fs::read_to_string(place.join(file)).unwrap();
        assert!(!text.contains(here.to_str().unwrap()), "{file} tells where it was measured");
    }
    let before = fs::read(place.join("records.jsonl")).unwrap();
    dyno(&bench, &["publish", "out"]).assert_says(2, &["exists already", "--as"]);
    assert_eq!(fs::read(place.join("records.jsonl")).unwrap(), before);
    assert_eq!(dyno(&bench, &["publish", "out", "--as", "again"]).code, Some(0));
    dyno(&bench, &["publish", "out", "--as", "../x"]).assert_says(2, &["invalid name \"../x\""]);
    dyno(&bench, &["publish", "out", "--to", "tiny.en"]).assert_says(2, &["tiny.en", "it is a file", "--to"]);
    dyno(&bench, &["publish", "out", "--to", "tiny.en/a"]).assert_says(2, &["tiny.en/a", "--to"]);
    assert_eq!(fs::read_dir(bench.path("results")).unwrap().count(), 2, "nothing half-published is left");
    assert_eq!(dyno(&bench, &["compare", place.to_str().unwrap(), "out"]).code, Some(7), "three rounds");
}

#[test]
fn only_the_runs_own_regular_files_are_published() {
    let bench = bench();
    assert_eq!(bench.run(&[]).code, Some(0));
    let refused = |arguments: &[&str], parts: &[&str]| {
        dyno(&bench, &[&["publish", "out"], arguments].concat()).assert_says(2, parts);
        assert!(!bench.path("results").exists() || fs::read_dir(bench.path("results")).unwrap().count() == 0);
    };
    bench.write("secret", "root:x:0:0");
    for (link, to) in [("outputs/x.txt", "../../secret"), ("figures", "..")] {
        std::os::unix::fs::symlink(to, bench.path("out").join(link)).unwrap();
        refused(&[], &[link, "a symbolic link", "put a copy of the file in its place"]);
        fs::remove_file(bench.path("out").join(link)).unwrap();
    }
    refused(&["--to", "out/results"], &["is inside the run", "--to"]);
    refused(&["--as", &"a".repeat(300)], &["invalid name", "1 to 60 letters"]);
}

#[test]
fn what_a_killed_publish_left_is_removed_and_another_at_work_is_let_be() {
    let bench = bench();
    bench.run(&[]);
    for folder in ["killed", "working"] {
        fs::create_dir_all(bench.path(&format!("results/.publishing-{folder}/run"))).unwrap();
        bench.write(&format!("results/.publishing-{folder}/.lock"), "");
    }
    let lock = fs::File::open(bench.path("results/.publishing-working/.lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(dyno(&bench, &["publish", "out"]).code, Some(0));
    assert!(!bench.path("results/.publishing-killed").exists());
    assert_eq!(
        fs::read_dir(bench.path("results")).unwrap().count(),
        2,
        "the published run, and the other's folder"
    );
}

#[test]
#[ignore = "takes many seconds"]
fn a_signal_in_the_middle_of_a_publish_leaves_nothing() {
    let bench = bench();
    bench.run(&[]);
    // Each file is synced to the disk, so that thousands of them outlast the look for the temporary folder.
    fs::create_dir(bench.path("out/figures")).unwrap();
    (0..5000).for_each(|file| bench.write(&format!("out/figures/{file}.svg"), "<svg/>"));
    let mut publish = bench.dyno(&["publish", "out"]).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let there = || fs::read_dir(bench.path("results")).into_iter().flatten().flatten();
    let is_aside = |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with(".publishing-");
    while !there().any(is_aside) {
        assert_eq!(publish.try_wait().unwrap(), None, "it ended before it could be met at work");
        std::thread::yield_now();
    }
    let pid = publish.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let ended = Ended::of(publish.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stderr.contains("interrupted; nothing was published"), "{ended:?}");
    assert_eq!(there().count(), 0, "nothing is left");
    fs::remove_dir_all(bench.path("out/figures")).unwrap();
    assert_eq!(dyno(&bench, &["publish", "out"]).code, Some(0), "the run can be published later");
}

#[test]
fn a_readme_shows_the_published_frontier_and_how_it_came_about() {
    let bench = bench();
    bench.run(&["--price", "c7a.large"]);
    bench.write("README.md", "# mine\n");
    dyno(&bench, &["publish", "out", "--readme", "README.md"])
        .assert_says(2, &["README.md", "begin", "end", "once"]);
    assert!(!bench.path("results").exists(), "nothing is published with half of it missing");
    dyno(&bench, &["publish", "out", "--readme", "none.md"]).assert_says(2, &["none.md", "name a README"]);
    bench.write("README.md", "# mine\n<!-- dyno report: begin -->\n<!-- dyno report: end -->\nrest\n");
    let ended = dyno(&bench, &["publish", "out", "--readme", "README.md"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let place = bench.path(ended.stdout.trim());
    let text = fs::read_to_string(bench.path("README.md")).unwrap();
    for part in [
        "dyno run campaign.toml --out out --price c7a.large\n",
        "dyno publish out --readme README.md\n",
        "quick profile",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(text.starts_with("# mine\n") && text.ends_with("-->\nrest\n"));
    let own = fs::read_to_string(place.join("README.md")).unwrap();
    assert!(own.contains("dyno run campaign.toml"), "{own}");
}

#[test]
fn doubts_about_a_published_run_are_said() {
    let bench = bench();
    bench.run(&[]);
    let path = bench.path("out/records.jsonl");
    let published = |verdict: &str, profile: &str, name: &str| {
        let mut records = crate::support::records(&bench.path("out"));
        for record in &mut records {
            (record["verdict"], record["profile"]) = (verdict.into(), profile.into());
        }
        let lines = records.iter().map(|record| format!("{record}\n"));
        fs::write(&path, lines.collect::<String>()).unwrap();
        let ended = dyno(&bench, &["publish", "out", "--as", name]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let warnings = ended.stderr.lines().filter(|line| line.starts_with("warning: "));
        warnings.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(published("VALID", "official", "a"), [""; 0]);
    for (verdict, profile, part) in [
        ("VALID", "quick", "quick profile"),
        ("NOISY", "official", "1 of 1 cells are NOISY"),
        ("INVALID", "official", "the run is empty"),
    ] {
        let warnings = published(verdict, profile, &format!("b{part}").replace(' ', "-").to_lowercase());
        assert!(warnings.len() == 1 && warnings[0].contains(part), "{warnings:?}");
    }
}

#[test]
fn an_unfinished_run_is_not_published() {
    let bench = bench();
    bench.run(&[]);
    let path = bench.path("out/records.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.split_once('\n').unwrap().1).unwrap();
    dyno(&bench, &["publish", "out"]).assert_says(2, &["unfinished", "1 round missing"]);
    let scored = dyno(&bench, &["score", "out"]);
    assert_eq!(scored.code, Some(0), "{scored:?}");
    for part in
        ["unfinished: 1 round is missing (null · latency · tiny: 1)", "dyno run campaign.toml --out out"]
    {
        assert!(scored.stderr.contains(part), "{part} is not in {scored:?}");
    }
    dyno(&bench, &["publish", "."]).assert_says(2, &["no run folder"]);
}

#[test]
fn an_old_run_is_priced_anew_without_measuring() {
    let bench = bench();
    bench.run(&["--price", "c7a.large"]);
    let price = |key: &str| {
        let price: Value = serde_json::from_slice(&fs::read(bench.path("out/price.json")).unwrap()).unwrap();
        price[key].clone()
    };
    assert_eq!((price("instance"), price("hourly_usd")), ("c7a.large".into(), 0.10264.into()));
    assert!(
        price("date").as_str().unwrap().starts_with("20") && !price("source").as_str().unwrap().is_empty()
    );
    let csv = || fs::read_to_string(bench.path("out/summary.csv")).unwrap();
    let column = |name: &str| {
        let text = csv();
        let (head, row) = text.trim_end().split_once('\n').unwrap();
        let at = head.split(',').position(|field| field == name).unwrap();
        row.split(',').nth(at).unwrap().parse::<f64>().unwrap()
    };
    let expected = column("words_per_second") * 3600.0 / 0.10264;
    assert!((column("words_per_dollar") / expected - 1.0).abs() < 1e-9);
    let records = fs::read(bench.path("out/records.jsonl")).unwrap();
    bench.write(
        "mine.toml",
        "[[list]]\nprovider = \"me\"\nregion = \"cellar\"\nterms = \"own\"\ndate = \"2026-11-21\"\nsource = \"bill\"\n\
         instances = [{ name = \"box\", vcpus = 2, threads = 1, usd = 0.01 }]\n",
    );
    // Quality may be missing here; the price is kept all the same.
    dyno(&bench, &["score", "out", "--prices", "mine.toml", "--price", "box"]);
    assert_eq!((price("instance"), price("provider")), ("box".into(), "me".into()));
    assert_eq!(fs::read(bench.path("out/records.jsonl")).unwrap(), records, "records are never changed");
    dyno(&bench, &["score", "out"]);
    assert_eq!(price("instance"), "box", "the run keeps its price");
    dyno(&bench, &["score", "out", "--prices", "mine.toml"])
        .assert_says(2, &["mine.toml", "no instance like this host", "--price"]);
}

#[test]
fn prices_are_listed_and_unknown_ones_refused() {
    let bench = bench();
    let ended = dyno(&bench, &["list", "prices", "--json"]);
    let prices: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert!(prices["prices"].as_array().unwrap().iter().any(|price| price["instance"] == "c7a.large"));
    assert!(dyno(&bench, &["list", "prices"]).stdout.contains("$/vCPU"));
    bench.run(&["--price", "c7a.lrge"]).assert_says(2, &["did you mean \"c7a.large\"?"]);
    bench.write("bad.toml", "[[list]]\nprovider = 1\n");
    dyno(&bench, &["list", "prices", "--prices", "bad.toml"]).assert_says(2, &["bad.toml:2:"]);
}

#[test]
fn the_doctor_looks_at_everything_and_has_a_remedy_for_what_is_wrong() {
    let ended = dyno(&bench(), &["doctor", "--json"]);
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    let findings = answer["findings"].as_array().unwrap();
    let names: Vec<_> = findings.iter().map(|finding| finding["what"].as_str().unwrap()).collect();
    for what in [
        "CPU",
        "governor",
        "turbo",
        "SMT siblings",
        "NUMA nodes",
        "CPU quota",
        "steal",
        "other load",
        "disk",
        "sacrebleu",
        "bubblewrap",
    ] {
        assert!(names.contains(&what), "{what} in {names:?}");
    }
    for finding in findings {
        assert_eq!(finding["health"] == "good", finding["remedy"] == "", "{finding}");
    }
    assert_eq!(ended.code, Some(if answer["fit"] == true { 0 } else { 1 }));
}

#[test]
fn latencies_are_kept_as_percentile_text() {
    let bench = bench();
    bench.run(&[]);
    let text = fs::read_to_string(bench.path("out/histograms/tiny.null.hgrm")).unwrap();
    assert!(text.contains("Total count    =           15]"), "three rounds of five lines: {text}");
}

#[test]
fn shells_complete_what_the_help_names() {
    let bench = bench();
    for shell in ["bash", "fish", "zsh"] {
        let script = dyno(&bench, &["completions", shell]).stdout;
        for part in ["gate", "publish", "baseline-dyno", "throughput-all"] {
            assert!(script.contains(part), "{part} for {shell}");
        }
        assert!(!script.contains("supervise"), "{shell}");
    }
    let page = dyno(&bench, &["man"]).stdout;
    assert!(page.contains(".TH dyno 1") && page.contains("Measure a campaign"), "{page}");
    bench.write("complete.sh", dyno(&bench, &["completions", "bash"]).stdout);
    let try_it = "source ./complete.sh
complete_it() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _dyno dyno \"${@: -1}\" \"${@: -2:1}\"; echo \"${COMPREPLY[*]}\"; }
complete_it dyno run --prof
complete_it dyno run --track thr
complete_it dyno run -p qu
complete_it dyno completions z";
    let output = std::process::Command::new("bash").args(["-c", try_it]).current_dir(bench.path("")).output();
    let said = String::from_utf8(output.unwrap().stdout).unwrap();
    assert_eq!(said, "--profile\nthroughput-1 throughput-all\nquick\nzsh\n");
}
