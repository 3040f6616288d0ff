//! `dyno verify`: conformance and probes of a system, without measuring its speed.

mod submission;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use dyno_measure::{Examined, Finding, Protocol, check_command, host, verdict};
use dyno_record::{Code, Limits, Probe, Profile, Track, Verdict};
use dyno_stats::grouped;
use itertools::Itertools;
use serde_json::{Value, json};

use super::hosting::built_in;
use crate::campaign::{Campaign, Entry, Launch, make_ready, named_or_starter};
use crate::cli::measuring::{FilterArgs, VerifyArgs};
use crate::exit::{Exit, OrBadInput, Outcome, bad_input};
use crate::filters::narrow;
use crate::interrupt::Stop;
use crate::output::{print, print_json, say};
use crate::runner::Runner;
use crate::submission::{Dialect, Submission, image_of};
use crate::table::grid;
use crate::tuning::open;
use submission::Check;

/// Time limit for a line of a system from the command line. A person waits, so it is short; --line-seconds
/// raises it.
const OWN_LINE_SECONDS: f64 = 10.0;
/// Time limit for a launch of such a system; --launch-seconds raises it.
const OWN_LAUNCH_SECONDS: f64 = 60.0;

/// Verifies the systems of `args`; exit code 1 if one is INVALID.
pub fn verify(args: &VerifyArgs) -> Outcome {
    let campaign = narrowed(requested(args)?, args);
    make_ready(&campaign)?;
    // A backend's refusal is a bad request: there is nothing to verify yet.
    let mut hosted = campaign.systems.iter().filter(|entry| entry.is_hosted());
    hosted.try_for_each(|entry| open(entry, &campaign, Duration::ZERO))?;
    let host = host::detect()?;
    campaign.placement(&host).shortfall(campaign.cores, &campaign.tracks).into_iter().for_each(say);
    let runner = Runner::new(None, &campaign, &host, &Stop::default())?;
    let plan = campaign.plan(|_| None)?;
    let (mut verified, set) = (Vec::new(), &plan.test_sets[0]);
    for (system, entry) in plan.systems.iter().zip(&campaign.systems) {
        let own = plan.tracks.iter().copied().filter(|&track| system.takes_part(track));
        let tracks: Vec<Track> = own.collect();
        let mut told = Verified { system: &system.name, checks: None, examined: Vec::new() };
        if let Launch::Submission(submission) = &entry.launch {
            let asked = (set, &campaign.protocol.limits);
            let checks = told.checks.insert(submission::ask(&runner, submission, system, &tracks, asked)?);
            if !args.json {
                submission::show(&system.name, submission, checks)?;
            }
        }
        if !told.has_failed() {
            let mut watch = |probe: &Examined| {
                say!("{} · {}: {}", system.name, probe.probe.name(), probe.verdict.name());
                ControlFlow::Continue(())
            };
            told.examined = runner.examine(system, &tracks, set, &campaign.protocol.probes, &mut watch)?;
            if !args.json {
                show(&system.name, &told.examined, &skipped(&campaign, &told.examined))?;
            }
        }
        verified.push(told);
    }
    let worst = verified.iter().map(Verified::verdict).max().unwrap_or(Verdict::Valid);
    if args.json {
        print_json("verify", &as_json(worst, &verified, &campaign))?;
    }
    Ok(if worst == Verdict::Invalid { Exit::No } else { Exit::Done })
}

/// What was found about a system.
struct Verified<'a> {
    system: &'a str,
    /// Answers to an organiser's questions, of a submission. The probes ask it only if it passes.
    checks: Option<Vec<Check>>,
    examined: Vec<Examined>,
}

impl Verified<'_> {
    fn has_failed(&self) -> bool {
        self.checks.iter().flatten().any(|check| !check.passed)
    }

    fn verdict(&self) -> Verdict {
        if self.has_failed() { Verdict::Invalid } else { verdict(&self.examined) }
    }
}

