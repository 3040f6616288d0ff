//! Our side of a paper's table: a campaign, as far as it can run here, with its run.

use std::path::PathBuf;

use dyno_api::Isa;
use dyno_papers::Table;
use dyno_papers::reproduction::{Contestant, Contestants, Measured, Products, Reproduction};
use dyno_provision::data::REMEDY;
use dyno_results::Run;

use super::coverage::coverage;
use crate::campaign::{Campaign, Entry, Generated, shipped};
use crate::exit::Outcome;

/// A campaign with its run and the run's folder, if there is one.
pub struct Ours {
    pub campaign: Campaign,
    pub run: Option<(PathBuf, Run)>,
}

/// Campaign `name` without the systems whose model isn't there (other projects' engines, which a command of
/// `ci/peers` makes ready), and those of instructions that this processor lacks. Each of them is named on standard
/// error.
pub fn campaign_of(name: &str) -> Outcome<Campaign> {
    let missing = || bad_input!("campaigns/{name}.toml is missing; {REMEDY}");
    let mut campaign = Campaign::load(&shipped(name).ok_or_else(missing)?)?;
    for system in campaign.systems.iter_mut().filter(|system| system.absent.is_none()) {
        system.absent = lacking_instructions(system);
    }
    for (system, absent) in campaign.systems.iter().filter_map(|it| Some((&it.name, it.absent.as_ref()?))) {
        say!("note: campaign {name} goes without {system:?}: {absent}");
    }
    campaign.absent = campaign.systems.extract_if(.., |system| system.absent.is_some()).collect();
    Ok(campaign)
}

/// Reason why this processor can't run a system that names its instructions, if it can't.
fn lacking_instructions(system: &Entry) -> Option<String> {
    let isa: Isa = system.setting("isa")?.parse().ok()?;
    (!isa.is_present()).then(|| format!("this processor has no {isa}"))
}

/// `table` with the figures of its campaign and of its products; `fault` is the reason why the campaign can't be
/// read.
pub fn reproduction(
    table: &Table,
    ours: Option<&Ours>,
    products: Option<&Products>,
    fault: Option<&str>,
) -> Outcome<Reproduction> {
    let contestants = ours.map(|ours| contestants(&ours.campaign));
    let coverage = ours.map(|ours| coverage(table, &ours.campaign)).transpose()?;
    let program = std::env::current_exe().and_then(|program| program.metadata());
    let measured = Measured {
        contestants: contestants.as_ref(),
        run: ours.and_then(|ours| ours.run.as_ref()).map(|(_, run)| run),
        products,
        coverage: coverage.as_ref(),
        program_bytes: program.ok().map(|file| file.len()),
        cores: std::thread::available_parallelism().ok().map(Into::into),
        fault,
    };
    Ok(Reproduction::of(table, measured))
}

/// The systems of `campaign`, with those that were left out.
fn contestants(campaign: &Campaign) -> Contestants {
    let drawn_bytes = |entry: &Entry| {
        let mut drawn = campaign.generated.iter().filter(|model| entry.models.contains(&model.path));
        drawn.next().map(Generated::bytes)
    };
    let contestant = |entry: &Entry| Contestant {
        name: entry.name.clone(),
        backend: entry.backend().map(Into::into),
        drawn_bytes: drawn_bytes(entry),
        reads_f32: entry.setting("precision").is_some_and(|precision| precision == "f32"),
    };
    Contestants {
        systems: campaign.systems.iter().map(contestant).collect(),
        unbuilt: campaign.unbuilt.iter().map(|(entry, build)| (entry.name.clone(), build.clone())).collect(),
        absent: campaign.absent.iter().map(|entry| entry.name.clone()).collect(),
        drawn: !campaign.generated.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::Launch;

    #[test]
    fn a_system_of_instructions_that_no_processor_here_has_is_told() {
        let system = |isa: &str| {
            let settings = serde_json::json!({ "isa": isa }).as_object().unwrap().clone();
            let launch = Launch::BuiltIn { backend: "gru".into(), settings, batch: None };
            Entry::new("a", launch, Vec::new())
        };
        assert_eq!(lacking_instructions(&system("scalar")), None);
        let absent =
            Isa::ALL.into_iter().find(|isa| !isa.is_present()).expect("those of another architecture");
        assert_eq!(
            lacking_instructions(&system(absent.name())),
            Some(format!("this processor has no {absent}"))
        );
    }
}
