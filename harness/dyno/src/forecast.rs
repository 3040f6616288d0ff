//! Forecast of the time that a plan takes, before it runs.
//!
//! The sizes of a drawn network are known before it is drawn, and so is the number of multiplications for a
//! word. The speed of such products on this host is measured in a moment. Products take most of an engine's
//! time, so that the forecast is "about" right. Shipped and trained models of our engines take a time in proportion
//! to their weights. Of other programs nothing is known before they run.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dyno_formats::Precision;
use dyno_host::{Product, product_speeds};
use dyno_measure::rounds::{cost, server};
use dyno_measure::verify::usual_seconds;
use dyno_measure::{Placement, Plan, Round, TestSet, host};
use dyno_record::{Exchange, Interleave, Probe};
use dyno_stats::median;

use crate::campaign::{Campaign, Entry, Generated, Launch};

/// Time for a word of an unknown program: slow for the engines of dyno, and fast for most others.
const WORD_SECONDS: f64 = 1e-3;

/// Time for a word and a byte of the weights' file, in our engines. The ladder `nano`, `tiny`, `small`, `teacher` (1.5
/// to 15 MB of int8) takes 9.5 to 12 ps on a core of Zen 4 in the track throughput-1, and 11 to 18 ps in latency.
const WORD_SECONDS_A_BYTE: f64 = 1.2e-11;

/// Time for a word and a byte of a language model's file. SmolLM2-135M (98 MB) and Gemma 3 270M (253 MB) take 164 and
/// 52 ps in our engine in latency on a core of Zen 5, with a prompt kept; llama.cpp takes 1.5 to 2 times as long.
const WORD_SECONDS_A_BYTE_OF_A_LANGUAGE_MODEL: f64 = 1e-10;

/// A launch of a probe takes so long, without its lines: `cat` needs 5 ms.
const LAUNCH_SECONDS: f64 = 0.01;

/// Rows of the product that represents a network's products for the source: the words of a short line.
const SOURCE_ROWS: usize = 16;

/// Rows of the product that represents those for the target: a small beam.
const TARGET_ROWS: usize = 4;

/// Shape of their weights, which are more than a core's own cache holds.
const WIDTHS: [usize; 2] = [1024, 4096];

/// Number of weights that a launch reads and packs in a second, on one core of Zen 5. Three networks with 20
/// to 58 million weights reach 1.8 to 2.6 hundred millions in f32, 2.8 to 4.0 in int16, and 3.5 to 6.5 in
/// int8. This is the median.
const WEIGHTS_PER_SECOND: f64 = 2.9e8;

/// Time of a plugin, relative to our f32 engines: a plugin that runs a drawn network has products of its own.
/// The library of `ci/peers/baseline` takes 4.2 times as long with Devlin's network. With Bolt's Base.12 and
/// Small.12 it takes 3.3 and 2.6 times as long. This value lies between.
const OF_A_PLUGIN: f64 = 3.0;

/// The same for the source, whose rows share what the library does once a product. With BERT's sizes and lines of 8 to
/// 384 tokens, oneDNN takes 1.3 to 2.1 times as long as ours on Zen 5, and the gemm crate 2.3 to 3.4 times. Most such
/// systems of the papers' campaigns have oneDNN.
const OF_A_PLUGIN_FOR_THE_SOURCE: f64 = 1.5;

/// Precisions whose speeds are measured.
const PRECISIONS: [Precision; 3] = [Precision::F32, Precision::Int16, Precision::Int8];

/// Multiply-accumulates a second in each of [`PRECISIONS`].
#[derive(Default)]
struct Speeds {
    source: Vec<f64>,
    target: Vec<f64>,
}

pub struct Forecast<'a> {
    campaign: &'a Campaign,
    /// Number of cores of the tracks of several cores.
    cores: usize,
    /// Seconds for a word of each system, in one lane; `None` for an unknown program.
    words: HashMap<&'a str, Option<f64>>,
    words_a_line: f64,
}

impl<'a> Forecast<'a> {
    /// Creates a forecast for `campaign`; measures the speed of products if the campaign draws networks.
    pub fn of(campaign: &'a Campaign, cores: &[usize]) -> dyno_host::Result<Self> {
        let placement = Placement::new(cores, campaign.cores, host::siblings);
        let core = placement.one_core();
        let speeds = match campaign.generated[..] {
            [] => Speeds::default(),
            _ => Speeds { source: speeds_of(SOURCE_ROWS, core)?, target: speeds_of(TARGET_ROWS, core)? },
        };
        Ok(Self::at(campaign, &speeds, placement.all.len()))
    }

