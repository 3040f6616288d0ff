//! `dyno doctor`: findings about this host, with a remedy for each fault.

mod findings;

use std::path::Path;
use std::time::Duration;
use std::{env, thread};

use dyno_measure::host::available_memory;
use dyno_measure::noise::CoreTime;
use dyno_measure::{SandboxFault, host};
use dyno_record::Host;
use dyno_results::scores;
use findings::{Finding, Health, HostView, load_findings};
use serde_json::json;

use crate::cli::measuring::DoctorArgs;
use crate::exit::{Exit, Outcome};
use crate::output::answer;
use crate::table;

/// Time of the look at other load: the kernel counts ticks of 10 ms, so that a second shows 1 %.
const WATCH: Duration = Duration::from_secs(1);
/// Least free disk space. A run of a few systems takes some tens of megabytes.
const LEAST_DISK_BYTES: u64 = 1 << 30;

/// Examines the host and prints the findings; exit code 1 if the host isn't fit.
pub fn doctor(args: &DoctorArgs) -> Outcome {
    let host = host::detect()?;
    let mut findings = vec![isa(&host)];
    let view = HostView { root: Path::new("/"), cores: &host.cores, available_bytes: available_memory() };
    findings.extend(view.findings());
    findings.extend(load(&host));
    findings.push(disk());
    findings.push(sacrebleu());
    findings.push(sandbox(SandboxFault::of_this_host()));
    let worst = findings.iter().map(|finding| finding.health).max().unwrap_or(Health::Good);
    let fields = json!({"fit": worst < Health::Bad, "host": host, "findings": findings});
    answer(args.json, "doctor", &fields, || as_text(&findings, worst))?;
    Ok(if worst == Health::Bad { Exit::No } else { Exit::Done })
}

fn isa(host: &Host) -> Finding {
    let found = format!("{}: {}", host.cpu, host.isa.join(", "));
    let slow = match host.best_isa() {
        "scalar" => "without AVX2 or NEON, engines reach about a tenth of the speed",
        "neon" => "int8 is slow without dot products",
        "avx2" => "int8 is slow without VNNI",
        _ => return Finding::good("CPU", found),
    };
    Finding::warning("CPU", found, format!("{slow}: use a newer CPU"))
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
            "free some space, or choose another disk with --out: a full disk ends a run",
        ),
        Err(error) => Finding::warning("disk", error.to_string(), "run dyno in a readable folder"),
    }
}

fn sacrebleu() -> Finding {
    match scores::version() {
        Some(version) => Finding::good("sacrebleu", version),
        None => Finding::warning(
            "sacrebleu",
            "not installed, neither for python3 nor by dyno",
            "run `pip install sacrebleu`, or let the first run install it privately, which needs a network",
        ),
    }
}

fn sandbox(fault: Option<SandboxFault>) -> Finding {
    match fault {
        None => Finding::good("bubblewrap", "foreign systems can run in a sandbox"),
        Some(fault) => Finding::warning(
            "bubblewrap",
            format!("foreign systems can read records and references: {fault}"),
            fault.remedy(),
        ),
    }
}

fn as_text(findings: &[Finding], worst: Health) -> String {
    let widest = findings.iter().map(|finding| finding.what.len()).max().unwrap_or(0);
    let lines: String = findings.iter().map(|finding| finding_text(finding, widest)).collect();
    let verdict = match worst {
        Health::Good => "fit to measure",
        Health::Warning => "fit to measure, with the warnings above",
        Health::Bad => "NOT fit to measure",
    };
    format!("{lines}{verdict}\n")
}

/// One finding, with its remedy on the line below.
fn finding_text(finding: &Finding, widest: usize) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_sandbox_and_a_forbidden_one_have_remedies_of_their_own() {
        assert_eq!(sandbox(None).health, Health::Good);
        let forbidden = SandboxFault::Failed("No permissions to create a new namespace".into());
        for (fault, found, remedy) in [
            (SandboxFault::Missing, "no program bwrap", "install the package bubblewrap"),
            (forbidden, "bwrap failed: No permissions", "sysctl kernel.unprivileged_userns_clone=1"),
        ] {
            let finding = sandbox(Some(fault));
            assert_eq!(finding.health, Health::Warning);
            assert!(finding.found.contains(found) && finding.remedy.contains(remedy), "{finding:?}");
        }
    }
}
