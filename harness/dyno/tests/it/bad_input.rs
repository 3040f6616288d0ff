//! What a person gets wrong: one line, what and where and what to do, the right exit code, nothing half-written.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::support::{Bench, Ended, LATENCY};

const NULL: &str = "[[system]]\nname = \"null\"\nbackend = \"null\"\n";

fn campaign(head: &str, systems: &str) -> Bench {
    Bench::new(&format!("{head}{systems}"))
}

#[test]
fn a_broken_campaign_is_told_by_line_and_column() {
    for (text, at, parts) in [
        ("name = \"x\nb", "campaign.toml:1:", vec![]),
        ("tracks = [\"latenzy\"]\n", "campaign.toml:1:11:", vec!["latenzy", "latency"]),
        ("nme = \"x\"\n", "campaign.toml:1:1:", vec!["nme", "name"]),
        ("cores = 0\n", "campaign.toml:1:9:", vec!["cores", "between 1 and 1024"]),
        ("noisy-repeats = 1000000\n", "campaign.toml:1:17:", vec!["noisy-repeats", "between 0 and 100"]),
        ("line-seconds = inf\n", "campaign.toml:1:16:", vec!["line-seconds", "at most"]),
        ("launch-seconds = 0.0\n", "campaign.toml:1:18:", vec!["launch-seconds", "above 0"]),
        ("tracks = []\n", "campaign.toml:1:10:", vec!["at least one"]),
        (
            "tracks = [{ name = \"server\", limit-ms = 0 }]\n",
            "campaign.toml:1:11:",
            vec!["limit-ms", "above 0"],
        ),
        ("tracks = [{ name = \"server\", percentile = 100 }]\n", "campaign.toml:1:11:", vec!["99.9"]),
        (
            "tracks = [{ name = \"server\", limit = 9 }]\n",
            "campaign.toml:1:",
            vec!["did you mean `limit-ms`?"],
        ),
        ("tracks = [{ name = \"latency\", limit-ms = 9 }]\n", "campaign.toml:1:11:", vec!["server alone"]),
        ("tracks = [{ name = \"latency\", clients = [1] }]\n", "campaign.toml:1:11:", vec!["server alone"]),
        (
            "tracks = [{ name = \"server\", clients = [0, 1] }]\n",
            "campaign.toml:1:11:",
            vec!["`clients`", "from 1 to 1024"],
        ),
        (
            "tracks = [{ name = \"server\", clients = [1025] }]\n",
            "campaign.toml:1:11:",
            vec!["from 1 to 1024"],
        ),
        (
            "tracks = [{ name = \"server\", clients = [4, 1, 4] }]\n",
            "campaign.toml:1:11:",
            vec!["each number once"],
        ),
        ("tracks = [{ name = \"server\", clients = 4 }]\n", "campaign.toml:1:", vec!["expected a list"]),
        (
            "tracks = [{ name = \"server\", arrivals = \"none.txt\" }]\n",
            "campaign.toml:1:11:",
            vec!["can't read", "none.txt"],
        ),
        (
            "tracks = [{ name = \"server\", arrivals = \"tiny.en\" }]\n",
            "campaign.toml:1:11:",
            vec!["line 1 is no instant", "seconds"],
        ),
        (
            "tracks = [{ name = \"server\", rate = 5, arrivals = \"arrivals.txt\" }]\n",
            "campaign.toml:1:11:",
            vec!["leave out `rate`"],
        ),
        ("tracks = [{ name = \"server\", clients = [-1] }]\n", "campaign.toml:1:", vec!["-1"]),
    ] {
        let rest = "test-sets = [{ name = \"tiny\", source = \"tiny.en\" }]\n";
        let bench = campaign(&format!("{text}{rest}"), NULL);
        bench.write("arrivals.txt", "0\n0.5\n");
        let ended = bench.run(&[]);
        ended.assert_says(2, &[&[at], &parts[..]].concat());
    }
}

