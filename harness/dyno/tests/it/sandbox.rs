//! The sandbox: what a system sees in it, and that a system works in it as outside.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;

use crate::plugins::rust_plugin;
use crate::support::{Bench, Ended, can_sandbox, skip};

/// A system that answers each line with what it sees: bytes of a reference, records of the run, other
/// systems' models, processes with a number above its own ten, and network devices. It tries to leave a file.
const CURIOUS: &str = "\
    bytes() { cat \"$@\" 2>/dev/null | wc -c; }\n\
    while read -r line; do\n\
      touch left-$1; touch /tmp/curious-$1 && rm /tmp/curious-$1\n\
      echo \"reference=$(bytes tiny.de) run=$(bytes out/run.json) other=$(bytes model/weights)\" \\\n\
        \"processes=$(ls -d /proc/[0-9]* | wc -l) devices=$(grep -c : /proc/net/dev)\"\n\
    done";

/// First answer of the system `name`, as figures by name.
fn seen(bench: &Bench, name: &str) -> Vec<(String, String)> {
    let records = bench.records();
    let record = records.iter().find(|record| record["system"] == name).expect("a record");
    assert_ne!(record["verdict"], "INVALID", "{record}");
    let output = format!("out/outputs/{}.txt", record["output"].as_str().expect("an output"));
    let text = fs::read_to_string(bench.path(&output)).expect("the answers");
    let figures = text.lines().next().expect("an answer").split(' ');
    figures.filter_map(|word| word.split_once('=')).map(|(name, value)| (name.into(), value.into())).collect()
}

fn figure<'a>(seen: &'a [(String, String)], name: &str) -> &'a str {
    &seen.iter().find(|(other, _)| other == name).expect("a figure of this name").1
}

#[test]
fn a_system_in_the_sandbox_sees_nothing_of_the_measurement() {
    if !can_sandbox("the sandbox") {
        return;
    }
    let system = |name: &str, further: &str| {
        format!("[[system]]\nname = {name:?}\ncommand = [\"sh\", \"curious.sh\", {name:?}]\n{further}\n")
    };
    let other = "[[system]]\nname = \"other\"\ncommand = [\"cat\", \"{model}\", \"-\"]\nmodel = \"model\"\n";
    let bench = Bench::new(&format!(
        "probes = []\ntracks = [\"latency\"]\n\
         test-sets = [{{ name = \"tiny\", source = \"tiny.en\", references = [\"tiny.de\"] }}]\n{}{}{other}",
        system("inside", "sandbox = \"bwrap\""),
        system("outside", "sandbox = \"none\"")
    ));
    bench.write("curious.sh", CURIOUS);
    bench.write("tiny.de", "Ein Hund bellt.\n\nZwei\nkein Ende\nletzte\n");
    fs::create_dir(bench.path("model")).unwrap();
    bench.write("model/weights", "7777777");
    bench.run(&["-s", "inside", "-s", "outside", "-s", "other"]);
    let (inside, outside) = (seen(&bench, "inside"), seen(&bench, "outside"));
    for (name, hidden) in [("reference", "0"), ("run", "0"), ("other", "0"), ("devices", "1")] {
        assert_eq!(figure(&inside, name), hidden, "{name} inside");
        // A host in a network of its own has one device, too.
        if name != "devices" {
            assert_ne!(figure(&outside, name), hidden, "{name} outside");
        }
    }
    assert!(bench.path("left-outside").exists() && !bench.path("left-inside").exists());
    let processes: usize = figure(&inside, "processes").parse().unwrap();
    assert!(processes < 8, "{processes} processes");
    let records = bench.records();
    let state = |name: &str| &records.iter().find(|record| record["system"] == name).unwrap()["sandbox"];
    assert_eq!((state("inside"), state("outside")), (&"bwrap".into(), &Value::Null));
}

