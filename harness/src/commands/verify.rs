//! `dyno verify`: a system against the rules, without measuring it.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use comfy_table::{Table, presets};
use serde_json::{Value, json};

use super::{load_campaign, print, print_json};
use crate::campaign::{Campaign, Launch, Limits, System, TestSet, check_command, own_system, starter};
use crate::cli::VerifyArgs;
use crate::exit::{Exit, OrBadInput, Outcome, bad_input};
use crate::host::{self, Host};
use crate::opening;
use crate::plan::{Filters, Placement};
use crate::random::fresh_seed;
use crate::registry;
use crate::rules::{Probe, Track, Verdict};
use crate::say::say;
use crate::verify::{Examined, Examinee, Finding, examine, verdict};

/// Who is verified, on what, under which limits.
struct Request {
    systems: Vec<System>,
    test_set: TestSet,
    tracks: Vec<Track>,
    limits: Limits,
    cores: Option<usize>,
}

/// Patience with a system of the command line: somebody waits there. --line-seconds gives a slow one more.
const OWN_LINE_SECONDS: f64 = 10.0;
/// See [`OWN_LINE_SECONDS`].
const OWN_LAUNCH_SECONDS: f64 = 60.0;

/// Verifies what `args` ask for: 0 if all of it is in order, 1 if something is INVALID.
pub fn verify(args: &VerifyArgs) -> Outcome {
    let request = request(args)?.narrowed_by(args);
    // What a backend refuses is a bad request: there is nothing to verify yet.
    let mut hosted = request.systems.iter().filter(|system| system.is_hosted());
    hosted.try_for_each(|system| opening::open(system, request.tracks[0]))?;
    let scratch = tempfile::tempdir()?;
    let placement = Placement::new(&Host::detect()?.cores, request.cores, host::siblings);
    placement.shortfall(request.cores, &request.tracks).into_iter().for_each(say);
    let probes = if args.probes.is_empty() { Probe::ALL.to_vec() } else { args.probes.clone() };
    let mut verified = Vec::new();
    for system in &request.systems {
        let examined = examine(&mut request.examinee(system, &placement, scratch.path()), &probes)?;
        if !args.json {
            show(system, &examined)?;
        }
        verified.push((system, examined));
    }
    let worst = verified.iter().map(|(_, examined)| verdict(examined)).max().unwrap_or(Verdict::Valid);
    if args.json {
        print_json(&as_json(worst, &verified))?;
    }
    Ok(if worst == Verdict::Invalid { Exit::No } else { Exit::Done })
}

impl Request {
    /// The tracks and the patience that the command line asks for, where it does.
    fn narrowed_by(mut self, args: &VerifyArgs) -> Self {
        if !args.tracks.is_empty() {
            self.tracks.clone_from(&args.tracks);
        }
        self.tracks.sort_unstable();
        self.tracks.dedup();
        self.limits.line_seconds = args.line_seconds.unwrap_or(self.limits.line_seconds);
        self.limits.launch_seconds = args.launch_seconds.unwrap_or(self.limits.launch_seconds);
        self
    }

    fn examinee<'a>(
        &'a self,
        system: &'a System,
        placement: &'a Placement,
        scratch: &'a Path,
    ) -> Examinee<'a> {
        Examinee {
            system,
            tracks: self.tracks.clone(),
            test_set: &self.test_set,
            placement,
            limits: self.limits,
            scratch,
            isolated: false,
            seed: fresh_seed(),
            pace: Cell::default(),
        }
    }
}

fn request(args: &VerifyArgs) -> Outcome<Request> {
    let own = own(args)?;
    let Some(mut system) = own else {
        let mut campaign = load_campaign(args.campaign.as_deref())?;
        let filters = Filters { systems: args.systems.clone(), ..Filters::default() };
        filters.apply(&mut campaign)?;
        campaign.make_models()?;
        campaign.systems.iter_mut().for_each(|system| system.sampling |= args.sampling);
        return of_campaign(campaign);
    };
    system.sampling = args.sampling;
    let starter =
        starter().ok_or_else(|| bad_input("the starter test set isn't here: name a campaign with lines of your own and a --system of it, or run dyno in its checkout"))?;
    let tracks = vec![Track::Latency, Track::Throughput1];
    let limits =
        Limits { line_seconds: OWN_LINE_SECONDS, launch_seconds: OWN_LAUNCH_SECONDS, ..Limits::default() };
    Ok(Request { systems: vec![system], tracks, limits, ..of_campaign(Campaign::load(&starter)?)? })
}

