//! Files of others: what is no regular file, what lies about its numbers, what can't be written.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Bench, Ended, LATENCY, skip};

const NULL: &str = "[[system]]\nname = \"null\"\nbackend = \"null\"\n";

fn bench() -> Bench {
    Bench::new(&format!("probes = []\n{LATENCY}{NULL}"))
}

/// Ending of a shell command in the bench's folder, where `dyno` is the program. A command that waits for ever
/// fails the test instead of stopping it.
fn shell(bench: &Bench, command: &str) -> Ended {
    let mut shell = Command::new("timeout");
    shell
        .args(["600", "bash", "-c", &format!("dyno() {{ \"$DYNO\" \"$@\"; }}\n{command}")])
        .env("DYNO", env!("CARGO_BIN_EXE_dyno"));
    Ended::of(shell.current_dir(bench.path("")).output().expect("timeout and bash are there"))
}

/// Changes the first record of `out`.
fn change_record(bench: &Bench, change: impl Fn(&mut Value)) {
    let mut records = bench.records();
    change(&mut records[0]);
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    bench.write("out/records.jsonl", lines);
}

#[test]
fn pipes_and_devices_are_refused_where_a_file_is_expected() {
    let bench = bench();
    assert!(
        shell(&bench, "mkfifo pipe && mkdir model && mkfifo model/model.toml pipe.toml pipe.spm").code
            == Some(0)
    );
    let set = |source: &str, rest: &str| {
        format!(
            "tracks = [\"latency\"]\n{rest}test-sets = [{{ name = \"tiny\", source = \"{source}\" }}]\n{NULL}"
        )
    };
    bench.write("pipe-set.toml", set("pipe", ""));
    bench.write("zero-set.toml", set("/dev/zero", ""));
    bench.write("filler.toml", set("tiny.en", "filler = \"pipe\"\n"));
    let model = "[[system]]\nname = \"m\"\ncommand = [\"cat\"]\nmodel = \"model\"\n";
    bench.write("model-set.toml", format!("{LATENCY}{model}"));
    for (command, told) in [
        ("run pipe.toml", "but a named pipe"),
        ("run /dev/zero", "but a device"),
        ("run pipe-set.toml", "but a named pipe"),
        ("run zero-set.toml", "but a device"),
        ("run filler.toml", "but a named pipe"),
        ("run model-set.toml", "but a named pipe"),
        ("list prices --prices pipe", "but a named pipe"),
        ("list prices --prices /dev/zero", "but a device"),
        ("tokenize --vocab pipe.spm", "but a named pipe"),
    ] {
        shell(&bench, &format!("dyno {command} < tiny.en")).assert_says(2, &[told]);
    }
}

#[test]
fn a_run_with_a_pipe_or_a_link_in_it_neither_waits_nor_writes_elsewhere() {
    let bench = bench();
    assert_eq!(bench.run(&[]).code, Some(0));
    bench.write("mine", "precious");
    for file in ["run.json", "records.jsonl", "price.json"] {
        shell(&bench, &format!("rm -rf copy; cp -r out copy; rm -f copy/{file}; mkfifo copy/{file}"));
        shell(&bench, "dyno report copy").assert_says(2, &[file, "but a named pipe"]);
    }
    for (file, how) in
        [("run.lock", "ln -s ../mine"), ("records.jsonl", "ln -s ../mine"), ("run.lock", "mkfifo")]
    {
        shell(&bench, &format!("rm -rf copy; cp -r out copy; rm -f copy/{file}; {how} copy/{file}"));
        shell(&bench, "dyno score copy").assert_says(2, &["copy"]);
    }
    assert_eq!(fs::read_to_string(bench.path("mine")).unwrap(), "precious");
}

#[test]
fn links_to_folders_in_a_model_are_not_followed() {
    let model = "[[system]]\nname = \"m\"\ncommand = [\"cat\"]\nmodel = \"model\"\n";
    let bench = Bench::new(&format!("{LATENCY}{model}"));
    fs::create_dir(bench.path("model")).unwrap();
    bench.write("model/weights", "12345");
    symlink(".", bench.path("model/again")).unwrap();
    symlink("weights", bench.path("model/link")).unwrap();
    bench.run(&[]);
    assert_eq!(bench.records()[0]["model_bytes"], 10, "the file, and the file through its link");
    let run: Value = serde_json::from_slice(&fs::read(bench.path("out/run.json")).unwrap()).unwrap();
    let files =
        run["programs"].as_array().unwrap().iter().filter(|file| file[0].as_str().unwrap().contains("model"));
    assert_eq!(files.count(), 2);
}