    /// Creates a forecast for `campaign` on `cores` cores of these speeds.
    fn at(campaign: &'a Campaign, speeds: &Speeds, cores: usize) -> Self {
        let systems = campaign.systems.iter();
        let words =
            systems.map(|entry| (entry.name.as_str(), word_seconds(campaign, entry, speeds))).collect();
        let sets = &campaign.test_sets;
        let [all, lines] =
            [TestSet::words, |set: &TestSet| set.source.len()].map(|of| sets.iter().map(of).sum::<usize>());
        Self { campaign, cores, words, words_a_line: all as f64 / lines.max(1) as f64 }
    }

    /// Whether something is known of all systems. Otherwise the times are only lower bounds.
    pub fn is_whole(&self) -> bool {
        self.words.values().all(Option::is_some)
    }

    /// What the time rests on beside the sizes of networks, in words.
    pub fn basis(&self) -> String {
        match self.is_whole() {
            true => String::new(),
            false => format!(", at {:.0} ms a word where no speed is known", WORD_SECONDS * 1e3),
        }
    }

    /// Time of all rounds and probes of `plan`.
    pub fn whole(&self, plan: &Plan) -> Duration {
        let own = |round: &Round<'_>| self.campaign.measures(&round.test_set.name, round.track);
        let rounds = plan.rounds(&self.campaign.protocol);
        let rounds: f64 = rounds.iter().filter(|round| own(round)).map(|round| self.seconds(round)).sum();
        Duration::try_from_secs_f64(rounds + self.examinations()).unwrap_or(Duration::MAX)
    }

    /// Time of the probes of all systems, in seconds.
    pub fn examinations(&self) -> f64 {
        let examined = self.campaign.systems.iter().filter(|entry| entry.twin_of.is_none());
        examined.map(|entry| self.probes_seconds(&entry.name)).sum()
    }

    pub fn seconds(&self, round: &Round<'_>) -> f64 {
        let networks = networks(self.campaign, &round.system.models);
        let set = round.test_set.words() as f64 * self.word_seconds(round.system.original());
        let parameters: u64 = networks.iter().flatten().map(|network| network.recipe.parameters()).sum();
        let launch = parameters as f64 / WEIGHTS_PER_SECOND;
        let Round { test_set, track, number, .. } = *round;
        let profile = self.campaign.protocol.profile;
        let launches = cost::launches(test_set, track, profile, number) as f64;
        let cores = track.most_cores().unwrap_or(usize::MAX).min(self.cores) as f64;
        match track.exchange() {
            Exchange::Lines | Exchange::Pages => {
                let in_turns = self.unit_ns_in_turns(round);
                let unscored = cost::unscored_units(test_set, track, profile, &in_turns) as f64;
                launches * launch + set * (1.0 + unscored / test_set.unit_count(track).max(1) as f64)
            }
            Exchange::File => {
                let (pass, minimum) = (set / cores, profile.throughput_minimum_ns() as f64 / 1e9);
                let timed = (launch + pass).max(minimum);
                timed + cost::unscored_seconds(test_set, number, timed, pass) + (launches - 1.0) * launch
            }
            Exchange::Arrivals => {
                let lines = test_set.source.len();
                let rate = cores * lines as f64 / set.max(f64::MIN_POSITIVE);
                launches * launch + server::Runs::of(&self.campaign.protocol, lines).usual_seconds(rate)
            }
        }
    }

    /// Nanoseconds for a line or page of each system that takes turns with that of `round`; empty if rounds follow one
    /// another.
    fn unit_ns_in_turns(&self, round: &Round<'_>) -> Vec<f64> {
        let words = round.test_set.words() as f64 / round.test_set.unit_count(round.track).max(1) as f64;
        let in_turns = self.campaign.protocol.interleave == Interleave::Slices;
        let systems = self.campaign.systems.iter().filter(|entry| in_turns && entry.takes_part(round.track));
        systems.map(|entry| self.word_seconds(&entry.name) * words * 1e9).collect()
    }

