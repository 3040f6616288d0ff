//! Scripts for clusters. A stand-in for `sbatch` runs Slurm's jobs one after the other; `ci/slurm` runs them
//! on Slurm.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{Bench, Ended, LATENCY, path, records};

const SYSTEMS: &str = "[[system]]\nname = \"one\"\ncommand = [\"sed\", \"-u\", \"s/a/b/\"]\n";

/// Runs the job of its standard input for each index of the array, and prints a number.
const SBATCH: &str = r#"#!/usr/bin/env bash
job=$(mktemp)
cat >"$job"
echo "$*" >>sbatch.log
first=0 last=0
for word in "$@"; do
    case $word in
    --array=*) first=1 last=${word##*-} ;;
    --export=*)
        IFS=, read -ra pairs <<<"${word#--export=ALL,}"
        export "${pairs[@]}"
        ;;
    esac
done
for ((i = first; i <= last; i++)); do
    SLURM_ARRAY_TASK_ID=$i bash "$job" >>job.log 2>&1 || exit 1
done
echo 4$last
"#;

fn bench() -> Bench {
    let bench = Bench::new(&format!(
        "probes = []\n{}{SYSTEMS}",
        LATENCY.replace("\"latency\"", "\"latency\", \"latency-all\"")
    ));
    fs::create_dir(bench.path("bin")).unwrap();
    bench.write("bin/sbatch", SBATCH);
    fs::set_permissions(bench.path("bin/sbatch"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_dyno"), bench.path("bin/dyno")).unwrap();
    bench
}

fn script(bench: &Bench, arguments: &[&str]) -> String {
    let ended = Ended::of(bench.dyno(&[&["cluster"], arguments].concat()).output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended.stdout
}

#[test]
fn slurms_script_submits_a_shard_a_job_and_the_merge_after_them() {
    let bench = bench();
    bench.write(
        "go.sh",
        script(
            &bench,
            &["slurm", "campaign.toml", "--kind", "a=c7a.large,b=c7g.large", "--runs", "runs-of-all"],
        ),
    );
    let path = format!("{}:{}", bench.path("bin").display(), path());
    let ended =
        Command::new("bash").arg("go.sh").current_dir(bench.path("")).env("PATH", path).output().unwrap();
    let log = fs::read_to_string(bench.path("job.log")).unwrap_or_default();
    assert!(ended.status.success(), "{ended:?} {log}");
    let submitted = fs::read_to_string(bench.path("sbatch.log")).unwrap();
    let lines: Vec<&str> = submitted.lines().collect();
    assert_eq!(lines.len(), 3, "{submitted}");
    for (line, parts) in lines.iter().zip([
        ["--constraint=a", "--array=1-2", "--exclusive", "--requeue"],
        ["--constraint=b", "--array=1-2", "--exclusive", "--requeue"],
        ["--dependency=afterok:42:42", "dyno-campaign-merge", "--parsable", "--export=ALL,OUT="],
    ]) {
        assert!(parts.iter().all(|part| line.contains(part)), "{parts:?} in {line}");
    }
    for shard in ["a-1", "a-2", "b-1", "b-2"] {
        assert!(!records(&bench.path("runs-of-all").join(shard)).is_empty(), "{shard}");
    }
    let price = fs::read_to_string(bench.path("runs-of-all/b-1/price.json")).unwrap();
    assert!(price.contains("c7g.large"), "{price}");
    assert!(bench.path("runs-of-all/merged/report.html").is_file(), "{log}");
}

#[test]
fn the_other_engines_get_a_job_for_each_instance_type() {
    let bench = bench();
    let jobs =
        script(&bench, &["kubernetes", "campaign.toml", "--kind", "c7a.large,C7g_x", "--image", "my/dyno:1"]);
    assert_eq!((jobs.matches("kind: Job").count(), jobs.matches("completions: 2").count()), (2, 2));
    for part in ["name: dyno-campaign-c7g-x", "instance-type: C7g_x", "image: my/dyno:1", "/2\""] {
        assert!(jobs.contains(part), "{part} in {jobs}");
    }
    let tasks = script(
        &bench,
        &["skypilot", "campaign.toml", "--kind", "c7a.large=c7a.large", "--profile", "standard"],
    );
    assert!(
        tasks.contains("--profile standard --price c7a.large") && tasks.contains("num_nodes: 2"),
        "{tasks}"
    );
    script(&bench, &["skypilot", "campaign.toml", "--kind", "a,b", "-o", "tasks"]);
    assert!(bench.path("tasks/a.yaml").is_file() && bench.path("tasks/b.yaml").is_file());
    for text in [jobs, tasks, script(&bench, &["slurm", "campaign.toml"])] {
        assert!(!text.contains("{{") && !text.contains("{%"), "nothing is left to fill: {text}");
    }
}

#[test]
fn what_a_script_cannot_say_is_refused() {
    let bench = bench();
    for (arguments, part) in [
        (["slurm", "campaign.toml", "--runs", "a b"], "would need quotes"),
        (["slurm", "campaign.toml", "--shards", "3"], "1 to 2 shards"),
        (["kubernetes", "campaign.toml", "--shards", "1"], "name instance types"),
        (["skypilot", "campaign.toml", "--kind", "a,b"], "name a folder with -o"),
    ] {
        let ended = Ended::of(bench.dyno(&[&["cluster"][..], &arguments].concat()).output().unwrap());
        ended.assert_says(2, &[part]);
    }
}