/// The campaign with the tracks, probes and time limits of the command line.
fn narrowed(mut campaign: Campaign, args: &VerifyArgs) -> Campaign {
    if !args.tracks.is_empty() {
        campaign.tracks.clone_from(&args.tracks);
    }
    campaign.tracks.sort_unstable();
    campaign.tracks.dedup();
    let Protocol { profile, limits, probes, .. } = &mut campaign.protocol;
    *probes = if args.probes.is_empty() { Probe::ALL.to_vec() } else { args.probes.clone() };
    *profile = Profile::Quick; // probes need no network namespace, and no rounds follow
    limits.line_seconds = args.line_seconds.unwrap_or(limits.line_seconds);
    limits.memory_mib = args.memory.or(limits.memory_mib);
    limits.launch_seconds = args.launch_seconds.unwrap_or(limits.launch_seconds);
    campaign.systems.iter_mut().for_each(|entry| entry.sampling |= args.sampling);
    campaign
}

/// Campaign to verify: the named one, or the command line's own system on the starter campaign's lines.
fn requested(args: &VerifyArgs) -> Outcome<Campaign> {
    let Some(entry) = own(args)? else {
        let mut campaign = named_or_starter(args.campaign.as_deref())?;
        narrow(&mut campaign, &FilterArgs { systems: args.systems.clone(), ..FilterArgs::default() })?;
        return match campaign.test_sets.is_empty() {
            true => Err(bad_input("the campaign has no test set, which the probes need: add one")),
            false => Ok(campaign),
        };
    };
    let starter = named_or_starter(None)?;
    let limits =
        Limits { line_seconds: OWN_LINE_SECONDS, launch_seconds: OWN_LAUNCH_SECONDS, ..Limits::default() };
    let tracks = vec![Track::Latency, Track::Throughput1];
    let tracks = tracks.into_iter().filter(|&track| entry.takes_part(track)).collect();
    let protocol = Protocol { limits, ..starter.protocol };
    Ok(Campaign { systems: vec![entry], tracks, protocol, ..starter })
}

/// System that the command line itself describes, if any.
fn own(args: &VerifyArgs) -> Outcome<Option<Entry>> {
    if let Some(command) = &args.command {
        check_typed(command)?;
        let command = ["sh", "-c", command].map(String::from).to_vec();
        let launch = Launch::Foreign { command, folder: PathBuf::from(".") };
        return Ok(Some(Entry::new("command", launch, Vec::new())));
    }
    if let (Some(folder), Some(dialect)) = (&args.submission, args.dialect) {
        return own_submission(folder, dialect, args).map(Some);
    }
    let settings = args.settings.iter().cloned().collect();
    if let Some(library) = &args.plugin {
        let library = std::path::absolute(library).or_bad_input()?;
        let launch = Launch::Plugin { library, settings, batch: None };
        return Ok(Some(Entry::new("plugin", launch, args.models.clone())));
    }
    if args.backend.is_none() && args.models.is_empty() {
        return Ok(None);
    }
    let backend = built_in(args.backend.as_deref(), &args.models)?;
    let launch = Launch::BuiltIn { backend: backend.name().into(), settings, batch: None };
    Ok(Some(Entry::new(backend.name(), launch, args.models.clone())))
}

/// The submission in `folder`, under the folder's name.
fn own_submission(folder: &Path, dialect: Dialect, args: &VerifyArgs) -> Outcome<Entry> {
    let submission = Submission::open(folder, dialect, args.pair.clone(), args.batch_lines);
    let submission = submission.map_err(|fault| bad_input!("--submission: {:#}", fault.error))?;
    if let Some(track) = args.tracks.iter().find(|track| !dialect.tracks.contains(track)) {
        let names = dialect.tracks.iter().map(|track| track.name()).join(", ");
        refuse!("the dialect {dialect} has no {track}; it has {names}");
    }
    let named = if image_of(folder).is_some() { folder } else { &submission.launch.folder };
    let name = named.file_name().unwrap_or_default().display().to_string();
    Ok(Entry::of_submission(&name, submission))
}

/// Refuses a command that can't start. What looks like no program, such as `X=1 ./run` or `(cd there; ./run)`, is left
/// to the shell.
fn check_typed(command: &str) -> Outcome<()> {
    let Some(program) = command.split_whitespace().next() else {
        return Err(bad_input("--command is empty; give a program and its arguments"));
    };
    let is_plain = program.chars().all(|c| c.is_alphanumeric() || "/._+-".contains(c));
    if !is_plain || is_of_the_shell(program) {
        return Ok(());
    }
    check_command(&[program.into()], Path::new(".")).map_err(|fault| bad_input!("--command: {fault}"))
}

