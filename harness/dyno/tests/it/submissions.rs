//! Submissions to shared tasks: small ones in shell for each dialect, and one that dyno makes itself.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::support::{Bench, Ended, can_sandbox, path};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/nano");

/// A submission of `wmt26` that copies its input, and needs what its setup makes.
const BY_FILES: &str = "#!/bin/sh\n[ -s made ] || exit 5\necho chatter\n\
    while [ $# -gt 0 ]; do\n  case $1 in --input) input=$2 ;; --output) output=$2 ;; esac\n  shift\ndone\n\
    cp \"$input\" \"$output\"\n";

/// Writes a script to `path` below the folder of `bench`.
pub fn script(bench: &Bench, path: &str, text: &str) {
    let at = bench.path(path);
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    fs::write(&at, text).unwrap();
    fs::set_permissions(at, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A submission of `wmt22` in the folder `sub`, with this script and a model of 10 bytes.
fn of_script(text: &str) -> Bench {
    let bench = Bench::new("");
    script(&bench, "sub/run.sh", text);
    fs::create_dir(bench.path("sub/model")).unwrap();
    bench.write("sub/model/weights", "0123456789");
    bench
}

/// Verifies the submission in `folder` by one probe, with `further` arguments.
pub fn verified(bench: &Bench, folder: &str, further: &[&str]) -> Ended {
    let arguments = [&["verify", "--submission", folder, "--probe", "conformance"], further].concat();
    Ended::of(bench.dyno(&arguments).output().expect("dyno starts"))
}

/// Asserts that the row `check` says yes or NO, with `part` in it.
fn assert_row(ended: &Ended, check: &str, answer: &str, part: &str) {
    let row = ended.stdout.lines().find(|line| line.trim().starts_with(check));
    let row = row.unwrap_or_else(|| panic!("no row {check}: {ended:?}"));
    let said = row.trim().trim_start_matches(check).trim();
    assert!(
        said.starts_with(answer) && said.contains(part),
        "{row:?} lacks {answer:?} or {part:?}: {ended:?}"
    );
}

#[test]
fn an_honest_submission_of_the_efficiency_task_passes() {
    if !can_sandbox("submissions") {
        return;
    }
    let bench = of_script("#!/bin/sh\n[ -s /model/weights ] && [ \"$1\" = CPU-1 ] && exec cat\n");
    let ended = verified(&bench, "sub", &["--dialect", "wmt22", "--memory", "512"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_row(&ended, "starts", "yes", "2 launches");
    assert_row(&ended, "contract", "yes", "in latency and throughput-1");
    assert_row(&ended, "off the network", "yes", "");
    assert_row(&ended, "fits the memory", "yes", "of 512 MiB");
}

#[test]
fn honest_submissions_of_whole_files_pass_in_the_tracks_that_they_have() {
    if !can_sandbox("submissions") {
        return;
    }
    let bench = Bench::new("");
    script(&bench, "image/model/mine/run.sh", "#!/bin/sh\n[ \"$*\" = \"ces-deu 8\" ] && exec cat\n");
    let pair = ["--pair", "ces-deu", "--batch-lines", "8"];
    let ended = verified(&bench, "image", &[&["--dialect", "wmt25"], &pair[..]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_row(&ended, "contract", "yes", "in throughput-1");
    script(&bench, "folder/setup.sh", "#!/bin/sh\necho once >>made\n");
    script(&bench, "folder/run.sh", BY_FILES);
    for _ in 0..2 {
        let ended = verified(&bench, "folder", &[&["--dialect", "wmt26"], &pair[..]].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    assert_eq!(fs::read_to_string(bench.path("folder/made")).unwrap(), "once\n", "setup.sh runs once");
    let latency = ["--dialect", "wmt26", "--track", "latency"];
    verified(&bench, "folder", &[&latency[..], &pair[..]].concat())
        .assert_says(2, &["the dialect wmt26 has no latency", "throughput-1"]);
}

#[test]
fn each_fault_has_its_line_and_its_remedy() {
    if !can_sandbox("submissions") {
        return;
    }
    let hog = "#!/bin/sh\nexec python3 -c 'x = bytearray(b\"x\" * (400 << 20)); input()'\n";
    for (text, check, part, remedy) in [
        ("#!/bin/sh\nexit 3\n", "starts", "exit code 3", "by hand"),
        ("#!/bin/sh\nexec sed -u 1d\n", "contract", "", "; "),
        (
            "#!/bin/sh\n[ \"$2\" = latency ] && exec cat; exec sed 1d\n",
            "contract",
            "39 lines out for 40",
            "empty line",
        ),
        (
            "#!/bin/bash\n(echo >/dev/tcp/192.0.2.1/80) 2>/dev/null\nexec cat\n",
            "off the network",
            "attempts",
            "ship all files",
        ),
        (hog, "fits the memory", "of 256 MiB", "--memory"),
    ] {
        let bench = of_script(text);
        let ended = verified(&bench, "sub", &["--dialect", "wmt22", "--memory", "256"]);
        assert_eq!(ended.code, Some(1), "{text}: {ended:?}");
        assert_row(&ended, check, "NO", part);
        assert_row(&ended, check, "NO", remedy);
    }
}

#[test]
fn a_folder_without_the_files_of_its_dialect_is_refused() {
    let bench = Bench::new("");
    fs::create_dir(bench.path("sub")).unwrap();
    let pair = ["--pair", "ces-deu"];
    verified(&bench, "gone", &["--dialect", "wmt22"]).assert_says(2, &["no folder gone", "run.sh"]);
    verified(&bench, "sub", &["--dialect", "wmt22"]).assert_says(2, &["no run.sh", "wmt22", "add it"]);
    script(&bench, "sub/run.sh", "#!/bin/sh\n");
    verified(&bench, "sub", &["--dialect", "wmt22"]).assert_says(2, &["no model"]);
    verified(&bench, "sub", &["--dialect", "wmt25"]).assert_says(2, &["names a language pair"]);
    verified(&bench, "sub", &[&["--dialect", "wmt26"], &pair[..]].concat()).assert_says(2, &["no setup.sh"]);
    fs::create_dir(bench.path("sub/model")).unwrap();
    verified(&bench, "sub", &[&["--dialect", "wmt22"], &pair[..]].concat())
        .assert_says(2, &["leave the pair out"]);
    fs::write(bench.path("sub/run.sh"), "#!/no/such\n").unwrap();
    verified(&bench, "sub", &["--dialect", "wmt22"])
        .assert_says(2, &["its first line asks for \"/no/such\""]);
}

#[test]
fn a_campaign_measures_a_submission_by_what_it_opens_and_says_which_tracks_are_missing() {
    if !can_sandbox("submissions") {
        return;
    }
    let system =
        "[[system]]\nname = \"it\"\nsubmission = \"image\"\ndialect = \"wmt25\"\npair = \"ces-deu\"\n";
    let bench = Bench::new(&format!(
        "probes = []\nnoisy-repeats = 0\ntracks = [\"latency\", \"throughput-1\"]\nmemory-mib = 512\ninterleave = \"rounds\"\n\
         test-sets = [{{ name = \"tiny\", source = \"tiny.en\" }}]\n{system}"
    ));
    let run = "#!/bin/sh\nexec 3</model/mine/weights\nsleep 1\nexec cat\n";
    script(&bench, "image/model/mine/run.sh", run);
    fs::write(bench.path("image/model/mine/weights"), vec![7; 2 << 20]).unwrap();
    fs::write(bench.path("image/model/mine/unused"), vec![7; 5 << 20]).unwrap();
    let ended = bench.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?} {:?}", bench.records());
    assert!(ended.stderr.contains("it isn't measured in latency: its dialect wmt25"), "{ended:?}");
    let records = bench.records();
    assert!(records.iter().all(|record| record["track"] == "throughput-1"), "{records:?}");
    for record in &records {
        let opened = Value::from((2 << 20) + run.len()); // files too small to be seen count as opened
        assert_eq!((&record["model_bytes"], &record["model_seen"]), (&opened, &true.into()));
        assert_eq!(record["sandbox"], "bwrap");
        assert_eq!(record["command"][0], "/model/mine/run.sh");
    }
}

#[test]
fn weights_in_a_part_named_as_a_folder_of_the_operating_system_are_found() {
    if !can_sandbox("submissions") {
        return;
    }
    let bench = Bench::new(
        "probes = []\nprofile = \"quick\"\nnoisy-repeats = 0\ntracks = [\"throughput-1\"]\n\
         test-sets = [{ name = \"tiny\", source = \"tiny.en\" }]\n\
         [[system]]\nname = \"it\"\nsubmission = \"sub\"\ndialect = \"wmt22\"\n",
    );
    script(&bench, "sub/run.sh", "#!/bin/sh\nexec 3</model/small 4</snap/weights\nsleep 1\nexec cat\n");
    for (folder, file, bytes) in [("sub/model", "small", 2000), ("sub/snap", "weights", 5 << 20)] {
        fs::create_dir(bench.path(folder)).unwrap();
        fs::write(bench.path(folder).join(file), vec![7; bytes]).unwrap();
    }
    bench.run(&[]);
    let records = bench.records();
    let reason = |record: &Value| record["reasons"][0].clone();
    assert!(
        records.iter().any(|record| reason(record)["code"] == "hidden_files"
            && reason(record)["figure"].as_str().unwrap().contains("/snap/weights")),
        "{records:?}"
    );
}

#[test]
fn keys_that_a_submission_may_not_have_are_refused() {
    let bench = of_script("#!/bin/sh\nexec cat\n");
    for (keys, parts) in [
        ("submission = \"sub\"", ["needs a `dialect`", "wmt22"]),
        (
            "submission = \"sub\"\ndialect = \"wmt22\"\nbackend = \"null\"",
            ["`backend`", "leave this key out"],
        ),
        (
            "submission = \"sub\"\ndialect = \"wmt22\"\nsandbox = \"none\"",
            ["runs in the sandbox", "leave `sandbox` out"],
        ),
        (
            "submission = \"sub\"\ndialect = \"wmt22\"\nbatch-lines = 4",
            ["no size of batches", "leave the size out"],
        ),
        ("submission = \"sub\"\ndialect = \"wmt21\"", ["wmt21", "wmt22"]),
        ("command = [\"cat\"]\ndialect = \"wmt22\"", ["`dialect` needs a `submission`", "add its folder"]),
    ] {
        let set = "test-sets = [{ name = \"tiny\", source = \"tiny.en\" }]\n";
        bench.write("campaign.toml", format!("{set}[[system]]\nname = \"it\"\n{keys}\n"));
        bench.run(&[]).assert_says(2, &parts);
    }
}

#[test]
fn what_dyno_bundles_passes_the_same_verification() {
    if !can_sandbox("submissions") {
        return;
    }
    let bench = Bench::new("");
    for (dialect, pair) in
        [("wmt22", &[] as &[&str]), ("wmt25", &["--pair", "eng-deu"]), ("wmt26", &["--pair", "eng-deu"])]
    {
        let make = ["bundle", MODEL, "--dialect", dialect, "-o", dialect, "--json"];
        let made = Ended::of(bench.dyno(&[&make[..], pair].concat()).output().unwrap());
        assert_eq!(made.code, Some(0), "{made:?}");
        let told: Value = serde_json::from_str(&made.stdout).unwrap();
        assert_eq!(crate::answers::misfits(&told, "bundle"), Vec::<String>::new(), "{told}");
        let size = |name: &str| told[name].as_u64().unwrap();
        let program = fs::metadata(env!("CARGO_BIN_EXE_dyno")).unwrap().len();
        assert!(size("program_bytes") == program && size("bytes") > program + size("model_bytes"), "{told}");
        assert!(!Path::new(MODEL).join("run.sh").exists(), "the model stays as it is");
        let ended = verified(&bench, dialect, &[&["--dialect", dialect], pair].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_row(&ended, "contract", "yes", "throughput-1");
    }
    let again = bench.dyno(&["bundle", MODEL, "--dialect", "wmt22", "-o", "wmt22"]).output().unwrap();
    Ended::of(again).assert_says(2, &["wmt22 exists already", "-o"]);
}

/// An engine of containers that has one image: the folder `theirs`.
const ENGINE: &str = "#!/bin/sh\necho \"$@\" >>asked\ncase $1 in\n\
    image) echo '[{\"Id\": \"sha256:abc\", \"Config\": {\"Env\": [\"WHO=image\"]}}]' ;;\n\
    create) echo container-1 ;;\n    export) exec tar -c -C theirs . ;;\n    rm) ;;\nesac\n";

#[test]
fn an_image_is_unpacked_once_and_then_runs_like_a_folder() {
    if !can_sandbox("submissions") {
        return;
    }
    let bench = Bench::new("");
    script(&bench, "theirs/run.sh", "#!/bin/sh\n[ \"$WHO\" = image ] && exec cat\n");
    script(&bench, "theirs/model/weights", "none");
    script(&bench, "bin/podman", ENGINE);
    let path = format!("{}:{}", bench.path("bin").display(), path());
    for _ in 0..2 {
        let mut command = bench.dyno(&["verify", "--submission", "podman:theirs", "--dialect", "wmt22"]);
        command
            .args(["--probe", "conformance"])
            .env("PATH", &path)
            .env("XDG_CACHE_HOME", bench.path("cache"));
        let ended = Ended::of(command.output().unwrap());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_row(&ended, "contract", "yes", "latency");
    }
    let asked = fs::read_to_string(bench.path("asked")).unwrap();
    let inspect = "image inspect theirs\n";
    let once = "create --network=none theirs /run.sh\nexport container-1\nrm container-1\n";
    assert_eq!(asked, format!("{inspect}{once}{inspect}"));
    assert!(bench.path("cache/dyno/images/abc/run.sh").is_file());
    let mut command = bench.dyno(&["verify", "--submission", "docker:theirs", "--dialect", "wmt22"]);
    command.env("PATH", bench.path("empty"));
    Ended::of(command.output().unwrap()).assert_says(2, &["can't start docker", "install it"]);
}