#[test]
fn a_system_that_cannot_be_is_refused_before_anything_is_measured() {
    for (system, parts) in [
        ("name = \"a\"\n", ["one of `backend`, `plugin`, `command`", "6:"]),
        ("name = \"a\"\nbackend = \"nul\"\n", ["did you mean \"null\"?", "8:11:"]),
        (
            "name = \"a\"\ncommand = [\"no-such-program\"]\n",
            ["no program \"no-such-program\" in PATH", "8:11:"],
        ),
        ("name = \"a\"\ncommand = [\"./nothing\"]\n", ["no program \"./nothing\" in /", "8:11:"]),
        (
            "name = \"a\"\nbackend = \"null\"\nbatch = 100000\n",
            ["`batch` must lie between 1 and 65536", "9:9:"],
        ),
        ("name = \"a\"\ncommand = [\"./tiny.en\"]\n", ["not executable; run `chmod +x` on it", "8:11:"]),
        ("name = \"a\"\ncommand = [\"cat\", \"{model}\"]\n", ["there is no `model`", "6:1:"]),
        ("name = \"a\"\ncommand = [\"cat\", \"a\\u0000b\"]\n", ["holds a NUL", "6:1:"]),
        (
            "name = \"a\"\ncommand = [\"cat\"]\nenvironment = { \"A=B\" = \"c\" }\n",
            ["can't be the name of an environment variable", "6:1:"],
        ),
        ("name = \"a/b\"\nbackend = \"null\"\n", ["invalid name \"a/b\"", "7:8:"]),
        ("name = \"a\"\nbackend = \"null\"\nmodel = \"gone\"\n", ["no model at", "9:9:"]),
        (
            "name = \"a\"\ncommand = [\"cat\"]\nsettings = { beam = 2 }\n",
            ["`settings` and `batch` need a backend", "8:11:"],
        ),
    ] {
        let bench = campaign(&format!("# two\n# lines\n{LATENCY}"), &format!("[[system]]\n{system}"));
        bench.run(&[]).assert_says(2, &parts);
        assert!(!bench.path("out").exists(), "nothing half-written");
    }
}