/// Whether `word` is the shell's own, as `exec` is, or a program that it finds without a path.
fn is_of_the_shell(word: &str) -> bool {
    let found = Command::new("sh").args(["-c", "command -v \"$0\"", word]).output();
    !word.contains('/') && found.is_ok_and(|found| found.status.success())
}

/// Prints one row for each probe, with its findings and remedies below.
fn show(system: &str, examined: &[Examined], skipped: &[Probe]) -> Outcome<()> {
    let (mut rows, mut told) = (Vec::new(), Vec::new());
    for probe in examined {
        let seconds = format!("{:.1}", probe.seconds);
        // Where a rule is broken, its fault is the figure.
        let figure = (probe.verdict != Verdict::Invalid).then(|| probe.figure.clone());
        let mut heads = [probe.probe.name(), probe.verdict.name(), &seconds];
        let told = figure.into_iter().chain(faults(&probe.findings, &mut told));
        for line in told.collect::<Vec<_>>().iter().flat_map(|told| told.lines()) {
            let [probe, verdict, seconds] = std::mem::take(&mut heads);
            rows.push([probe, verdict, seconds, line].map(str::to_owned).to_vec());
        }
    }
    for probe in skipped {
        let why = "the system had failed in all tracks";
        rows.push([probe.name(), "skipped", "", why].map(str::to_owned).to_vec());
    }
    let table = grid(&["probe", "verdict", "s", "figure"], rows, 0..0);
    let verdict = verdict(examined);
    print(&format!("{system}\n{table}\n{}\n", verdict.name()))?;
    if verdict == Verdict::Noisy {
        say("NOISY: a probe found a difference within this host's noise; try again on a quiet host");
    }
    Ok(())
}

/// Probes that were not asked, because the system had failed in all tracks.
fn skipped(campaign: &Campaign, examined: &[Examined]) -> Vec<Probe> {
    let is_asked = |probe: &Probe| examined.iter().any(|asked| asked.probe == *probe);
    let wanted = |probe: &&Probe| campaign.protocol.probes.contains(probe);
    Probe::ALL.iter().filter(wanted).filter(|probe| !is_asked(probe)).copied().collect()
}

/// Lines of a probe's findings: a fault that is the same in several tracks once. Limit and remedy stand with the
/// first finding of a code; `told` are the codes that have them.
fn faults(findings: &[Finding], told: &mut Vec<Code>) -> Vec<String> {
    let same = |a: &&Finding, b: &&Finding| (&a.reason, a.is_forbidden()) == (&b.reason, b.is_forbidden());
    let line = |alike: Vec<&Finding>| {
        let (finding, reason) = (alike[0], &alike[0].reason);
        let tracks = alike.iter().map(|finding| finding.track.name()).unique().join(", ");
        let kind = if finding.is_forbidden() { "INVALID" } else { "warning" };
        let fault = format!("{kind} {} ({tracks}): {}", reason.code.name(), reason.figure);
        if told.contains(&reason.code) {
            return fault;
        }
        told.push(reason.code);
        format!("{fault}\nlimit: {}\nremedy: {}", reason.limit, reason.remedy)
    };
    grouped(findings, same).into_iter().map(line).collect()
}

fn as_json(worst: Verdict, verified: &[Verified<'_>], campaign: &Campaign) -> Value {
    let system = |told: &Verified<'_>| {
        let Verified { system, checks, examined } = told;
        json!({
            "system": system, "verdict": told.verdict(), "submission": checks, "reasons": reasons(examined),
            "probes": examined, "skipped": skipped(campaign, examined),
        })
    };
    let systems: Vec<Value> = verified.iter().map(system).collect();
    let all = verified.iter().flat_map(|told| &told.examined);
    json!({ "verdict": worst, "reasons": reasons(all), "systems": systems })
}

/// Findings of all probes, each code once with its first figure.
fn reasons<'a>(examined: impl IntoIterator<Item = &'a Examined>) -> Vec<Value> {
    let probes = examined.into_iter();
    let findings = probes.flat_map(|probe| probe.findings.iter().map(move |f| (probe.probe, f)));
    let first = findings.unique_by(|(_, finding)| finding.reason.code);
    let told = first.map(|(probe, finding)| {
        let dyno_record::Reason { code, figure, limit, remedy } = &finding.reason;
        json!({
            "code": code, "figure": figure, "limit": limit, "remedy": remedy, "track": finding.track, "probe": probe,
            "invalid": finding.is_forbidden(),
        })
    });
    told.collect()
}