#[test]
fn drawn_models_have_bounds() {
    let system = "[[system]]\nname = \"m\"\nbackend = \"null\"\nmodel = { generate = \"x\" }\n";
    let network = "type = \"transformer\"\ntied-embeddings-all = true\ntransformer-postprocess = \"dan\"\n";
    for (words, size, told) in [
        ("100", "enc-depth = 1000000", "`enc-depth` is 1000000; it must lie between 0 and 256"),
        ("100", "dim-emb = 9000000000000000000", "`dim-emb` is 9000000000000000000"),
        ("9000000000000000000", "", "`words` is 9000000000000000000"),
        ("100", "transformer-dim-ffn = 65536\ndim-emb = 65536\nenc-depth = 256", "parameters; at most"),
        ("100\nshortlist = { first = 9000000000000000000, best = 1 }", "", "`shortlist.first` is"),
        ("100\nshortlist = { first = 1, best = 9000000000000000000 }", "", "`shortlist.best` is"),
    ] {
        let drawn = format!("[generate.x]\nwords = {words}\n[generate.x.marian]\n{network}{size}\n");
        let bench = Bench::new(&format!("{LATENCY}{system}{drawn}"));
        shell(&bench, "dyno run campaign.toml").assert_says(2, &["generate.x", told]);
    }
}

#[test]
fn prices_that_cannot_be_are_refused() {
    let bench = bench();
    let list = |date: &str, name: &str, usd: &str| {
        format!(
            "[[list]]\nprovider = \"me\"\nregion = \"cellar\"\nterms = \"own\"\ndate = \"{date}\"\nsource = \"bill\"\n\
             instances = [{{ name = \"{name}\", vcpus = 2, threads = 1, usd = {usd} }}]\n"
        )
    };
    for (text, told) in [
        (list("2026-11-21", "box", "1e-320"), "`usd` must lie between 0.000001 and 1000000"),
        (list("2026-11-21", "box", "nan"), "`usd` must lie"),
        (list("9999-99-99", "box", "1.0"), "`date` is \"9999-99-99\""),
        (list("2026-11-21", "b\\u001b[2Jox", "1.0"), "control characters"),
    ] {
        bench.write("bad.toml", text);
        shell(&bench, "dyno list prices --prices bad.toml").assert_says(2, &["bad.toml", told]);
    }
    bench.run(&["--price", "c7a.large"]);
    let mut price: Value = serde_json::from_slice(&fs::read(bench.path("out/price.json")).unwrap()).unwrap();
    price["hourly_usd"] = json!(1e-320);
    bench.write("out/price.json", price.to_string());
    shell(&bench, "dyno report out").assert_says(2, &["price.json", "`usd` must lie", "remove the file"]);
}

#[test]
fn records_that_cannot_be_are_refused() {
    let bench = bench();
    bench.run(&[]);
    for (key, value, told) in [
        ("words", json!(u64::MAX), "more words than any text"),
        ("round", json!(u64::MAX), "no profile has so many rounds"),
        ("latency_ns", json!([0, 0, 0, 0, 0]), "a time that can't be"),
        ("latency_ns", json!([1, 1, 1, 1, u64::MAX]), "a time that can't be"),
    ] {
        shell(&bench, "rm -rf kept; cp -r out kept");
        change_record(&bench, |record| record[key] = value.clone());
        shell(&bench, "dyno report out").assert_says(2, &["records.jsonl:1", told]);
        shell(&bench, "rm -rf out; mv kept out");
    }
}

