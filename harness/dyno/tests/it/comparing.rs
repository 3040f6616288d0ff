//! Runs against runs and systems against systems: verdicts and exit codes. Where a test needs speeds to be
//! known, it writes them into the records of a run. How often a gate that measures is right, `ci/gate-campaign` asks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::schema::faults;
use crate::support::{Bench, Ended, LATENCY, records, skip};

const SYSTEMS: &str = "[[system]]\nname = \"slow\"\nbackend = \"null\"\nsettings = { word-us = 500 }\n\
                       [[system]]\nname = \"fast\"\nbackend = \"null\"\nsettings = { word-us = 50 }\n";

fn bench() -> Bench {
    Bench::new(&format!("probes = []\n{LATENCY}{SYSTEMS}"))
}

fn dyno(bench: &Bench, arguments: &[&str]) -> Ended {
    Ended::of(bench.dyno(arguments).output().expect("dyno starts"))
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

/// A run of "fast" whose nine rounds took `microseconds` for each line.
fn made_up(bench: &Bench, name: &str, microseconds: [u64; 9]) -> PathBuf {
    let run = bench.path(name);
    if !bench.path("out").exists() {
        assert_eq!(bench.run(&["-s", "fast"]).code, Some(0));
    }
    copy(&bench.path("out"), &run);
    let first = records(&run).remove(0);
    let lines = microseconds.iter().enumerate().map(|(round, us)| {
        let mut record = first.clone();
        record["round"] = round.into();
        record["latency_ns"] = vec![us * 1000; 5].into();
        record["verdict"] = "VALID".into(); // whatever the host was like
        format!("{record}\n")
    });
    fs::write(run.join("records.jsonl"), lines.collect::<String>()).unwrap();
    run
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

const BEFORE: [u64; 9] = [100, 101, 102, 99, 98, 103, 97, 100, 104];
const SLOWER: [u64; 9] = [110, 111, 112, 109, 108, 113, 107, 110, 114];
const SAME: [u64; 9] = [101, 100, 102, 98, 99, 104, 97, 103, 100];

#[test]
fn a_slower_run_is_called_slower_and_a_faster_one_is_not_worse() {
    let bench = bench();
    for (name, rounds) in [("before", BEFORE), ("slower", SLOWER), ("same", SAME)] {
        made_up(&bench, name, rounds);
    }
    for (a, b, code, change) in
        [("before", "slower", 1, "slower"), ("slower", "before", 0, "faster"), ("before", "same", 0, "same")]
    {
        let ended = dyno(&bench, &["compare", a, b, "--json"]);
        let answer = json(&ended);
        assert_eq!((ended.code, &answer["cells"][0]["change"]), (Some(code), &change.into()), "{answer}");
        assert_eq!(answer["quality"][0]["same_text"], true);
        assert_eq!(dyno(&bench, &["compare", a, b]).code, Some(code));
    }
    let cell = &json(&dyno(&bench, &["compare", "before", "slower", "--json"]))["cells"][0];
    assert!((cell["slow_down"].as_f64().unwrap() - 1.1).abs() < 1e-9, "{cell}");
}

#[test]
fn three_rounds_are_too_few_to_tell() {
    let bench = bench();
    assert_eq!(bench.run(&["-s", "fast"]).code, Some(0));
    let ended = dyno(&bench, &["compare", "out", "out"]);
    assert_eq!(ended.code, Some(7), "{ended:?}");
    assert!(ended.stdout.contains("too few rounds to tell"), "{ended:?}");
    assert!(ended.stdout.ends_with("quiet host; no text is worse\n"), "{ended:?}");
}

/// Rewrites each record of a run.
fn rewrite(run: &Path, change: impl Fn(&mut Value)) {
    let lines = records(run).into_iter().map(|mut record| {
        change(&mut record);
        format!("{record}\n")
    });
    fs::write(run.join("records.jsonl"), lines.collect::<String>()).unwrap();
}

#[test]
fn a_noisy_side_is_neither_slower_nor_the_same() {
    let bench = bench();
    for (name, rounds) in [("before", BEFORE), ("slower", SLOWER)] {
        made_up(&bench, name, rounds);
        let noisy = bench.path(&format!("noisy-{name}"));
        copy(&bench.path(name), &noisy);
        rewrite(&noisy, |record| record["verdict"] = "NOISY".into());
    }
    for (a, b) in [("before", "noisy-slower"), ("noisy-before", "slower"), ("before", "noisy-before")] {
        let ended = dyno(&bench, &["compare", a, b, "--json"]);
        let answer = json(&ended);
        assert_eq!((ended.code, &answer["cells"][0]["change"]), (Some(7), &"unclear".into()), "{answer}");
        let ended = dyno(&bench, &["compare", a, b]);
        assert!(ended.stdout.contains("can't tell: it"), "{ended:?}");
    }
    let gate =
        ["gate", "campaign.toml", "-s", "fast", "--baseline", "noisy-before", "--pairs", "9", "--on-noise"];
    for (on_noise, code, warns) in [("fail", 7, false), ("warn", 0, true), ("pass", 0, false)] {
        let ended = dyno(&bench, &[&gate[..], &[on_noise]].concat());
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(ended.stdout.contains("can't tell about 1 of 1 cells, whose rounds are NOISY"), "{ended:?}");
        assert_eq!(ended.stderr.contains("warning: can't tell"), warns, "{ended:?}");
    }
}

#[test]
fn what_was_changed_between_two_sides_is_named() {
    let bench = bench();
    let before = made_up(&bench, "before", BEFORE);
    let after = made_up(&bench, "after", SAME);
    let path = after.join("run.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        path,
        text.replace("\"word-us\": 50", "\"word-us\": 60").replace("\"word-us\":50", "\"word-us\":60"),
    )
    .unwrap();
    let ended = dyno(&bench, &["compare", before.to_str().unwrap(), after.to_str().unwrap()]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("fast was changed: word-us 60, before 50\n"), "{ended:?}");
    let gate = ["gate", "campaign.toml", "-s", "fast", "--baseline", "slow", "--pairs", "9"];
    let ended = dyno(&bench, &gate);
    assert!(ended.stdout.contains("fast was changed: word-us 50, before 500\n"), "{ended:?}");
}

/// Changes the host that a run says it was measured on.
fn move_to_another_host(run: &Path) {
    let path = run.join("run.json");
    let mut identity: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    identity["host"]["cpu"] = "Cyrix 486".into();
    fs::write(path, identity.to_string()).unwrap();
}

#[test]
fn runs_of_two_hosts_are_not_compared() {
    let bench = bench();
    let (before, after) = (made_up(&bench, "before", BEFORE), made_up(&bench, "after", SAME));
    move_to_another_host(&before);
    dyno(&bench, &["compare", "before", "after"]).assert_says(3, &["Cyrix 486", "two hosts"]);
    dyno(&bench, &["gate", "campaign.toml", "-s", "fast", "--baseline", "before"])
        .assert_says(3, &["Cyrix 486", "another host"]);
    drop(after);
}

#[test]
fn a_gates_exit_code_and_answer_say_what_its_cell_says() {
    let bench = bench();
    let arguments = ["gate", "campaign.toml", "-s", "slow", "--baseline", "fast", "--pairs", "9", "--json"];
    let ended = dyno(&bench, &arguments);
    assert_gate_is_of_one_mind(&ended);
    let shown = ended.stderr.lines().filter_map(|line| line.strip_prefix('[')?.split_once(']'));
    let counts = shown.map(|(counts, _)| counts.split_once('/').expect("done/all"));
    let counts: Vec<(u32, u32)> =
        counts.map(|(done, all)| (done.parse().unwrap(), all.parse().unwrap())).collect();
    assert!(counts.iter().all(|(done, all)| done < all), "{ended:?}");
}

/// Whatever was measured: a slower cell is a regression that was confirmed by as many pairs again, and a cell that
/// can't be told is undecided.
fn assert_gate_is_of_one_mind(ended: &Ended) {
    let answer = json(ended);
    let cell = &answer["cells"][0];
    let (regressed, undecided) = (cell["change"] == "slower", cell["change"] == "unclear");
    assert_eq!(
        (&answer["regressed"], &answer["undecided"]),
        (&regressed.into(), &undecided.into()),
        "{answer}"
    );
    let code = match (regressed, undecided) {
        (true, _) => 1,
        (_, true) => 7,
        _ => 0,
    };
    assert_eq!(ended.code, Some(code), "{answer}");
    assert!(!regressed || cell["candidate_rounds"] == 18, "{answer}");
}

#[test]
#[ignore = "takes many seconds"]
fn a_baseline_may_be_a_command_or_another_dyno_and_rounds_can_be_kept() {
    let bench = bench();
    let this = env!("CARGO_BIN_EXE_dyno");
    let command = format!("'{this}' translate --backend null --set word-us=4000 --track {{track}}");
    for baseline in [["--baseline", command.as_str()], ["--baseline-dyno", this]] {
        let arguments = ["gate", "campaign.toml", "-s", "slow", "--pairs", "9", "--json"];
        let ended = dyno(&bench, &[&arguments[..], &baseline].concat());
        let answer = json(&ended);
        assert!(answer["cells"][0]["baseline"].as_str().unwrap().contains("baseline"), "{answer}");
        assert_eq!(answer["cells"][0]["baseline_rounds"].as_u64().unwrap() % 9, 0, "{answer}");
    }
    let keep = ["gate", "campaign.toml", "-s", "fast", "--baseline", "slow", "--pairs", "9", "--out", "kept"];
    assert_eq!(dyno(&bench, &keep).code, Some(0));
    assert_eq!(records(&bench.path("kept")).len(), 2 * 9 + 2, "pairs, and each side's text");
    dyno(&bench, &keep).assert_says(2, &["holds rounds of a gate already", "--out"]);
}

#[test]
fn a_stored_baseline_needs_nine_rounds() {
    let bench = bench();
    made_up(&bench, "before", BEFORE);
    let gate = |run: &str| {
        let arguments = ["gate", "campaign.toml", "-s", "fast", "--baseline", run, "--pairs", "9", "--json"];
        dyno(&bench, &arguments)
    };
    assert_gate_is_of_one_mind(&gate("before"));
    gate("out").assert_says(4, &["3 rounds", "9 are needed"]);
    // A gate keeps rounds of the first lines of a set, which then are the lines of the next gate.
    let lines = fs::read_to_string(bench.path("tiny.en")).unwrap();
    bench.write("tiny.en", format!("{lines}one more\nand another\n"));
    assert_eq!(json(&gate("before"))["cells"][0]["lines"], 5);
}

#[test]
#[ignore = "takes many seconds"]
fn ceilings_and_a_floor_of_bleu_are_gated() {
    let bench = bench();
    let gate = |further: &[&str]| {
        let arguments = ["gate", "campaign.toml", "-s", "fast", "--baseline", "slow", "--pairs", "9"];
        dyno(&bench, &[&arguments[..], further].concat())
    };
    let ended = gate(&["--max-memory", "0.5"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("peak memory") && ended.stdout.contains("REGRESSED"), "{ended:?}");
    let ended = gate(&["--max-memory", "4096", "--max-model", "1"]);
    assert!(ended.code != Some(1) && ended.stdout.contains("within the limit"), "{ended:?}");
}

#[test]
fn a_gate_without_an_answer_says_why() {
    let broken = "[[system]]\nname = \"broken\"\ncommand = [\"false\"]\n";
    let bench = Bench::new(&format!("{LATENCY}{SYSTEMS}{broken}"));
    let gate = |further: &[&str]| dyno(&bench, &[&["gate", "campaign.toml"], further].concat());
    gate(&["-s", "fast", "--baseline", "slow", "--pairs", "8"]).assert_says(4, &["8 pairs", "at least 9"]);
    let many = gate(&["-s", "fast", "--baseline", "slow", "--pairs", "10000000000000"]);
    assert!(many.code == Some(2) && many.stderr.contains("from 9 to 1000"), "{many:?}");
    let nan = gate(&["-s", "fast", "--baseline", "slow", "--max-memory", "nan"]);
    assert!(nan.code == Some(2) && nan.stderr.contains("a number, 0 or more"), "{nan:?}");
    gate(&["-s", "broken", "--baseline", "slow", "--max-model", "9"])
        .assert_says(2, &["--max-model", "broken", "`model`"]);
    gate(&["-s", "slow", "--baseline", "slow"]).assert_says(4, &["no candidate"]);
    let ended = gate(&["-s", "broken", "--baseline", "slow", "--pairs", "9"]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(ended.stdout.contains("broken is INVALID under latency on tiny: crashed: "), "{ended:?}");
    gate(&["-s", "fast"]).assert_says(2, &["the baseline is missing", "--baseline-dyno"]);
    gate(&["-s", "fast", "--baseline", "slo"]).assert_says(2, &["did you mean \"slow\"?", "no command"]);
    gate(&["-s", "fast", "--baseline-dyno", "gone"]).assert_says(2, &["no program at gone"]);
}

#[test]
#[ignore = "takes many seconds"]
fn an_invalid_cell_is_named_and_the_others_are_judged() {
    let broken = "[[system]]\nname = \"broken\"\ncommand = [\"false\"]\n";
    let bench = Bench::new(&format!("{LATENCY}{SYSTEMS}{broken}"));
    let gate = |further: &[&str]| {
        dyno(&bench, &[&["gate", "campaign.toml", "-s", "fast", "--pairs", "9", "--json"], further].concat())
    };
    let ended = gate(&["-s", "broken", "--baseline", "slow", "--out", "kept", "--summary", "summary.md"]);
    let answer = json(&ended);
    assert_eq!((ended.code, &answer["cells"][0]["change"]), (Some(5), &"faster".into()), "{answer}");
    assert_eq!(answer["invalid"][0]["culprit"], "broken", "{answer}");
    let summary = fs::read_to_string(bench.path("summary.md")).unwrap();
    for part in
        ["### dyno gate: INVALID: 1 of 2 cells have no answer", "| fast | slow |", "- broken is INVALID"]
    {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    // The baseline met both candidates. The folder is a run nevertheless, and a baseline.
    assert_eq!(dyno(&bench, &["report", "kept"]).code, Some(0));
    let again = gate(&["--baseline", "kept"]);
    assert_eq!(json(&again)["cells"][0]["baseline_rounds"], 10, "pairs and the text: {again:?}");
    let whole = gate(&["-s", "broken", "--baseline", "kept"]);
    assert_eq!(json(&whole)["invalid"][0]["culprit"], "broken", "{whole:?}");
}

#[test]
#[ignore = "takes many seconds"]
fn candidates_share_the_trial_and_the_text_of_their_baseline() {
    let shared =
        "[[system]]\nname = \"shared\"\ncommand = [\"sh\", \"-c\", \"echo >> launches; exec cat\"]\n";
    let bench = Bench::new(&format!("{LATENCY}{SYSTEMS}{shared}"));
    let rounds_and_launches = |candidates: &[&str], out: &str| {
        let _ = fs::remove_file(bench.path("launches"));
        let gate = ["gate", "campaign.toml", "--baseline", "shared", "--pairs", "9", "--out", out];
        dyno(&bench, &[&gate[..], candidates].concat());
        let rounds = records(&bench.path(out)).iter().filter(|record| record["system"] == "shared").count();
        (rounds, fs::read_to_string(bench.path("launches")).unwrap().lines().count())
    };
    let (rounds, launches) = rounds_and_launches(&["-s", "fast"], "one");
    // The trial is a round that isn't kept.
    let of_a_round = launches / (rounds + 1);
    assert_eq!(launches, of_a_round * (rounds + 1));
    let (rounds, launches) = rounds_and_launches(&["-s", "fast", "-s", "slow"], "two");
    assert_eq!(launches, of_a_round * (rounds + 1));
    assert_eq!(rounds % 9, 1, "pairs with each candidate, and one text");
}

#[test]
#[ignore = "takes many seconds"]
fn the_quality_of_a_system_with_tracks_of_its_own_is_gated() {
    let set =
        "tracks = [\"throughput-1\", \"latency\"]\ntest-sets = [{ name = \"tiny\", source = \"tiny.en\" }]\n";
    let bench = Bench::new(&format!("{set}{SYSTEMS}tracks = [\"latency\"]\n"));
    let gate = ["gate", "campaign.toml", "-s", "fast", "--baseline", "slow", "--pairs", "9", "--json"];
    let answer = json(&dyno(&bench, &gate));
    assert_eq!(answer["quality"].as_array().map(Vec::len), Some(1), "{answer}");
    assert_eq!(answer["quality"][0]["system"], "fast", "{answer}");
}

#[test]
fn a_worse_text_is_a_regression() {
    let set = "tracks = [\"latency\"]\ntest-sets = [{ name = \"set\", source = \"tiny.en\", references = [\"tiny.en\"] }]\n";
    let spoil = "import sys\nfor line in sys.stdin: print('bad', len(line), flush=True)";
    let systems = format!(
        "[[system]]\nname = \"good\"\nbackend = \"null\"\nsettings = {{ word-us = 20 }}\n\
         [[system]]\nname = \"bad\"\ncommand = [\"python3\", \"-c\", {spoil:?}]\n"
    );
    let bench = Bench::new(&format!("{set}{systems}"));
    bench.write(
        "tiny.en",
        (0..40).map(|i| format!("line {i} holds some words of its own\n")).collect::<String>(),
    );
    let ended =
        dyno(&bench, &["gate", "campaign.toml", "-s", "bad", "--baseline", "good", "--pairs", "9", "--json"]);
    let answer = json(&ended);
    if answer["quality"][0]["score"].is_null() {
        return skip("no sacrebleu to be had: the gate's quality is not tried");
    }
    assert_eq!((ended.code, &answer["quality"][0]["worse"]), (Some(1), &true.into()), "{answer}");
    assert_eq!(answer["quality"][0]["differing_lines"], 40);
    // The number of each line is lost, but for the line whose length it is.
    let numbers = &answer["quality"][0]["kinds"][0];
    assert_eq!((&numbers["kind"], &numbers["baseline"]["kept"]), (&"numbers".into(), &40.into()), "{answer}");
    assert!(numbers["less"].as_u64() >= Some(39) && numbers["p"].as_f64() < Some(0.001), "{answer}");
    let worst = &answer["quality"][0]["worst_lines"];
    assert_eq!(worst.as_array().map(Vec::len), Some(5), "{answer}");
    assert_eq!(worst[0]["source"], worst[0]["baseline"], "{answer}");
    assert!(worst[0]["candidate"].as_str().unwrap().starts_with("bad "), "{answer}");
    assert!(worst[0]["difference"].as_f64().unwrap() < -90.0, "{answer}");
    let tolerant = [
        "gate",
        "campaign.toml",
        "-s",
        "bad",
        "--baseline",
        "good",
        "--pairs",
        "9",
        "--max-quality-loss",
        "100",
    ];
    let ended = dyno(&bench, &[&tolerant[..], &["--json"]].concat());
    assert_eq!(json(&ended)["quality"][0]["worse"], false, "{ended:?}");
}

#[test]
fn a_limit_that_cannot_be_checked_is_told_below_the_table() {
    let bench = Bench::new(
        "tracks = [\"latency\"]\nmetrics = [{ name = \"words\", worker = [\"false\"] }]\n\
         test-sets = [{ name = \"set\", source = \"tiny.en\", references = [\"tiny.en\"] }]\n\
         [[system]]\nname = \"slow\"\nbackend = \"null\"\nsettings = { word-us = 300 }\n\
         [[system]]\nname = \"cat\"\ncommand = [\"cat\"]\n",
    );
    let arguments =
        ["gate", "campaign.toml", "-s", "cat", "--baseline", "slow", "--pairs", "9", "--worst-quality", "1"];
    let ended = dyno(&bench, &arguments);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.stdout.contains("cat     slow"), "the table: {ended:?}");
    assert!(ended.stdout.ends_with("can't tell: --worst-quality: no score of cat on set\n"), "{ended:?}");
}

#[test]
fn a_limit_of_the_loss_needs_references() {
    let bench = bench();
    let arguments = ["gate", "campaign.toml", "-s", "fast", "--baseline", "slow", "--max-quality-loss", "1"];
    let ended = dyno(&bench, &arguments);
    // Without an interpreter, a network, or a cache that can be written.
    if ["python3", "can't create"].iter().any(|part| ended.stderr.contains(part)) {
        return skip("no sacrebleu to be had: a limit of quality is not tried");
    }
    ended.assert_says(2, &["--max-quality-loss", "no references"]);
}

#[test]
fn a_gate_by_instructions_is_the_same_on_a_busy_host() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return skip("no valgrind: instructions are not counted");
    }
    let system = |name: &str, work: &str| {
        let work = format!("i=0; while [ $i -lt {work} ]; do i=$((i+1)); done");
        let program = format!("while read -r line; do {work}; echo \"$line\"; done");
        format!("[[system]]\nname = \"{name}\"\ncommand = [\"sh\", \"-c\", {program:?}]\n")
    };
    let systems = [("old", "20"), ("new", "20"), ("more", "40")].map(|(name, work)| system(name, work));
    let bench = Bench::new(&format!("{LATENCY}{}", systems.concat()));
    bench.write("tiny.en", (0..12).map(|line| format!("line {line} of some words\n")).collect::<String>());
    let gate = |name: &str, further: &[&str]| {
        let arguments = ["gate", "campaign.toml", "-s", name, "--baseline", "old", "--by", "instructions"];
        dyno(&bench, &[&arguments[..], further].concat())
    };
    let ended = gate("new", &["--json"]);
    let schema: Value = serde_json::from_str(include_str!("../../../../docs/answer.schema.json")).unwrap();
    let answer = json(&ended);
    assert_eq!(faults(&answer, &schema, &schema, ""), Vec::<String>::new());
    let ratio = answer["cells"][0]["ratio"].as_f64().unwrap();
    assert!(ended.code == Some(0) && (ratio - 1.0).abs() < 0.001, "equal programs: {answer}");
    let ended = gate("more", &["--summary", "job.md"]);
    assert!(ended.code == Some(1) && ended.stdout.ends_with("REGRESSED\n"), "{ended:?}");
    assert!(fs::read_to_string(bench.path("job.md")).unwrap().contains("instructions/word"));
    gate("new", &["--max-memory", "9"]).assert_says(2, &["--max-memory", "by time"]);
    let sandboxed = systems[1].replace("command", "sandbox = \"bwrap\"\ncommand");
    bench.write("campaign.toml", format!("{LATENCY}{}{sandboxed}", systems[0]));
    gate("new", &[]).assert_says(2, &["new asks for a sandbox", "by time"]);
}

/// A copy of the run with five rounds of each system, whose lines took `microseconds`.
fn five_rounds(bench: &Bench, name: &str, microseconds: u64) -> String {
    let run = bench.path(name);
    copy(&bench.path("out"), &run);
    let first = records(&run).into_iter().filter(|record| record["round"] == 0);
    let lines = first.flat_map(|mut record| {
        (0..5).map(move |round| {
            record["round"] = round.into();
            record["latency_ns"] = vec![microseconds * 1000 + round; 5].into();
            record["verdict"] = "VALID".into(); // whatever the host was like
            format!("{record}\n")
        })
    });
    fs::write(run.join("records.jsonl"), lines.collect::<String>()).unwrap();
    run.display().to_string()
}

#[test]
fn a_change_that_few_rounds_cannot_prove_for_many_cells_is_undecided() {
    let systems = (0..7).map(|at| format!("[[system]]\nname = \"{at}\"\nbackend = \"null\"\n"));
    let bench = Bench::new(&format!("probes = []\n{LATENCY}{}", systems.collect::<String>()));
    assert_eq!(bench.run(&[]).code, Some(0));
    let [one, two] = [("one", 100), ("two", 200)].map(|(name, us)| five_rounds(&bench, name, us));
    let ended = dyno(&bench, &["compare", &one, &two]);
    assert_eq!(ended.code, Some(7), "{ended:?}");
    assert!(ended.stdout.contains("×2.000") && ended.stdout.contains("with more rounds"), "{}", ended.stdout);
    assert_eq!(dyno(&bench, &["compare", &one, &one]).code, Some(0));
}

#[test]
fn a_dollar_buys_no_words_on_cores_that_its_instance_lacks() {
    let bench = bench();
    assert_eq!(bench.run(&["-s", "fast"]).code, Some(0));
    let mut record = bench.records().remove(0);
    record["system_cores"] = json!([0, 1, 2]);
    fs::write(bench.path("out/records.jsonl"), format!("{record}\n")).unwrap();
    for (price, buys) in [("c7a.large", false), ("c7a.xlarge", true)] {
        let ended = dyno(&bench, &["score", "out", "--price", price, "--json"]);
        let cell = json(&ended)["cells"][0].clone();
        for figure in ["words_per_dollar", "words_per_dollar_pro_rata"] {
            assert_eq!(cell[figure].is_f64(), buys, "{price}: {cell}");
        }
    }
}
