//! Interrupted runs: nothing finished is lost, nothing is measured twice, nobody is left behind.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::support::{Bench, LATENCY, copy_program};

/// Three rounds of two systems over eleven words.
fn bench() -> Bench {
    bench_of_word_us(100)
}

fn bench_of_word_us(word_us: u32) -> Bench {
    let system = |name| {
        format!("[[system]]\nname = \"{name}\"\nbackend = \"null\"\nsettings = {{ word-us = {word_us} }}\n")
    };
    Bench::new(&format!("probes = []\n{LATENCY}{}{}", system("one"), system("two")))
}

/// Quick until the run has a record. Then it marks that it is held, and goes on when it may.
const HELD: &str = "import os, sys, time
for line in sys.stdin:
    if os.path.getsize('out/records.jsonl'):
        open('held', 'w').close()
        while not os.path.exists('go'): time.sleep(0.01)
    print(line.rstrip(), flush=True)
";

/// Three rounds of two systems that are held in the second round until there is a file `go`.
fn held_bench() -> Bench {
    let system = |name| format!("[[system]]\nname = \"{name}\"\ncommand = [\"python3\", \"held.py\"]\n");
    let bench = Bench::new(&format!(
        "line-seconds = 600.0\nprobes = []\n{LATENCY}{}{}",
        system("one"),
        system("two")
    ));
    bench.write("held.py", HELD);
    bench
}

fn start(bench: &Bench) -> Child {
    let mut command = bench.dyno(&["run", "campaign.toml", "--out", "out"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("dyno starts")
}

/// What `child` says on standard error up to the line that holds `part`.
fn told_until(child: &mut Child, part: &str) -> String {
    let (mut told, mut byte) = (Vec::new(), [0]);
    while !String::from_utf8_lossy(&told).contains(part) {
        child.stderr.as_mut().unwrap().read_exact(&mut byte).expect("it says so before its end");
        told.extend(byte);
    }
    String::from_utf8(told).unwrap()
}

/// Waits without a limit, since a host may be slow. The test runner names a test that hangs.
fn wait_for(mut happens: impl FnMut() -> bool) {
    while !happens() {
        sleep(Duration::from_millis(5));
    }
}

fn wait_for_records(bench: &Bench, count: usize) {
    let lines = || fs::read_to_string(bench.path("out/records.jsonl")).map_or(0, |text| text.lines().count());
    wait_for(|| lines() >= count);
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status().unwrap();
    assert!(status.success());
}

#[test]
fn interrupt_finishes_the_round_and_the_next_run_goes_on() {
    let bench = held_bench();
    let mut child = start(&bench);
    wait_for(|| bench.path("held").exists());
    // `timeout` and some shells send two, which count as one.
    signal(&child, "INT");
    signal(&child, "INT");
    let mut told = told_until(&mut child, "finishing this round");
    bench.write("go", "");
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(told.lines().filter(|line| line.starts_with("finishing this round")).count(), 1, "{told}");
    assert_eq!(child.wait().unwrap().code(), Some(130), "{told}");
    let done = bench.records().len();
    assert!((3..6).contains(&done), "the first round, and the one that was held: {done} records");
    let last = format!("interrupted after {done} of 6 rounds; repeat the command to resume");
    assert_eq!(told.lines().last(), Some(last.as_str()), "what to do stands last: {told}");
    assert!(bench.path("out/summary.csv").exists(), "what is there is written");
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains(&format!("{done} of 6 rounds are there")), "{ended:?}");
    assert_eq!(bench.records().len(), 6);
}

#[test]
fn a_signal_to_all_processes_of_a_job_accuses_no_system() {
    let bench = held_bench();
    let child = start(&bench);
    wait_for(|| bench.path("held").exists());
    let job: Vec<String> = descendants(child.id()).iter().map(ToString::to_string).collect();
    assert!(job.len() >= 2, "a supervisor and its system: {job:?}");
    // A scheduler stops all of them. It is worst if the bench is the last that gets to run.
    signal(&child, "STOP");
    assert!(Command::new("kill").arg("-TERM").args(&job).status().unwrap().success());
    signal(&child, "TERM");
    bench.write("go", "");
    signal(&child, "CONT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(bench.run(&[]).code, Some(0));
    let verdicts: Vec<_> = bench.records().iter().map(|record| record["verdict"].to_string()).collect();
    assert!(verdicts.len() == 6 && !verdicts.contains(&"\"INVALID\"".into()), "{verdicts:?}");
}

#[test]
#[ignore = "takes many seconds"]
fn killing_the_bench_loses_no_finished_round_and_leaves_no_orphan() {
    let bench = held_bench();
    let mut child = start(&bench);
    wait_for(|| bench.path("held").exists());
    let running = descendants(child.id());
    assert!(running.len() >= 2, "a supervisor and its system: {running:?}");
    signal(&child, "KILL");
    child.wait().unwrap();
    let before = bench.records();
    // A process that ended but has not been waited for has an empty command line.
    let lives =
        |process: &u32| fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| !line.is_empty());
    wait_for(|| !running.iter().any(lives));
    bench.write("go", "");
    assert_eq!(bench.run(&[]).code, Some(0));
    assert_eq!(bench.records()[..before.len()], before[..]);
    assert_eq!(bench.records().len(), 6);
}

/// Processes below the process `root`.
fn descendants(root: u32) -> Vec<u32> {
    // `pid (name) state parent …`, where a name may hold spaces and brackets: see proc_pid_stat(5).
    let parent_of = |entry: fs::DirEntry| {
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        Some((entry.file_name().to_str()?.parse().ok()?, parent))
    };
    let parents: Vec<(u32, u32)> = fs::read_dir("/proc").unwrap().flatten().filter_map(parent_of).collect();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process));
        next += 1;
    }
    found.split_off(1)
}