fn of_campaign(campaign: Campaign) -> Outcome<Request> {
    let Campaign { systems, tracks, limits, cores, mut test_sets, .. } = campaign;
    if test_sets.is_empty() {
        return Err(bad_input("the campaign has no test set to take lines from"));
    }
    Ok(Request { systems, test_set: test_sets.remove(0), tracks, limits, cores })
}

/// The system that the command line itself describes, if it does.
fn own(args: &VerifyArgs) -> Outcome<Option<System>> {
    if let Some(command) = &args.command {
        check_typed(command)?;
        let command = ["sh", "-c", command].map(String::from).to_vec();
        let launch = Launch::Foreign { command, folder: PathBuf::from(".") };
        return Ok(Some(own_system("command", launch, Vec::new())));
    }
    let settings = args.settings.iter().cloned().collect();
    if let Some(library) = &args.plugin {
        let library = std::path::absolute(library).or_bad_input()?;
        let launch = Launch::Plugin { library, settings, batch: None };
        return Ok(Some(own_system("plugin", launch, args.models.clone())));
    }
    let backend = match (&args.backend, args.models.first()) {
        (None, None) => return Ok(None),
        (Some(name), _) => registry::find(name).map_err(bad_input)?,
        (None, Some(_)) => registry::suiting(&args.models).map_err(bad_input)?,
    };
    let launch = Launch::BuiltIn { backend: backend.name().into(), settings, batch: None };
    Ok(Some(own_system(backend.name(), launch, args.models.clone())))
}

/// Refuses a command that can't be started, as far as that shows: of a shell's own words only the shell knows.
fn check_typed(command: &str) -> Outcome<()> {
    let Some(program) = command.split_whitespace().next() else {
        return Err(bad_input("--command is empty: name a program and its arguments"));
    };
    let is_path =
        program.contains('/') && program.chars().all(|c| c.is_alphanumeric() || "/._+-".contains(c));
    let checked = if is_path { check_command(&[program.into()], Path::new(".")) } else { Ok(()) };
    checked.map_err(|fault| bad_input(format!("--command: {fault}")))
}

/// A row a probe, and below what to do about what was found.
fn show(system: &System, examined: &[Examined]) -> Outcome<()> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["probe", "verdict", "s", "figure"]);
    for probe in examined {
        let seconds = format!("{:.1}", probe.seconds);
        table.add_row([probe.probe.name(), probe.verdict.name(), &seconds, &probe.figure]);
        for finding in &probe.findings {
            table.add_row(["", "", "", &line(finding)]);
        }
    }
    let verdict = verdict(examined);
    print(&format!("{}\n{table}\n{}\n", system.name, verdict.name()))?;
    if verdict == Verdict::Noisy {
        say("NOISY: something stood out, but not beyond this host's noise; try again on a quiet host");
    }
    Ok(())
}

fn line(finding: &Finding) -> String {
    let reason = &finding.reason;
    let kind = if finding.is_forbidden() { "INVALID" } else { "warning" };
    format!(
        "{kind} {} ({}): {}\nlimit: {}\nremedy: {}",
        reason.code.name(),
        finding.track,
        reason.figure,
        reason.limit,
        reason.remedy
    )
}

fn as_json(worst: Verdict, verified: &[(&System, Vec<Examined>)]) -> Value {
    let system = |(system, examined): &(&System, Vec<Examined>)| {
        json!({
            "system": system.name,
            "verdict": verdict(examined),
            "reasons": reasons(examined),
            "probes": examined,
        })
    };
    let all: Vec<Examined> = verified.iter().flat_map(|(_, examined)| examined.clone()).collect();
    let systems: Vec<Value> = verified.iter().map(system).collect();
    json!({ "verdict": worst, "reasons": reasons(&all), "systems": systems })
}

/// Each code once, with the first figure that was seen.
fn reasons(examined: &[Examined]) -> Vec<Value> {
    let mut seen = Vec::new();
    let findings = examined.iter().flat_map(|probe| probe.findings.iter().map(move |f| (probe.probe, f)));
    let first = findings.filter(|(_, finding)| {
        let key = finding.reason.code;
        !seen.contains(&key) && {
            seen.push(key);
            true
        }
    });
    first
        .map(|(probe, finding)| {
            json!({
                "code": finding.reason.code,
                "figure": finding.reason.figure,
                "limit": finding.reason.limit,
                "remedy": finding.reason.remedy,
                "track": finding.track,
                "probe": probe,
                "invalid": finding.is_forbidden(),
            })
        })
        .collect()
}