#[test]
fn foreign_text_reaches_no_terminal_and_no_page_raw() {
    let odd = |text: &str| text.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}');
    let system = "[[system]]\nname = \"ab\\u202Ecd\"\nbackend = \"null\"\n";
    let bench = Bench::new(&format!("{LATENCY}{system}"));
    let ended = bench.run(&["--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!odd(&ended.stdout) && !odd(&ended.stderr), "{ended:?}");
    assert!(ended.stdout.contains("ab\\u202ecd"), "JSON keeps the name: {ended:?}");
    let figure = "a\u{1b}[2J\u{9b}31mb\nINVALID";
    change_record(&bench, |record| {
        record["warnings"] = json!([{"code": "not_reproducible", "figure": figure}])
    });
    shell(&bench, "rm out/summary.csv");
    for command in ["score out", "report out --markdown", "report out", "compare out out"] {
        let ended = shell(&bench, &format!("dyno {command}"));
        assert!(!odd(&ended.stdout) && !odd(&ended.stderr), "{command}: {ended:?}");
    }
    let page = fs::read_to_string(bench.path("out/report.html")).unwrap();
    assert!(!page.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "the page");
    let run = fs::read_to_string(bench.path("out/run.json")).unwrap();
    bench.write("out/run.json", run.replace("ab\u{202e}cd", "ab\\ncd"));
    shell(&bench, "dyno report out").assert_says(2, &["run.json", "control characters"]);
}

#[test]
fn names_that_look_alike_are_told() {
    let system = |name: &str| format!("[[system]]\nname = \"{name}\"\nbackend = \"null\"\n");
    let bench = Bench::new(&format!(
        "probes = []\n{LATENCY}{}{}{}",
        system("ssru"),
        system("\\u0455sru"),
        system("gru")
    ));
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains(r#"warning: the names "ssru" and "\u{455}sru" look alike"#), "{ended:?}");
    assert_eq!(ended.stderr.matches("look alike").count(), 1, "{ended:?}");
}

/// Runs `command` with dyno as `$0`, in a name space of mounts of its own, on a disk of 256 KiB in `disk`.
/// `None` without the rights.
fn on_a_small_disk(bench: &Bench, command: &str) -> Option<Ended> {
    fs::create_dir_all(bench.path("disk")).unwrap();
    let mount = "mount -t tmpfs -o size=256k none disk";
    let in_a_space = |command: &str| {
        let mut shell = Command::new("unshare");
        shell.args(["--mount", "sh", "-c", command, env!("CARGO_BIN_EXE_dyno")]).current_dir(bench.path(""));
        shell.output().ok().map(Ended::of)
    };
    if in_a_space(mount).is_none_or(|tried| tried.code != Some(0)) {
        skip("a full disk: no right to mount a small one");
        return None;
    }
    in_a_space(&format!("{mount} && {command}"))
}

#[test]
fn a_full_disk_is_told_with_path_and_remedy_by_run_and_publish() {
    let bench = bench();
    let fill = "head -c 300000 /dev/zero >disk/ballast 2>/dev/null";
    let full = format!("mkdir disk/run; {fill}; \"$0\" run campaign.toml --out disk/run");
    let Some(ended) = on_a_small_disk(&bench, &full) else { return };
    ended.assert_says(6, &["disk/run", "No space left on device", "make room"]);
    bench.run(&[]);
    let full = format!(
        "mkdir disk/results; {fill}; \"$0\" publish out --to disk/results; code=$?; \
                        ls -A disk/results; exit $code"
    );
    let ended = on_a_small_disk(&bench, &full).expect("it could be mounted before");
    ended.assert_says(6, &["can't publish to disk/results", "No space left on device", "free some space"]);
    assert_eq!(ended.stdout, "", "nothing is left");
}

#[test]
fn facts_that_overflow_a_sum_are_the_largest_number() {
    let bench = bench();
    bench.run(&[]);
    let file = |path: &str| json!({ "path": path, "bytes": u64::MAX });
    change_record(&bench, |record| {
        record["facts"] = json!({ "backend": "big", "version": "1", "files": [file("a"), file("b")] });
        record["model_bytes"] = json!(u64::MAX);
    });
    for arguments in [&["score", "out"][..], &["report", "out"], &["publish", "out"]] {
        let ended = Ended::of(bench.dyno(arguments).output().unwrap());
        assert!(matches!(ended.code, Some(0 | 6)) && !ended.stderr.contains("panicked"), "{ended:?}");
    }
}

#[test]
fn a_limit_of_file_sizes_is_told_with_path_and_remedy() {
    let bench = bench();
    let ended = shell(&bench, "ulimit -f 1; dyno run campaign.toml --out out");
    ended.assert_says(6, &["can't write", "out/", "`ulimit -f`"]);
}

#[test]
fn names_that_hold_paths_or_tags_lead_nowhere_and_draw_nothing() {
    let bench = Bench::new(
        "probes = []\nnoisy-repeats = 0\ntracks = [\"latency\"]\n\
         test-sets = [{ name = \"the-set\", source = \"tiny.en\", references = [\"tiny.en\"] }]\n\
         [[system]]\nname = \"the-system\"\ncommand = [\"cat\"]\n",
    );
    bench.write(
        "tiny.en",
        "a dog </script><img src=x onerror=alert(1)>\n<!--<script>\n&lt;img src=x&gt;\nend\n",
    );
    assert_eq!(bench.run(&[]).code, Some(0));
    let tag = "\u{22}'</script><img src=x onerror=alert(1)>/../../../evil";
    for name in ["run.json", "records.jsonl", "scores.json"] {
        let text = fs::read_to_string(bench.path(&format!("out/{name}"))).unwrap_or_default();
        let quoted = |name: &str| serde_json::to_string(name).unwrap();
        let text =
            text.replace("\"the-system\"", &quoted(tag)).replace("\"the-set\"", &quoted("../../../evil"));
        bench.write(&format!("out/{name}"), text);
    }
    shell(&bench, "rm -r out/summary.csv out/histograms out/report.html");
    let entries = || fs::read_dir(bench.path("")).unwrap().count();
    for (command, page) in [
        ("score out", None),
        ("report out", Some("out/report.html")),
        ("merge out --out merged", Some("merged/report.html")),
        ("publish out --to pub", None),
    ] {
        let before = entries();
        let ended = shell(&bench, &format!("dyno {command}"));
        let scored = !ended.stderr.contains("dyno: sacrebleu: can't");
        if scored {
            assert_eq!(ended.code, Some(0), "{command}: {ended:?}");
        } else {
            skip("no sacrebleu to be had: odd names are not scored");
        }
        assert!(entries() <= before + 1 && !bench.path("../evil").exists(), "{command}");
        if let Some(page) = page {
            let page = fs::read_to_string(bench.path(page)).unwrap();
            assert!(!page.contains("<img src=x") && page.contains("evil"), "{command}");
        }
    }
}
