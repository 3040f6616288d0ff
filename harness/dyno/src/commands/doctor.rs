//! `dyno doctor`: what the host is like, and what to mend before measuring.

use std::path::Path;
use std::time::Duration;
use std::{env, thread};

use dyno_measure::Host;
use dyno_measure::host::available_memory;
use dyno_measure::noise::CoreTime;
use dyno_results::scores;
use serde_json::json;

use crate::cli::DoctorArgs;
use crate::doctor::{Finding, Health, HostView, load_findings};
use crate::exit::{Exit, Outcome};
use crate::output::{print, print_json};
use crate::table;

/// Long enough for ticks of 10 ms to show 1 %.
const WATCH: Duration = Duration::from_secs(1);
/// A run of a few systems takes some tens of megabytes.
const LEAST_DISK_BYTES: u64 = 1 << 30;

/// Looks, prints, and says whether the host is fit.
pub fn doctor(args: &DoctorArgs) -> Outcome {
    let host = Host::detect()?;
    let mut findings = vec![isa(&host)];
    let view = HostView { root: Path::new("/"), cores: &host.cores, available_bytes: available_memory() };
    findings.extend(view.findings());
    findings.extend(load(&host));
    findings.push(disk());
    findings.push(sacrebleu());
    let worst = findings.iter().map(|finding| finding.health).max().unwrap_or(Health::Good);
    if args.json {
        print_json(&json!({"fit": worst < Health::Bad, "host": host, "findings": findings}))?;
    } else {
        print(&as_text(&findings, worst))?;
    }
    Ok(if worst == Health::Bad { Exit::No } else { Exit::Done })
}

fn isa(host: &Host) -> Finding {
    let found = format!("{}: {}", host.cpu, host.isa.join(", "));
    match host.best_isa() {
        "scalar" => Finding::warning("CPU", found, "expect a tenth of the speed: no AVX2 was found"),
        "avx2" => {
            Finding::warning("CPU", found, "int8 needs VNNI to be fast: a newer CPU shows what it can do")
        }
        _ => Finding::good("CPU", found),
    }
}

fn load(host: &Host) -> Vec<Finding> {
    let before = CoreTime::now(&host.cores);
    thread::sleep(WATCH);
    load_findings(&CoreTime::now(&host.cores).since(&before))
}

fn disk() -> Finding {
    let here = env::current_dir().unwrap_or_default();
    let gib = f64::from(1 << 30);
    let free = rustix::fs::statvfs(&here).map(|disk| disk.f_bavail * disk.f_frsize);
    match free {
        Ok(bytes) if bytes >= LEAST_DISK_BYTES => {
            Finding::good("disk", format!("{:.0} GiB free in {}", bytes as f64 / gib, here.display()))
        }
        Ok(bytes) => Finding::warning(
            "disk",
            format!("{:.2} GiB free in {}", bytes as f64 / gib, here.display()),
            "make room, or put runs elsewhere with --out: a full disk ends a run",
        ),
        Err(error) => Finding::warning("disk", error.to_string(), "work in a folder that can be read"),
    }
}

fn sacrebleu() -> Finding {
    match scores::version() {
        Some(version) => Finding::good("sacrebleu", version),
        None => Finding::warning(
            "sacrebleu",
            "not installed for python3, nor by dyno",
            "the first run builds a private environment if it has a network; or pip install sacrebleu",
        ),
    }
}

fn as_text(findings: &[Finding], worst: Health) -> String {
    let widest = findings.iter().map(|finding| finding.what.len()).max().unwrap_or(0);
    let told: String = findings.iter().map(|finding| told(finding, widest)).collect();
    let verdict = match worst {
        Health::Good => "fit to measure",
        Health::Warning => "fit to measure, with the warnings above",
        Health::Bad => "NOT fit to measure",
    };
    format!("{told}{verdict}\n")
}

/// One finding; its remedy stands below it, where the eye looks next.
fn told(finding: &Finding, widest: usize) -> String {
    let health = match finding.health {
        Health::Good => "ok",
        Health::Warning => "warning",
        Health::Bad => "BAD",
    };
    let Finding { what, found, remedy, .. } = finding;
    let mut text = table::wrapped(&format!("{what:widest$}  {health:7}  {found}"), "    ") + "\n";
    if !remedy.is_empty() {
        text += &(table::wrapped(&format!("    → {remedy}"), "      ") + "\n");
    }
    text
}
