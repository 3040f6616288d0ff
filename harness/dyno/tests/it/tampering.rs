//! Systems that reach for the bench, its records, or each other's files, with the rights of the user.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{Bench, Ended, LATENCY, skip};

/// A campaign of a foreign system that runs `script`, and of one whose model is the file `rival`.
fn beside_a_rival(script: &str) -> Bench {
    let bench = Bench::new(&format!(
        "probes = []\n{LATENCY}[[system]]\nname = \"it\"\ncommand = [\"python3\", \"it.py\"]\n\
         [[system]]\nname = \"rival\"\nmodel = \"rival\"\ncommand = [\"cat\"]\n"
    ));
    let echo = "for line in sys.stdin: print(line, end='', flush=True)";
    bench.write("it.py", format!("import os, sys\n{script}\n{echo}\n"));
    bench.write("rival", "weights");
    std::fs::set_permissions(bench.path(""), std::fs::Permissions::from_mode(0o777)).unwrap();
    bench
}

/// The ending of `dyno run` on the system `it`, as a user without rights; `None` where that can't be had.
pub fn run_as_nobody(bench: &Bench) -> Option<Ended> {
    let nobody = |arguments: &[&str]| {
        let mut command = Command::new("setpriv");
        // setpriv itself still starts what only root may; the shell has no rights left.
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", "exec \"$0\" \"$@\""]);
        command.arg(env!("CARGO_BIN_EXE_dyno"));
        command.args(arguments).env("HOME", bench.path("")).current_dir(bench.path(""));
        command.output().ok().map(Ended::of)
    };
    if nobody(&["--version"]).is_none_or(|ended| ended.code != Some(0)) {
        skip("a look as another user: no right to become one, or dyno lies where it may not look");
        return None;
    }
    nobody(&["run", "campaign.toml", "--out", "out", "-s", "it"])
}

#[test]
fn a_system_that_changes_records_ends_the_run() {
    let script = "\
records = 'out/records.jsonl'
if os.path.exists(records):
    text = open(records).read().replace('\"VALID\"', '\"NOISY\"')
    open(records, 'w').write(text)";
    let ended = beside_a_rival(script).run(&[]);
    ended.assert_says(2, &["out/records.jsonl was changed while the run went on", "sandbox = \"bwrap\""]);
}

#[test]
fn a_system_that_changes_a_rivals_model_ends_the_run_and_one_that_reads_it_doesnt() {
    let ended = beside_a_rival("open('rival', 'w').write('WEIGHTS')").run(&[]);
    ended.assert_says(2, &["rival of system \"rival\" was changed while the run went on", "put it back"]);
    let ended = beside_a_rival("os.utime('rival'); open('rival').read()").run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

/// Answers each line with what it may read of its supervisor's and of the bench's.
const CURIOUS: &str = "\
def parent(pid): return int(open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()[1])
supervisor = os.getppid()
def tried(path):
    try: return str(len(os.listdir(path) if path.endswith('fd') else open(path, 'rb').read(1)))
    except OSError as error: return error.strerror.replace(' ', '-')
places = [f'/proc/{pid}/{name}' for pid in (supervisor, parent(supervisor)) for name in ('fd', 'environ', 'mem')]
for line in sys.stdin: print(*map(tried, places), flush=True)";

#[test]
fn bench_and_supervisor_cannot_be_looked_into_by_a_system_of_the_same_user() {
    let bench = beside_a_rival(CURIOUS);
    let Some(ended) = run_as_nobody(&bench) else { return };
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let output = bench.records()[0]["output"].as_str().expect("answers").to_owned();
    let answers = std::fs::read_to_string(bench.path(&format!("out/outputs/{output}.txt"))).unwrap();
    assert_eq!(answers.lines().next().unwrap(), ["Permission-denied"; 6].join(" "));
}

#[test]
fn a_process_that_forbids_looks_at_its_files_is_refused() {
    let forbid = "import ctypes, time; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); time.sleep(2)";
    let bench = beside_a_rival(forbid);
    let Some(ended) = run_as_nobody(&bench) else { return };
    let reason = &bench.records()[0]["reasons"][0];
    assert_eq!(reason["code"], "hidden_memory", "{ended:?}");
    assert_eq!(reason["figure"], "a process hides its files from looks");
}

#[test]
fn a_system_cannot_raise_its_priority() {
    let script = "\
def tried(raise_it):
    try: raise_it()
    except OSError: return 'refused'
    return 'raised'
real_time = tried(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
nice = tried(lambda: os.nice(-1))
for line in sys.stdin: print(real_time, nice, flush=True)";
    let bench = beside_a_rival(script);
    assert_eq!(bench.run(&["-s", "it"]).code, Some(0));
    let output = bench.records()[0]["output"].as_str().expect("answers").to_owned();
    let answers = std::fs::read_to_string(bench.path(&format!("out/outputs/{output}.txt"))).unwrap();
    assert_eq!(answers, "refused refused\n".repeat(5));
}