#[test]
fn a_system_that_is_left_out_may_lack_its_model() {
    let other = "[[system]]\nname = \"a\"\nbackend = \"null\"\nmodel = \"gone\"\n";
    let bench = campaign(LATENCY, &format!("{NULL}{other}"));
    bench.run(&[]).assert_says(2, &["no model at", "gone"]);
    let ended = bench.run(&["-s", "null"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn settings_that_a_backend_refuses_are_told_before_anything_is_measured() {
    for (settings, parts) in [
        ("{ beam = 4 }", ["system \"a\"", "no setting `beam`"]),
        ("{ word-us = nan }", ["system \"a\"", "can't take `word-us"]),
        ("{ word-us = 2026-11-21 }", ["system \"a\"", "can't take `word-us"]),
    ] {
        let system = format!("[[system]]\nname = \"a\"\nbackend = \"null\"\nsettings = {settings}\n");
        let bench = campaign(LATENCY, &system);
        bench.run(&[]).assert_says(2, &parts);
        assert!(!bench.path("out").exists());
    }
}

#[test]
fn a_system_that_does_not_open_in_time_ends_the_run_before_its_first_round() {
    let bench = campaign(&format!("launch-seconds = 0.000001\n{LATENCY}"), NULL);
    let parts = ["\"null\": it isn't open after 0.000001 s; raise `launch-seconds`", "run it by hand: "];
    bench.run(&[]).assert_says(2, &parts);
    assert!(!bench.path("out").exists());
}

#[test]
fn what_cannot_be_verified_is_a_bad_request_not_a_broken_rule() {
    let bench = campaign(LATENCY, NULL);
    bench.write("script", "#!/no/such -x\n");
    fs::set_permissions(bench.path("script"), fs::Permissions::from_mode(0o755)).unwrap();
    // The campaign's folder has no starter set; one of the checkout above it has.
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let verify = |further: &[&str]| {
        let mut dyno = bench.dyno(&[&["verify", "--probe", "buffering"], further].concat());
        Ended::of(dyno.current_dir(root).output().unwrap())
    };
    verify(&["--command", " "]).assert_says(2, &["--command is empty"]);
    verify(&["--command", "./no-such --fast"]).assert_says(2, &["no program \"./no-such\" in /"]);
    verify(&["--command", "no-such --fast"]).assert_says(2, &["no program \"no-such\" in PATH"]);
    let script = bench.path("script");
    verify(&["--command", script.to_str().unwrap()]).assert_says(2, &["asks for \"/no/such\""]);
    verify(&["--backend", "null", "--set", "word-us=-1"]).assert_says(2, &["\"null\"", "word-us"]);
    verify(&["--backend", "null", "--model", "gone"]).assert_says(2, &["\"null\"", "no model"]);
}

#[test]
fn two_systems_of_one_name_are_refused() {
    campaign(LATENCY, &NULL.repeat(2)).run(&[]).assert_says(2, &["campaign.toml:8:8:", "a second system"]);
}

#[test]
fn names_that_dyno_gives_itself_are_refused() {
    for name in ["null (twin)", "null (baseline)"] {
        let other = NULL.replace("\"null\"", &format!("{name:?}")).replacen(
            &format!("backend = {name:?}"),
            "backend = \"null\"",
            1,
        );
        let bench = campaign(LATENCY, &format!("{NULL}{other}"));
        bench.run(&["--profile", "standard"]).assert_says(2, &["campaign.toml:8:8:", name, "another name"]);
    }
    let bench = campaign(LATENCY, &NULL.replacen("null", "baseline", 1));
    let gate = ["gate", "campaign.toml", "-s", "baseline", "--baseline", "cat"];
    Ended::of(bench.dyno(&gate).output().unwrap()).assert_says(2, &["\"cat\"", "\"baseline\"", "rename"]);
}

#[test]
fn a_test_set_that_cannot_be_read_is_named() {
    for (set, parts) in [
        ("{ name = \"x\", source = \"gone.en\" }", ["gone.en", "can't read"]),
        (
            "{ name = \"x\", source = \"tiny.en\", references = [\"short.de\"] }",
            ["short.de: 1 lines", "has 5"],
        ),
        ("{ name = \"x\", source = \"empty.en\" }", ["empty.en", "no lines"]),
        ("{ name = \"x\", source = \"blank.en\" }", ["blank.en", "no words"]),
        ("{ name = \"x\", source = \"two.en\", references = [\"blank.en\"] }", ["blank.en", "no words"]),
        ("{ name = \"x\", source = \"marked.en\" }", ["byte order mark", "UTF-8 without one"]),
        ("{ name = \"a\\nb\", source = \"tiny.en\" }", ["invalid name \"a\\nb\"", "control character"]),
        ("{ name = \"x\", sauce = \"tiny.en\" }", ["test set", "source"]),
        ("\"../gone\"", ["no test set folder at", "gone"]),
        ("\"multi30k/2016\"", ["languages = \"en-de\"", "no folder"]),
    ] {
        let bench = campaign(&format!("test-sets = [{set}]\n"), NULL);
        bench.write("short.de", "Nur eine.\n");
        bench.write("empty.en", "");
        bench.write("blank.en", "\n \n");
        bench.write("two.en", "One.\nTwo.\n");
        bench.write("marked.en", "\u{feff}One.\n");
        bench.run(&[]).assert_says(2, &[&["campaign.toml:1:1"], &parts[..]].concat());
    }
}

#[test]
fn a_filter_that_fits_nothing_is_a_typing_error() {
    let bench = campaign(LATENCY, NULL);
    bench.run(&["--system", "nul"]).assert_says(2, &["no system matches \"nul\"", "did you mean \"null\"?"]);
    bench.run(&["--test-set", "big*"]).assert_says(2, &["no test set matches \"big*\"", "tiny"]);
}

#[test]
fn a_filter_that_leaves_nothing_measures_nothing() {
    let ended = campaign(LATENCY, NULL).run(&["--track", "throughput-1"]);
    ended.assert_says(4, &["nothing to measure"]);
}

#[test]
fn an_unknown_option_is_a_bad_request() {
    let ended = Ended::of(campaign(LATENCY, NULL).dyno(&["run", "--ouy", "x"]).output().unwrap());
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("--out"), "{ended:?}");
}

#[test]
fn a_campaign_that_is_not_there_is_named() {
    let ended = Ended::of(campaign(LATENCY, NULL).dyno(&["run", "gone.toml"]).output().unwrap());
    ended.assert_says(2, &["gone.toml", "No such file"]);
}

#[test]
fn a_place_that_cannot_hold_a_run_is_refused_with_the_way_out() {
    let bench = campaign(LATENCY, NULL);
    let out =
        |place: &str| Ended::of(bench.dyno(&["run", "campaign.toml", "--out", place]).output().unwrap());
    out("tiny.en").assert_says(2, &["tiny.en is not a folder"]);
    out("tiny.en/below").assert_says(2, &["can't create tiny.en/below", "--out"]);
    out(".").assert_says(2, &["holds files that are no run"]);
    assert!(!bench.path("records.jsonl").exists());
}

#[test]
fn a_read_only_folder_is_refused() {
    // Root may write anywhere but into the kernel's own tree.
    let ended = Ended::of(
        campaign(LATENCY, NULL).dyno(&["run", "campaign.toml", "--out", "/proc/run"]).output().unwrap(),
    );
    ended.assert_says(2, &["can't create /proc/run", "--out DIR"]);
}

#[test]
fn a_damaged_run_is_named_by_file_and_line() {
    let bench = campaign(LATENCY, NULL);
    assert_eq!(bench.run(&["--json"]).code, Some(0));
    let path = bench.path("out/records.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let lines = text.replacen("\"lines\":", "\"lines\":true,\"x\":", 1);
    for (changed, told) in [
        (text.replacen("\"schema\"", "schema", 1), "records.jsonl:1:"),
        (lines, "records.jsonl:1, lines: invalid type"),
    ] {
        fs::write(&path, changed).unwrap();
        let ended = Ended::of(bench.dyno(&["score", "out"]).output().unwrap());
        ended.assert_says(2, &[told, "remove that line"]);
    }
}

type Change<'a> = &'a dyn Fn(&str) -> String;

#[test]
#[ignore = "takes many seconds"]
fn what_was_changed_in_a_run_afterwards_is_not_scored() {
    let set = "[{ name = \"tiny\", source = \"tiny.en\", references = [\"tiny.en\"] }]";
    let bench = campaign(&format!("tracks = [\"latency\"]\ntest-sets = {set}\n"), NULL);
    assert_eq!(bench.run(&["--json"]).code, Some(0));
    let files = |folder: &str| {
        let entries = fs::read_dir(bench.path(folder)).unwrap().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let records = bench.path("out/records.jsonl");
    let first = |text: &str| text.lines().next().unwrap().to_owned() + "\n";
    let doubled = |text: &str| text.to_owned() + &first(text);
    let shorter = |text: &str| text.replacen("\"latency_ns\":[", "\"latency_ns\":[1,", 1);
    let renamed = |text: &str| text.replace("\"system\":\"null\"", "\"system\":\"nil\"");
    let added = |text: &str| text.to_owned() + "One more.\n";
    let cases: [(&PathBuf, Change<'_>, &str); 5] = [
        (&records, &doubled, "records.jsonl:4: this round has a record already"),
        (&records, &shorter, "records.jsonl:1: it has no time for each line"),
        (&records, &renamed, "has a round of nil on tiny"),
        (&files("out/outputs")[0], &added, "was changed afterwards"),
        (&files("out/testsets")[0], &added, "was changed afterwards"),
    ];
    for (path, change, told) in cases {
        let text = fs::read_to_string(path).unwrap();
        fs::write(path, change(&text)).unwrap();
        for command in ["score", "report"] {
            Ended::of(bench.dyno(&[command, "out"]).output().unwrap()).assert_says(2, &[told]);
        }
        fs::write(path, text).unwrap();
    }
    assert_eq!(Ended::of(bench.dyno(&["report", "out"]).output().unwrap()).code, Some(0));
    fs::write(&records, "").unwrap();
    Ended::of(bench.dyno(&["score", "out"]).output().unwrap()).assert_says(4, &["holds no round", "resumes"]);
}

#[test]
fn what_a_newer_dyno_wrote_is_refused_and_left_as_it_is() {
    let bench = campaign(LATENCY, NULL);
    assert_eq!(bench.run(&["--json"]).code, Some(0));
    let path = bench.path("out/records.jsonl");
    let newer = fs::read_to_string(&path).unwrap().replacen("{\"schema\":2", "{\"schema\":3", 1);
    fs::remove_file(bench.path("out/summary.csv")).unwrap();
    for text in [newer + "half", "{\"schema\":3,\"rounds\":[]}\n".into()] {
        fs::write(&path, &text).unwrap();
        for command in [&["report", "out"][..], &["run", "campaign.toml", "--out", "out"]] {
            let ended = Ended::of(bench.dyno(command).output().unwrap());
            ended.assert_says(2, &["records.jsonl was written by a newer dyno (schema 3, not 2)"]);
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}

#[test]
fn a_run_is_asked_of_a_run_folder() {
    let bench = campaign(LATENCY, NULL);
    let ended = Ended::of(bench.dyno(&["score", "."]).output().unwrap());
    ended.assert_says(2, &["no run folder", "run.json"]);
}

#[test]
fn a_mistyped_command_is_told_the_one_that_was_meant() {
    let bench = Bench::new("");
    for (typed, meant) in [("rnu", "run"), ("vreify", "verify"), ("lsit", "list"), ("gtae", "gate")] {
        let ended = Ended::of(bench.dyno(&[typed]).output().unwrap());
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(&format!("a similar subcommand exists: '{meant}'")), "{ended:?}");
    }
    let ended = Ended::of(bench.dyno(&["rnu", "--json"]).output().unwrap());
    assert!(ended.stdout.contains("did you mean run?"), "{ended:?}");
    assert!(!Ended::of(bench.dyno(&["xyzzy"]).output().unwrap()).stderr.contains("similar"));
}

#[test]
fn dyno_alone_says_first_what_it_does_how_long_it_takes_and_where_the_help_is() {
    let bench = Bench::new("");
    fs::create_dir_all(bench.path("data/campaigns")).unwrap();
    bench.write("data/campaigns/starter.toml", format!("probes = []\n{LATENCY}{NULL}"));
    bench.write("data/campaigns/tiny.en", "a b c\n");
    let ended = Ended::of(bench.dyno(&[]).env("DYNO_DATA", bench.path("data")).output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let first = ended.stderr.lines().next().unwrap_or_default();
    for part in ["measures the starter campaign, about 0:0", "`dyno --help`", "Ctrl-C"] {
        assert!(first.contains(part), "{part:?} is not in {first:?}");
    }
    assert!(!ended.stderr.contains("costs at most"), "the bound is the dry run's: {ended:?}");
    assert!(ended.stderr.contains("expected time: about 0:0"), "{ended:?}");
}