    /// Time of a probe of `system`, in seconds.
    pub fn probe_seconds(&self, probe: Probe, system: &str) -> f64 {
        let word = self.word_seconds(system);
        let seconds = |&track| usual_seconds(probe, track, LAUNCH_SECONDS, word, word * self.words_a_line);
        self.campaign.tracks.iter().map(seconds).sum()
    }

    pub fn probes_seconds(&self, system: &str) -> f64 {
        self.campaign.protocol.probes.iter().map(|&probe| self.probe_seconds(probe, system)).sum()
    }

    fn word_seconds(&self, system: &str) -> f64 {
        self.words.get(system).copied().flatten().unwrap_or(WORD_SECONDS)
    }
}

/// Speeds of products of so many rows on a core, by precision.
fn speeds_of(rows: usize, core: usize) -> dyno_host::Result<Vec<f64>> {
    let [k, n] = WIDTHS;
    let turns = product_speeds(&PRECISIONS.map(|precision| Product { precision, rows, k, n }), core)?;
    Ok(turns.iter().filter_map(|turns| Some(median(turns)? * 1e9)).collect())
}

/// Drawn networks of `models`; `None` if there are no models or one of them isn't drawn.
fn networks<'a>(campaign: &'a Campaign, models: &[PathBuf]) -> Option<Vec<&'a Generated>> {
    let drawn = |path: &PathBuf| campaign.generated.iter().find(|model| model.path == *path);
    let networks: Option<Vec<_>> = models.iter().map(drawn).collect();
    networks.filter(|networks| !networks.is_empty())
}

/// Seconds for a word, in one lane; `None` for an unknown program.
fn word_seconds(campaign: &Campaign, entry: &Entry, speeds: &Speeds) -> Option<f64> {
    match (&entry.launch, networks(campaign, &entry.models)) {
        (_, Some(networks)) => Some(word_seconds_of_drawn(entry, &networks, speeds)),
        (Launch::BuiltIn { .. }, None) if entry.models.is_empty() => {
            Some(entry.setting("word-us").and_then(|us| us.parse().ok()).map_or(0.0, |us: f64| us / 1e6))
        }
        (launch, None) => {
            let bytes: Option<u64> = entry.models.iter().map(|model| bytes_of_weights(model)).sum();
            Some(bytes? as f64 * seconds_a_byte(launch, &entry.models)?)
        }
    }
}

/// Seconds for a word and a byte of the weights, of a system without drawn networks; `None` for an unknown program.
fn seconds_a_byte(launch: &Launch, models: &[PathBuf]) -> Option<f64> {
    let is_language_model = |model: &PathBuf| model.extension().is_some_and(|extension| extension == "gguf");
    match launch {
        _ if models.iter().any(is_language_model) => Some(WORD_SECONDS_A_BYTE_OF_A_LANGUAGE_MODEL),
        Launch::BuiltIn { .. } => Some(WORD_SECONDS_A_BYTE),
        _ => None,
    }
}

fn word_seconds_of_drawn(entry: &Entry, networks: &[&Generated], speeds: &Speeds) -> f64 {
    let setting = |name: &str| entry.setting(name);
    let beam: u64 = setting("beam").and_then(|beam| beam.parse().ok()).unwrap_or(1);
    let shortlisted = setting("shortlist").is_none_or(|it| it != "false");
    let precision = setting("precision").unwrap_or_default();
    let at = PRECISIONS.iter().position(|known| known.name() == precision).unwrap_or(0); // others as f32
    let factor = |of_a_plugin| if matches!(entry.launch, Launch::Plugin { .. }) { of_a_plugin } else { 1.0 };
    let seconds = |network: &&Generated| {
        let macs = network.recipe.macs(shortlisted);
        let source = macs.source as f64 / speeds.source[at] * factor(OF_A_PLUGIN_FOR_THE_SOURCE);
        let target = macs.target.saturating_mul(beam) as f64 / speeds.target[at] * factor(OF_A_PLUGIN);
        source + target
    };
    networks.iter().map(seconds).sum()
}

/// Size of a model's file, or of the greatest file of its folder: its weights. A folder with several precisions makes
/// the forecast too long.
fn bytes_of_weights(model: &Path) -> Option<u64> {
    if model.is_file() {
        return Some(model.metadata().ok()?.len());
    }
    let files = fs::read_dir(model).ok()?.flatten();
    files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).max()
}

