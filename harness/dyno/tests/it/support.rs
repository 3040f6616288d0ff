//! A bench to test on: a folder of its own, a campaign, and the built program.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::{env, fs};

use serde_json::Value;
use tempfile::TempDir;

/// The search path with the real interpreter of `python3` first. Where that name is a script that chooses a version, as
/// pyenv's, each of the hundreds of systems here would run it.
pub fn path() -> String {
    static PATH: LazyLock<String> = LazyLock::new(|| {
        let users = env::var("PATH").expect("a search path");
        let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok();
        let real = asked.and_then(|asked| String::from_utf8(asked.stdout).ok()).map(PathBuf::from);
        match real.as_deref().and_then(Path::parent) {
            Some(folder) => format!("{}:{users}", folder.display()),
            None => users,
        }
    });
    PATH.clone()
}

/// Copies the built program, by another program: a copy of our own would stay open for writing in what other tests
/// start meanwhile, and couldn't be started itself (ETXTBSY in execve(2)).
pub fn copy_program(to: &Path) {
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_dyno")).arg(to).status();
    assert!(copied.is_ok_and(|status| status.success()), "{}", to.display());
}

/// A folder with a campaign in it, removed at the end.
pub struct Bench {
    folder: TempDir,
}

/// The head of a campaign on a small test set, latency only: the quickest that measures anything. Beside other tests
/// most rounds are disturbed, and none is measured again.
pub const LATENCY: &str =
    "tracks = [\"latency\"]\ntest-sets = [{ name = \"tiny\", source = \"tiny.en\" }]\nnoisy-repeats = 0\n";

/// Two systems that translate nothing and break no rule: the built-in one, and a foreign one.
pub const NULL_AND_CAT: &str = r#"
[[system]]
name = "null"
backend = "null"
[[system]]
name = "cat"
command = ["cat"]
"#;

impl Bench {
    /// A bench whose `campaign.toml` holds `campaign`, beside a test set `tiny.en` of five lines.
    pub fn new(campaign: &str) -> Self {
        let bench = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        bench.write("campaign.toml", campaign);
        bench.write("tiny.en", "A dog barks.\n\nTwo men\ttalk\nno end\u{2028}here\nlast one\n");
        bench
    }

    /// A campaign in the latency track whose only system is this command.
    pub fn of_command(command: &[&str]) -> Self {
        let system = format!("[[system]]\nname = \"it\"\ncommand = {command:?}\n");
        Self::new(&format!("{LATENCY}{system}"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).expect("a file in the temporary folder");
    }

    /// dyno in this folder; the user's cache and settings don't reach it.
    pub fn dyno(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dyno"));
        command.args(arguments).current_dir(self.folder.path()).env("PATH", path()).stdin(Stdio::null());
        command
    }

    /// Runs `campaign.toml` into `out` with further arguments.
    pub fn run(&self, further: &[&str]) -> Ended {
        let arguments = [&["run", "campaign.toml", "--out", "out"], further].concat();
        Ended::of(self.dyno(&arguments).output().expect("dyno starts"))
    }

    /// The records of `out`.
    pub fn records(&self) -> Vec<Value> {
        records(&self.path("out"))
    }
}

/// The records of a run's folder.
pub fn records(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("records.jsonl")).expect("a run has records");
    text.lines().map(|line| serde_json::from_str(line).expect("a record is JSON")).collect()
}

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("dyno speaks UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("dyno speaks UTF-8"),
        }
    }

    /// Ended with `code`, and its one line on standard error holds each of `parts`.
    pub fn assert_says(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:?}");
        let lines: Vec<_> = self.stderr.lines().filter(|line| line.starts_with("dyno: ")).collect();
        assert_eq!(lines.len(), 1, "one line that says what is wrong: {self:?}");
        for part in parts {
            assert!(lines[0].contains(part), "{part:?} is not in {:?}", lines[0]);
        }
        assert!(!self.stderr.contains("panicked"), "{self:?}");
    }
}

/// Gives `input` to `command` and waits for its end.
pub fn feed(mut command: Command, input: &[u8]) -> Ended {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("dyno starts");
    let mut stdin = child.stdin.take().expect("it was asked for as a pipe");
    let input = input.to_vec();
    // Beside the reading, or both pipes fill up. A refusal ends it before it reads: then writing fails.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let ended = Ended::of(child.wait_with_output().expect("it can be waited for"));
    writer.join().expect("writing doesn't panic");
    ended
}

/// Whether bubblewrap works here; if not, says that `what` is skipped.
pub fn can_sandbox(what: &str) -> bool {
    let tried = Command::new("bwrap").args(["--ro-bind", "/", "/", "--unshare-all", "true"]).status();
    let can = tried.is_ok_and(|status| status.success());
    if !can {
        skip(&format!("{what}: bubblewrap doesn't work here"));
    }
    can
}

/// Says that a test could not do its work here, in a way that the test runner doesn't swallow.
pub fn skip(what: &str) {
    let line = format!("skipped: {what}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("standard error is open");
}
