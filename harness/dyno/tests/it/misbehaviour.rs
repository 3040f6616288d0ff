//! Systems that break the rules: each is refused with its own code, and the bench lives on.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::{Bench, LATENCY};

/// Echoes lines with `before` at the start, `each` line (whose text is `line`), and `after` at the end.
fn python(before: &str, each: &str, after: &str) -> Bench {
    let script = format!("import os, sys, time\n{before}\nfor line in sys.stdin:\n    {each}\n{after}\n");
    Bench::of_command(&["python3", "-c", &script])
}

const ECHO: &str = "print(line, end='', flush=True)";

fn assert_refused(bench: &Bench, code: &str, figure: &str) {
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(1), "INVALID is the answer no: {ended:?}");
    for record in bench.records() {
        assert_eq!(record["verdict"], "INVALID");
        let reason = &record["reasons"][0];
        assert_eq!(reason["code"], code, "{reason}");
        assert!(reason["figure"].as_str().unwrap().contains(figure), "{figure:?} is not in {reason}");
        assert!(!reason["remedy"].as_str().unwrap().is_empty());
    }
    assert_eq!(bench.records().len(), 3, "failures are records too");
}

#[test]
fn an_honest_echo_is_valid() {
    let ended = python("", ECHO, "").run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn a_worker_behind_a_parent_is_valid() {
    let bench = Bench::of_command(&["sh", "-c", "cat; true"]);
    assert_eq!(bench.run(&[]).code, Some(0));
}

#[test]
fn a_crash_shows_the_end_of_standard_error() {
    let bench = python("", "raise ValueError('bad day')", "");
    assert_refused(&bench, "crashed", "exit code 1; it said: ValueError: bad day");
}

#[test]
fn a_death_by_signal_is_a_crash() {
    assert_refused(&python("", "os.kill(os.getpid(), 11)", ""), "crashed", "signal 11");
}

#[test]
fn an_end_before_the_input_ends_is_early() {
    assert_refused(&python("", "print(line, end='', flush=True); break", ""), "exited_early", "end");
}

#[test]
#[ignore = "takes many seconds"]
fn silence_is_hung() {
    let bench = python("", "pass", "");
    let campaign = fs::read_to_string(bench.path("campaign.toml")).unwrap();
    bench.write("campaign.toml", format!("line-seconds = 1.0\n{campaign}"));
    assert_refused(&bench, "hung", "no answer after");
}

#[test]
fn a_second_line_is_extra_output() {
    assert_refused(&python("", "print('a\\nb', flush=True)", ""), "extra_output", "more than one line");
}

#[test]
fn a_farewell_is_extra_output() {
    assert_refused(&python("", ECHO, "print('bye')"), "extra_output", "bytes after the last answer");
}

#[test]
fn bytes_that_are_no_text_are_invalid_utf8() {
    assert_refused(&python("", "os.write(1, b'\\xff\\n')", ""), "invalid_utf8", "line 1");
}

#[test]
fn a_daemon_is_left_behind_and_ended() {
    let daemon = "if os.fork() == 0:\n    os.setsid(); os.close(0); os.close(1); os.close(2); time.sleep(600); os._exit(0)";
    let bench = python(daemon, ECHO, "");
    assert_refused(&bench, "left_process", "1 processes");
}

/// A bench in the throughput track, whose one system is this shell script.
fn throughput(script: &str) -> Bench {
    let head = LATENCY.replace("\"latency\"", "\"throughput-1\"");
    Bench::new(&format!("{head}[[system]]\nname = \"it\"\ncommand = [\"sh\", \"-c\", {script:?}]\n"))
}

#[test]
#[ignore = "takes many seconds"]
fn work_in_a_process_behind_is_timed_to_its_end() {
    let bench = throughput("exec 3<&0; (sleep 0.12; cat <&3) & exit 0");
    assert_eq!(bench.run(&[]).code, Some(0));
    for record in bench.records() {
        let launches = record["launch_ns"].as_array().unwrap();
        assert!(launches.iter().all(|ns| ns.as_u64().unwrap() >= 120_000_000), "{launches:?}");
    }
}

#[test]
#[ignore = "takes many seconds"]
fn filler_must_be_worked_on_as_the_set_is() {
    let spared = "{ line[NR] = $0 } END { for (i = 1; i <= NR; i++) print (NR > 50 && line[i] ~ /^filler/ ? \"x\" : line[i]) }";
    let bench = |script: &str| {
        let head = "tracks = [\"throughput-1\"]\nfiller = \"filler.en\"\ntest-sets = [{ name = \"tiny\", source = \"tiny.en\" }]\n";
        let system = format!("[[system]]\nname = \"it\"\ncommand = [\"awk\", {script:?}]\n");
        let bench = Bench::new(&format!("{head}{system}"));
        bench.write("filler.en", (0..200).map(|i| format!("filler {i}\n")).collect::<String>());
        bench
    };
    assert_refused(&bench(spared), "nondeterministic", "5 of 5 lines differ in a file of their own");
    let honest = bench("{ print }");
    assert_eq!(honest.run(&[]).code, Some(0));
    assert!(honest.records()[0]["timed_lines"].as_u64().unwrap() > 50, "filler was asked");
}

#[test]
fn a_short_flood_is_seen_after_its_end() {
    let bench = throughput("yes | head -c 80000000");
    // A look at a busy moment may come before the last bytes.
    assert_refused(&bench, "flood", " bytes");
}

#[test]
fn what_the_first_launch_shows_needs_no_second() {
    assert_refused(&throughput("cat; sleep 300 & exit 0"), "left_process", "1 processes");
    assert_refused(&throughput("yes | head -n 1000000"), "line_count", "1000000 lines out for 18 lines in");
}

#[test]
fn a_system_that_streams_long_lines_is_not_blocked() {
    let bench = Bench::of_command(&["cat"]);
    bench.write("tiny.en", format!("{}\nshort\n{}\n", "long ".repeat(40_000), "longer ".repeat(200_000)));
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn what_a_system_puts_in_the_place_of_the_benchs_files_is_not_read() {
    let here = "sleep 0.2; top=$PWD; cd $(dirname $(readlink /proc/$$/fd/1))";
    let prepared = format!("{here}; rm output.txt; cat > output.txt");
    assert_refused(&throughput(&prepared), "line_count", "0 lines out");
    // Nor is it waited for, written through, or in the way of what comes next.
    let first = "mkdir $top/seen; rm -r $PWD";
    let second = "mkdir $top/again; rm *; mkdir output.txt input.txt facts.json";
    let then = "rm *; mkfifo output.txt facts.json; echo precious > $top/victim; ln -s $top/victim input.txt";
    let turns = format!(
        "if ! [ -e $top/seen ]; then {first}; elif ! [ -e $top/again ]; then {second}; else {then}; fi"
    );
    let bench = throughput(&format!("cat; {here}; {turns}"));
    assert_eq!(bench.run(&[]).code, Some(0));
    assert_eq!(fs::read_to_string(bench.path("victim")).unwrap(), "precious\n");
    assert!(bench.records().iter().all(|record| record["facts"].is_null()));
}

#[test]
fn answers_without_end_are_a_flood_one_by_one_and_together() {
    assert_refused(&Bench::of_command(&["cat", "/dev/zero"]), "flood", " bytes for 1 lines");
    let long = "print('x' * (40 << 20), flush=True)";
    assert_refused(&python("", long, ""), "flood", " bytes for 2 lines");
}

#[test]
fn a_system_cannot_take_the_bench_down_through_its_parent() {
    assert_refused(&python("os.kill(os.getppid(), 9)", ECHO, ""), "crashed", "supervisor");
}

#[test]
fn a_closed_output_is_an_early_end_even_if_the_process_lingers() {
    assert_refused(&python("", "os.close(1); time.sleep(600)", ""), "exited_early", "end of output");
}

#[test]
fn a_flood_of_standard_error_does_no_harm() {
    let flood = "for _ in range(20): sys.stderr.write('x' * 1000000)";
    let bench = python("", ECHO, &format!("{flood}\nsys.stderr.write('the end')"));
    assert_eq!(bench.run(&[]).code, Some(0));
    let usage = &bench.records()[0]["usage"];
    assert_eq!(usage["stderr_bytes"], 20_000_007);
    let tail = usage["stderr_tail"].as_str().unwrap();
    assert!(tail.ends_with("the end") && tail.len() <= 16 * 1024);
}

#[test]
fn a_throughput_system_that_drops_a_line_is_refused() {
    let systems = "[[system]]\nname = \"it\"\ncommand = [\"head\", \"-n\", \"4\"]\n";
    let head = "tracks = [\"throughput-1\"]\ntest-sets = [{ name = \"tiny\", source = \"tiny.en\" }]\n";
    assert_refused(&Bench::new(&format!("{head}{systems}")), "line_count", "4 lines out for 18 lines in");
}

#[test]
fn each_launch_gives_the_text_that_is_scored() {
    // The first launch translates; later ones answer "x". Without probes it is the first launch that is seen first.
    let script = "if mkdir seen 2>/dev/null; then cat; else sed 's/.*/x/'; fi";
    let bench = throughput(script);
    let campaign = fs::read_to_string(bench.path("campaign.toml")).unwrap();
    bench.write("campaign.toml", format!("probes = []\n{campaign}"));
    assert_refused(&bench, "nondeterministic", "5 of 5 lines differ");
}

#[test]
fn answers_that_are_missing_are_seen_in_every_profile() {
    let bench = python("", "print('' if 'dog' in line else line.rstrip('\\n'), flush=True)", "");
    assert_refused(&bench, "empty_output", "1 of 4 ordinary lines");
}

#[test]
fn filler_must_be_answered_as_well() {
    let bench = throughput("sed 's/^filler.*//'; sleep 0.05");
    let campaign = fs::read_to_string(bench.path("campaign.toml")).unwrap();
    bench.write("campaign.toml", format!("probes = []\nfiller = \"filler.en\"\n{campaign}"));
    bench.write("filler.en", (0..500).map(|i| format!("filler {i}\n")).collect::<String>());
    assert_refused(&bench, "empty_output", "ordinary lines");
}

#[test]
#[ignore = "takes many seconds"]
fn tracks_that_differ_are_a_warning_with_the_figure_of_the_whole_set() {
    let script = "if [ $0 = latency ]; then cat; else sed s/dog/cat/; fi";
    let head =
        "tracks = [\"latency\", \"throughput-1\"]\ntest-sets = [{ name = \"tiny\", source = \"tiny.en\" }]\n";
    let system = format!("command = [\"sh\", \"-c\", {script:?}, \"{{track}}\"]\n");
    let ended = Bench::new(&format!("{head}[[system]]\nname = \"it\"\n{system}")).run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("warning: it on tiny under "), "{ended:?}");
    assert!(ended.stdout.contains(": tracks_differ: 1 of 5 lines\n"), "{ended:?}");
}

#[test]
fn what_kills_its_supervisor_leaves_nobody_behind() {
    let sign = format!("orphan-{}", std::process::id());
    let helper = format!(
        "if os.fork() == 0:\n    os.setsid(); os.close(0); os.close(1); os.close(2); os.execvp('sh', ['sh', '-c', 'sleep 600; : {sign}'])\ntime.sleep(0.2); os.kill(os.getppid(), 9)"
    );
    assert_refused(&python(&helper, ECHO, ""), "crashed", "supervisor");
    let running = std::process::Command::new("ps").args(["-eo", "args"]).output().expect("ps");
    let running = String::from_utf8_lossy(&running.stdout);
    assert!(
        !running.lines().any(|line| line.starts_with("sh -c sleep") && line.contains(&sign)),
        "{running}"
    );
}

#[test]
fn a_program_that_cannot_be_started_fails_in_its_record() {
    let bench = Bench::of_command(&["./program"]);
    // Its own interpreter is there and is looked for beforehand; that one's is not.
    for (name, text) in [("program", "#!./other\n"), ("other", "#!/no/such/interpreter\n")] {
        bench.write(name, text);
        fs::set_permissions(bench.path(name), fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    assert_refused(&bench, "crashed", "can't be started: ./program");
}