#[cfg(test)]
mod tests {
    use dyno_record::Track;

    use super::*;

    const CAMPAIGN: &str = r#"
name = "two"
profile = "standard"
tracks = ["latency", "throughput-1", "throughput-all"]
test-sets = [{ name = "lines", source = "lines.en" }]

[generate.net]
words = 1000
[generate.net.marian]
type = "transformer"
tied-embeddings-all = true
transformer-postprocess = "dan"
transformer-heads = 2
enc-depth = 1
dec-depth = 1
dim-emb = 100
transformer-dim-ffn = 400

[[system]]
name = "drawn"
backend = "transformer-aan"
models = [{ generate = "net" }, { generate = "net" }]
settings = { beam = 3, precision = "int8" }

[[system]]
name = "other"
command = ["cat"]
"#;

    /// Speeds of the target's products, by precision; the source's are `faster` times as fast.
    fn speeds(target: [f64; 3], faster: f64) -> Speeds {
        Speeds { source: target.map(|speed| faster * speed).into(), target: target.into() }
    }

    /// Campaign over `lines` lines of three words, with a plugin file that stays unopened.
    fn load(text: &str, lines: usize) -> Campaign {
        let folder = tempfile::tempdir().unwrap();
        let write = |name, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("campaign.toml", text);
        write("lines.en", &"a b c\n".repeat(lines));
        write("lib.so", "");
        Campaign::load(&folder.path().join("campaign.toml")).unwrap()
    }

    #[test]
    fn a_drawn_networks_time_follows_from_its_size_and_others_from_the_protocol() {
        let campaign = load(CAMPAIGN, 1000);
        let forecast = Forecast::at(&campaign, &speeds([1e9, 2e9, 4e9], 1.0), 2);
        let plan = campaign.plan(|_| None).unwrap();
        let rounds = plan.rounds(&campaign.protocol);
        let seconds: Vec<f64> = rounds
            .iter()
            .filter(|round| round.number == 0 && round.system.name == "drawn")
            .map(|round| forecast.seconds(round))
            .collect();
        // Multiply-accumulates of Vaswani's layer. Once for the source: 4 d² + 2 d F, and keys and values of
        // the context. For each hypothesis: 6 d² + 2 d F and the whole vocabulary. Two networks vote on 3,000
        // words.
        let (source, target) = (40_000 + 80_000 + 20_000, 60_000 + 80_000 + 100_000);
        let set = 3000.0 * 2.0 * f64::from(source + 3 * target) / 4e9;
        let weights = 2 * (140_000 + 140_000 + 100_000);
        let latency = seconds.iter().copied().fold(f64::INFINITY, f64::min);
        // Lines take 1.3 and 3 ms, so a block of 60 ms has 27 of them and begins with three copies. Eight parts warm up
        // by 20 lines each, and ask 7 unknown ones each.
        let asked = 1.0 + f64::from(8 * (20 + 7) + 38 * 3) / 1000.0;
        let launches = 8.0 * f64::from(weights) / WEIGHTS_PER_SECOND;
        assert!((latency / (set * asked + launches) - 1.0).abs() < 0.02, "{latency}");
        assert!(
            seconds.iter().filter(|seconds| **seconds >= 10.0).count() == 2,
            "the profile's least: {seconds:?}"
        );
        let other = rounds.iter().find(|round| round.system.name == "other" && round.track == Track::Latency);
        assert!((forecast.seconds(other.unwrap()) - 3.0 * asked).abs() < 1e-9);
        assert!(!forecast.is_whole());
    }