#[test]
fn a_record_cut_short_is_dropped_and_measured_again() {
    let bench = bench();
    assert_eq!(bench.run(&[]).code, Some(0));
    let path = bench.path("out/records.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() - 30]).unwrap();
    let ended = bench.run(&[]);
    assert!(ended.stderr.contains("5 of 6 rounds are there"), "{ended:?}");
    assert_eq!(bench.records().len(), 6);
}

#[test]
fn a_finished_run_is_never_reopened() {
    let bench = bench();
    assert_eq!(bench.run(&[]).code, Some(0));
    let before = fs::read(bench.path("out/records.jsonl")).unwrap();
    bench.run(&[]).assert_says(2, &["is finished", "choose another --out"]);
    assert_eq!(fs::read(bench.path("out/records.jsonl")).unwrap(), before);
}

#[test]
fn a_run_killed_while_it_was_scored_is_summed_up_by_the_next() {
    let bench = bench();
    assert_eq!(bench.run(&[]).code, Some(0));
    let before = fs::read(bench.path("out/records.jsonl")).unwrap();
    fs::remove_file(bench.path("out/summary.csv")).unwrap();
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(bench.path("out/summary.csv").exists());
    assert_eq!(fs::read(bench.path("out/records.jsonl")).unwrap(), before, "nothing is measured twice");
}

#[test]
fn a_run_that_is_refused_is_left_as_it_is() {
    let bench = bench();
    assert_eq!(bench.run(&["--system", "one"]).code, Some(0));
    bench.run(&["--system", "one"]).assert_says(2, &["is finished"]);
    bench.run(&["--system", "two"]).assert_says(2, &["another run"]);
    assert!(!bench.path("out/scratch").exists());
}

#[test]
fn a_closed_standard_error_does_not_end_a_run() {
    let bench = bench();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = bench.dyno(&["run", "campaign.toml", "--out", "out"]).stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(bench.records().len(), 6);
}

#[test]
fn a_new_build_beneath_a_run_does_not_end_it() {
    let bench = held_bench();
    let own = bench.path("own-dyno");
    copy_program(&own);
    let mut command = Command::new(&own);
    command.args(["run", "campaign.toml", "--out", "out"]).current_dir(bench.path("."));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(|| bench.path("held").exists());
    fs::remove_file(&own).unwrap();
    bench.write("go", "");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(bench.records().len(), 6);
    assert!(bench.records().iter().all(|record| record["verdict"] != "INVALID"));
}

#[test]
fn another_campaign_keeps_out_of_a_runs_folder() {
    let bench = bench();
    assert_eq!(bench.run(&["--system", "one"]).code, Some(0));
    bench.run(&["--system", "two"]).assert_says(2, &["out holds another run", "choose another --out"]);
}

#[test]
fn two_benches_do_not_share_a_folder() {
    // So slow that the first is still at work whenever the second gets to the folder.
    let bench = bench_of_word_us(2_000_000);
    let mut child = start(&bench);
    wait_for(|| bench.path("out/run.json").exists());
    bench.run(&[]).assert_says(2, &["another dyno is at work", "--out"]);
    signal(&child, "KILL");
    child.wait().unwrap();
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let bench = bench();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = bench.dyno(&["list", "campaign.toml"]).stdout(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_pipe_gets_a_line_for_each_group_of_rounds() {
    let bench = bench();
    let mut child = start(&bench);
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let lines: Vec<String> = stderr.lines().map(Result::unwrap).collect();
    assert!(child.wait().unwrap().success());
    let rounds: Vec<_> = lines.iter().filter(|line| line.contains("/6] ")).collect();
    assert_eq!(rounds.len(), 3, "{lines:?}");
    for (group, line) in rounds.iter().enumerate() {
        assert!(
            line.starts_with(&format!("[{}/6] 2 systems in turns", 2 * group))
                && line.contains(" · latency · tiny   ETA "),
            "{line}"
        );
    }
    assert_eq!(
        lines.len(),
        3 + 3 + 2,
        "host, campaign and time limits before, two breakdowns after: {lines:?}"
    );
    assert!(lines.iter().all(|line| !line.contains('\u{1b}')), "nothing is redrawn: {lines:?}");
}

#[test]
fn a_second_signal_still_writes_the_summary_of_what_exists() {
    let bench = held_bench();
    let mut child = start(&bench);
    wait_for(|| bench.path("held").exists());
    signal(&child, "INT");
    told_until(&mut child, "finishing this round");
    sleep(Duration::from_millis(1_100)); // an earlier signal counts as the same one
    signal(&child, "INT");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let summary = fs::read_to_string(bench.path("out/summary.csv")).unwrap();
    assert_eq!((summary.lines().count(), bench.records().len()), (3, 2), "{summary}");
}

/// A metric that says that it scores, and then waits for the file `go`.
const WAITING: &str = "import json, os, sys, time
for line in sys.stdin:
    if json.loads(line)['ask'] == 'init':
        answer = {'name': 'm', 'version': '1', 'direction': 'higher'}
    else:
        open('scoring', 'w').close()
        while not os.path.exists('go'): time.sleep(0.01)
        answer = {'score': 0.5}
    print(json.dumps(answer), flush=True)
";

#[test]
fn a_signal_while_texts_are_scored_leaves_a_finished_run_without_scores() {
    let worker = "metrics = [{ name = \"m\", worker = [\"python3\", \"worker.py\"] }]\n";
    let head = LATENCY.replace("source = \"tiny.en\"", "source = \"tiny.en\", references = [\"tiny.en\"]");
    let system = "[[system]]\nname = \"one\"\nbackend = \"null\"\n";
    let bench = Bench::new(&format!("{worker}probes = []\n{head}{system}"));
    bench.write("worker.py", WAITING);
    let start = |arguments: &[&str]| {
        let mut command = bench.dyno(arguments);
        command.env("XDG_CACHE_HOME", bench.path("cache")).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("dyno starts")
    };
    let child = start(&["run", "campaign.toml", "--out", "out"]);
    wait_for(|| bench.path("scoring").exists());
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("interrupted; ask again; `dyno score` can add"), "{told}");
    assert!(!told.contains("repeat the command"), "no command resumes a finished run: {told}");
    assert!(bench.path("out/summary.csv").exists());
    bench.write("go", "");
    let scored = start(&["score", "out"]).wait_with_output().unwrap();
    assert_eq!(scored.status.code(), Some(0), "{scored:?}");
}

#[test]
fn a_signal_after_the_rounds_leaves_a_run_that_its_command_completes() {
    let bench = bench_of_word_us(10_000);
    let child = start(&bench);
    wait_for_records(&bench, 6);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let breakdowns = || -> usize {
        let text = fs::read_to_string(bench.path("out/breakdowns.json")).unwrap_or_default();
        text.matches("\"breakdown\"").count()
    };
    let whole = if output.status.code() == Some(130) {
        assert!(told.trim_end().ends_with("repeat the command to resume"), "{told}");
        assert!(!bench.path("out/summary.csv").exists(), "else no command would complete the run");
        let (before, ended) = (breakdowns(), bench.run(&[]));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        breakdowns() >= before
    } else {
        breakdowns() == 2 // the signal came after the last one
    };
    assert!(whole && bench.records().len() == 6, "{told}");
    bench.run(&[]).assert_says(2, &["is finished"]);
}
