//! Systems that break the rules: each is refused with its own code, and the bench lives on.

use crate::support::Bench;

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
    assert_refused(&python("", "print(line, end='', flush=True); break", ""), "exited_early", "");
}

#[test]
fn silence_is_hung() {
    assert_refused(&python("", "pass", ""), "hung", "no answer after 1.0 s");
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
    assert_refused(&Bench::new(&format!("{head}{systems}")), "line_count", "4 lines out for 5 lines in");
}

#[test]
fn a_program_that_is_not_executable_fails_in_its_record() {
    let bench = Bench::of_command(&["./tiny.en"]);
    assert_refused(&bench, "crashed", "can't be started");
}