    #[test]
    fn a_shipped_models_time_follows_from_its_weights() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../campaigns/starter.toml");
        let campaign = Campaign::load(Path::new(file)).unwrap();
        let forecast = Forecast::at(&campaign, &Speeds::default(), 2);
        // The rounds and probes of this campaign take 2:24 on two cores of Zen 5, and 4:53 on two of Zen 3.
        let minutes = forecast.whole(&campaign.plan(|_| None).unwrap()).as_secs_f64() / 60.0;
        assert!((2.4..5.5).contains(&minutes), "{minutes}");
        assert!(!forecast.is_whole(), "nothing is known of cat");
        let [nano, teacher] = ["nano", "teacher"].map(|name| forecast.probes_seconds(name));
        assert!(nano < 1.5 && teacher > 2.0 * nano, "{nano} {teacher}");
    }

    fn latency(forecast: &Forecast<'_>, rounds: &[Round<'_>], name: &str) -> f64 {
        let is_it = |round: &&Round<'_>| round.system.name == name && round.track == Track::Latency;
        forecast.seconds(rounds.iter().find(is_it).unwrap())
    }

    #[test]
    fn a_plugin_takes_longer_than_our_own_products() {
        let system = |name, by| {
            format!(
                "[[system]]\nname = \"{name}\"\n{by}\nmodel = {{ generate = \"net\" }}\n\
                 settings = {{ precision = \"f32\" }}\n"
            )
        };
        let plugin = system("library", "plugin = \"lib.so\"");
        let own = system("own", "backend = \"transformer-aan\"");
        let head = CAMPAIGN.split("[[system]]").next().unwrap();
        let campaign = load(&format!("{head}{plugin}{own}"), 100_000);
        let forecast = Forecast::at(&campaign, &speeds([1e9, 2e9, 4e9], 2.0), 2);
        let plan = campaign.plan(|_| None).unwrap();
        let rounds = plan.rounds(&campaign.protocol);
        let [library, own] = ["library", "own"].map(|name| latency(&forecast, &rounds, name));
        // The source's 140,000 products are twice as fast as the target's 240,000.
        let slower = (70.0 * OF_A_PLUGIN_FOR_THE_SOURCE + 240.0 * OF_A_PLUGIN) / (70.0 + 240.0);
        assert!((library / own / slower - 1.0).abs() < 0.01, "{library} {own}");
    }

    #[test]
    fn a_system_without_its_models_shortlist_multiplies_by_all_words() {
        let system = |name, settings| {
            format!(
                "[[system]]\nname = \"{name}\"\nbackend = \"transformer-aan\"\nmodel = {{ generate = \"net\" }}\n\
                 settings = {{ {settings} }}\n"
            )
        };
        let head = CAMPAIGN.split("[[system]]").next().unwrap();
        let head = head.replace("words = 1000", "words = 1000\nshortlist = { first = 100, best = 1 }");
        let [listed, whole] = [system("listed", ""), system("whole", "shortlist = false")];
        let campaign = load(&format!("{head}{listed}{whole}"), 10);
        let forecast = Forecast::at(&campaign, &speeds([1e9, 2e9, 4e9], 1.0), 2);
        // 110 of 1,000 words are candidates, and each has 100 products.
        let more = forecast.word_seconds("whole") - forecast.word_seconds("listed");
        assert!((more / (890.0 * 100.0 / 1e9) - 1.0).abs() < 1e-9, "{more}");
    }

    #[test]
    fn a_language_models_time_follows_from_its_file() {
        let file = tempfile::Builder::new().suffix(".gguf").tempfile().unwrap();
        fs::write(file.path(), "x".repeat(1000)).unwrap();
        let (head, model) = (CAMPAIGN.split("[generate").next().unwrap(), file.path().display());
        let system = format!("[[system]]\nname = \"language\"\ncommand = [\"cat\"]\nmodel = \"{model}\"\n");
        let campaign = load(&format!("{head}{system}"), 10);
        let forecast = Forecast::at(&campaign, &Speeds::default(), 2);
        assert!(forecast.is_whole());
        assert!((forecast.word_seconds("language") / 1e-7 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_papers_networks_take_as_long_as_their_sizes_say() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../campaigns/devlin-2.toml");
        let campaign = Campaign::load(Path::new(file)).unwrap();
        let forecast = Forecast::at(&campaign, &speeds([2e10, 4e10, 8e10], 2.0), 1);
        assert!(forecast.is_whole());
        let plan = campaign.plan(|_| None).unwrap();
        let rounds = plan.rounds(&campaign.protocol);
        let seconds = |name| latency(&forecast, &rounds, name);
        // An ensemble runs its networks one after another.
        assert!((seconds("E1") / seconds("S4") - 2.0).abs() < 1e-9);
        assert!((seconds("E2") / seconds("S4") - 3.0).abs() < 1e-9);
        // The paper's S7 takes 418 / 28 times as long as its S1. The factor from products alone is smaller,
        // because a cache holds S1.
        assert!((5.0..418.0 / 28.0).contains(&(seconds("S7") / seconds("S1"))));
    }
}