#[test]
fn a_look_for_updates_is_a_warning() {
    if !can_sandbox("the sandbox") {
        return;
    }
    let bench = Bench::new(
        "probes = [\"audit\"]\ntracks = [\"latency\", \"throughput-1\"]\n\
         test-sets = [{ name = \"tiny\", source = \"tiny.en\" }]\n\
         [[system]]\nname = \"dials\"\ncommand = [\"bash\", \"dials.sh\"]\nsandbox = \"bwrap\"\n",
    );
    // An address for documents (RFC 5737), which no host has.
    bench.write("dials.sh", "(echo >/dev/tcp/192.0.2.1/80) 2>/dev/null\nexec cat\n");
    bench.run(&[]);
    let records = bench.records();
    assert!(!records.is_empty());
    for record in records {
        let codes = |key: &str| -> Vec<Value> {
            record[key].as_array().unwrap().iter().map(|reason| reason["code"].clone()).collect()
        };
        assert_ne!(record["verdict"], "INVALID", "{record}");
        assert_eq!((codes("reasons"), codes("warnings")), (vec![], vec!["uses_network".into()]));
    }
}

#[test]
fn a_plugin_translates_in_the_sandbox_as_outside() {
    if !can_sandbox("the sandbox") {
        return;
    }
    let bench = Bench::new("");
    let goldens = concat!(env!("CARGO_MANIFEST_DIR"), "/../../backends/ssru/tests/goldens/marian");
    let vocab = format!("{goldens}/vocab.spm");
    // The way to the model leads through a folder that isn't the system's own.
    fs::create_dir(bench.path("elsewhere")).unwrap();
    fs::copy(format!("{goldens}/tied-layers/model.npz"), bench.path("model.npz")).expect("the model of ssru");
    let model = bench.path("elsewhere/../model.npz");
    let system = |name: &str, further: &str| {
        format!(
            "[[system]]\nname = {name:?}\nplugin = {:?}\nmodel = {model:?}\nsettings = {{ vocab = {vocab:?} }}\n\
             {further}\n",
            rust_plugin()
        )
    };
    bench.write(
        "campaign.toml",
        format!(
            "probes = []\nnoisy-repeats = 0\ntracks = [\"latency\", \"throughput-1\"]\n\
             test-sets = [{{ name = \"tiny\", source = \"tiny.en\" }}]\n{}{}",
            system("inside", "sandbox = \"bwrap\""),
            system("outside", "sandbox = \"none\"")
        ),
    );
    let ended = bench.run(&["--track", "latency"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let records = bench.records();
    assert!(records.iter().all(|record| record["output"] == records[0]["output"]), "one text");
    // Whole files as well, without rounds that last a second.
    let verify = ["verify", "campaign.toml", "-s", "inside", "--probe", "sameness"];
    let ended = Ended::of(bench.dyno(&verify).output().unwrap());
    assert!(ended.code == Some(0) && ended.stdout.contains("have one text in all tracks"), "{ended:?}");
    assert!(
        records.iter().all(|record| record["facts"]["backend"] == "ssru"),
        "facts come out of the sandbox"
    );
}

#[test]
fn a_model_behind_a_link_in_a_temporary_folder_is_found_in_the_sandbox() {
    if !can_sandbox("the sandbox") {
        return;
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("latest");
    let campaign = format!(
        "probes = []\ntracks = [\"latency\"]\ntest-sets = [{{ name = \"tiny\", source = \"tiny.en\" }}]\n\
         [[system]]\nname = \"it\"\nsandbox = \"bwrap\"\nmodel = {:?}\n\
         command = [\"sh\", \"-c\", 'while read -r line; do cat \"$0\"; done', \"{{model}}\"]\n",
        link.join("weights")
    );
    let bench = Bench::new(&campaign);
    fs::create_dir(bench.path("model")).unwrap();
    bench.write("model/weights", "seven\n");
    std::os::unix::fs::symlink(bench.path("model"), &link).unwrap();
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?} {:?}", bench.records());
    let record = &bench.records()[0];
    let output = format!("out/outputs/{}.txt", record["output"].as_str().expect("an output"));
    assert_eq!(fs::read_to_string(bench.path(&output)).unwrap(), "seven\n".repeat(5));
    assert_eq!(record["sandbox"], "bwrap");
}

#[test]
fn a_crash_in_the_sandbox_keeps_its_signal() {
    if !can_sandbox("the sandbox") {
        return;
    }
    let system =
        "[[system]]\nname = \"it\"\ncommand = [\"sh\", \"-c\", \"kill -6 $$\"]\nsandbox = \"bwrap\"\n";
    let bench = Bench::new(&format!(
        "probes = []\ntracks = [\"latency\"]\ntest-sets = [{{ name = \"tiny\", source = \"tiny.en\" }}]\n{system}"
    ));
    assert_eq!(bench.run(&[]).code, Some(1));
    let reason = &bench.records()[0]["reasons"][0];
    assert_eq!(reason["code"], "crashed");
    assert!(reason["figure"].as_str().unwrap().contains("signal 6"), "{reason}");
}

/// A campaign of `it`, which runs this command in the sandbox.
fn confined(command: &[&str], keys: &str) -> Bench {
    Bench::new(&format!(
        "probes = []\nnoisy-repeats = 0\ntracks = [\"latency\"]\ntest-sets = [{{ name = \"tiny\", source = \"tiny.en\" }}]\n\
         [[system]]\nname = \"it\"\nsandbox = \"bwrap\"\ncommand = {command:?}\n{keys}\n"
    ))
}

#[test]
fn what_a_system_lacks_is_named_with_the_key_and_what_it_names_is_there() {
    if !can_sandbox("the sandbox") {
        return;
    }
    for keys in ["", "sandbox-paths = [\"helper.sh\"]"] {
        let bench = confined(&["sh", "run.sh"], keys);
        bench.write("run.sh", ". ./helper.sh\nhelp\n");
        bench.write("helper.sh", "help() { exec cat; }\n");
        let ended = bench.run(&[]);
        let record = &bench.records()[0];
        if keys.is_empty() {
            let (figure, remedy) = (&record["reasons"][0]["figure"], &record["reasons"][0]["remedy"]);
            assert!(figure.as_str().unwrap().contains("helper.sh isn't visible in the sandbox"), "{record}");
            assert!(
                remedy.as_str().unwrap().ends_with("or its folder in the system's `sandbox-paths`"),
                "{record}"
            );
        } else {
            assert_eq!(ended.code, Some(0), "{ended:?} {record}");
        }
    }
    let bench = confined(&["cat"], "sandbox-paths = [\"absent\"]");
    bench.run(&[]).assert_says(2, &["campaign.toml:9", "no file or folder for the sandbox", "absent"]);
}

#[test]
fn a_program_comes_with_its_folder_and_an_environment_of_python_with_its_base() {
    if !can_sandbox("the sandbox") {
        return;
    }
    let bench = confined(&["engine/run.sh"], "");
    fs::create_dir(bench.path("engine")).unwrap();
    bench.write("engine/run.sh", "#!/bin/sh\n. engine/parts.sh\n");
    bench.write("engine/parts.sh", "exec cat\n");
    fs::set_permissions(bench.path("engine/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?} {:?}", bench.records());

    let bench = confined(&["venv/bin/python3", "main.py"], "");
    let mut make = Command::new("python3");
    make.args(["-m", "venv", "--without-pip"]).arg(bench.path("venv"));
    if !make.status().is_ok_and(|status| status.success()) {
        return skip("an environment of Python in the sandbox: python3 makes none here");
    }
    let main = "import sys, venv_only\nassert sys.prefix != sys.base_prefix\n\
                for line in sys.stdin: print(line, end='', flush=True)\n";
    bench.write("main.py", main);
    let packages = fs::read_dir(bench.path("venv/lib")).unwrap().flatten().next().unwrap().path();
    fs::write(packages.join("site-packages/venv_only.py"), "").unwrap();
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?} {:?}", bench.records());
}
