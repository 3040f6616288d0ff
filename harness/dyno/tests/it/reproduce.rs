//! Papers' tables: every campaign is whole and runs, and its figures stand beside the paper's.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Bench, Ended};

const CAMPAIGNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../campaigns");
const LINES: &str = "A dog barks .\nTwo men talk here\n\nThe red house stands alone there\n";

/// What a checkout has beside its campaigns.
fn link(bench: &Bench, folders: &[&str]) {
    for folder in folders {
        let shipped = Path::new(CAMPAIGNS).join("..").join(folder);
        std::os::unix::fs::symlink(shipped, bench.path(folder)).unwrap();
    }
}

/// A checkout whose campaigns are the shipped ones with networks of a few numbers, on four lines.
fn small() -> Bench {
    let bench = Bench::new("");
    fs::create_dir(bench.path("campaigns")).unwrap();
    link(&bench, &["models"]);
    bench.write("lines.en", LINES);
    for entry in fs::read_dir(CAMPAIGNS).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        bench.write(&format!("campaigns/{name}"), shrunk(&text));
    }
    bench
}

/// Every width and depth small, the test set and the text of vocabularies four lines, in the quicker track; the systems
/// as they are.
fn shrunk(text: &str) -> String {
    let line = |line: &str| {
        let key = line.split(' ').next().unwrap_or_default();
        match key {
            "words" => "words = 64".into(),
            "tracks" => "tracks = [\"latency\"]".into(),
            "text" => "text = [\"../lines.en\"]".into(),
            "shortlist" => "shortlist = { first = 8, best = 3 }".into(),
            "test-sets" => {
                "test-sets = [{ name = \"lines\", source = \"../lines.en\" }]\nnoisy-repeats = 0".into()
            }
            "noisy-repeats" => String::new(),
            "transformer-heads" => "transformer-heads = 2".into(),
            "source-depth" | "top-depth" => format!("{key} = 2"),
            // OpenNMT's decoder has no more layers than its encoder.
            "enc-depth" if line.ends_with(" 4") => line.to_owned(),
            "enc-depth" => "enc-depth = 2".into(),
            _ if key.starts_with("dim-") || key.starts_with("transformer-dim-") => format!("{key} = 16"),
            _ => line.to_owned(),
        }
    };
    let is_inside = |inside: &mut bool, text: &str| {
        let was = *inside;
        *inside = if was { text != "]" } else { text == "test-sets = [" };
        Some((was, text.to_owned()))
    };
    // A list of test sets over several lines becomes one line.
    let lines = text.lines().scan(false, is_inside).filter(|(was, _)| !was);
    lines.map(|(_, text)| line(&text) + "\n").collect()
}

fn reproduce(bench: &Bench, arguments: &[&str]) -> Ended {
    let mut command = bench.dyno(&[&["reproduce"], arguments].concat());
    command.env("XDG_CACHE_HOME", bench.path("cache"));
    Ended::of(command.output().unwrap())
}

fn tables(bench: &Bench) -> Vec<Value> {
    let answer: Value = serde_json::from_str(&reproduce(bench, &["--json"]).stdout).unwrap();
    answer["tables"].as_array().unwrap().clone()
}

/// Whether a system stands for a point of a table.
fn is_measured(point: &Value) -> bool {
    point["missing"].is_null() && point["pending"].is_null()
}

#[test]
fn every_point_has_a_system_or_a_reason_and_every_system_is_a_point() {
    let bench = Bench::new("");
    link(&bench, &["campaigns", "testsets", "models"]);
    for table in tables(&bench).iter().filter(|table| table["campaign"].is_string()) {
        let id = table["id"].as_str().unwrap();
        let name = |value: &Value| value.as_str().unwrap().to_owned();
        let points = table["points"].as_array().unwrap().iter().filter(|point| is_measured(point));
        let points: BTreeSet<String> = points
            .map(|point| name(if point["system"].is_null() { &point["name"] } else { &point["system"] }))
            .collect();
        let systems = listed(&bench, &name(&table["campaign"]));
        assert!(points.is_subset(&systems), "{id}: no system for {:?}", points.difference(&systems));
        if table["campaign"] == table["id"] {
            let named = systems.difference(&points);
            let named =
                named.filter(|it| ![" (library)", " (MKL)", " (Eigen)"].iter().any(|end| it.ends_with(end)));
            assert_eq!(named.collect::<Vec<_>>(), Vec::<&String>::new(), "{id}: systems without a point");
        }
    }
    assert!(!bench.path("cache").exists(), "nothing is drawn before it is measured");
}

/// Names of a campaign's systems, as its file has them and as dyno lists them, sweeps apart. A campaign on sacrebleu's
/// sets, which a network brings, isn't listed.
fn listed(bench: &Bench, campaign: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(Path::new(CAMPAIGNS).join(format!("{campaign}.toml"))).unwrap();
    // The list has no plugins that aren't built.
    let written = systems_of(campaign).into_iter().map(|it| it["name"].as_str().unwrap().to_owned());
    if text.contains("\nlanguages = ") {
        return written.collect();
    }
    let listed = bench.dyno(&["list", &format!("campaigns/{campaign}.toml"), "--json"]);
    let ended = Ended::of({ listed }.env("XDG_CACHE_HOME", bench.path("cache")).output().unwrap());
    let listed: Value =
        serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{campaign}: {ended:?}"));
    let systems = listed["systems"].as_array().unwrap().iter();
    systems.map(|system| system["name"].as_str().unwrap().to_owned()).chain(written).collect()
}

/// Systems of a shipped campaign, as its file has them.
fn systems_of(campaign: &str) -> Vec<toml::Table> {
    let text = fs::read_to_string(Path::new(CAMPAIGNS).join(format!("{campaign}.toml"))).unwrap();
    let mut campaign: toml::Table = toml::from_str(&text).unwrap();
    campaign.remove("system").unwrap().try_into().unwrap()
}

#[test]
fn batches_are_counted_as_in_the_papers() {
    // OpenNMT's section 4.1: "we choose beam K = 2 and batch 2", and figure 3 has batches of its own.
    for campaign in ["opennmt-1", "opennmt-3", "opennmt-fig2", "opennmt-fig3"] {
        for system in systems_of(campaign) {
            let name = system["name"].as_str().unwrap();
            let of_name = name.split_once(", ").filter(|_| campaign == "opennmt-fig3");
            let lines = of_name.map_or("2", |(_, lines)| lines.split(' ').next().unwrap());
            let lines: Option<i64> = Some(lines.parse().unwrap());
            assert_eq!(system["batch-lines"].as_integer(), lines, "{campaign}, {name}");
            assert!(!system.contains_key("batch"), "{campaign}, {name}: words");
        }
    }
    // Marian's table 2: "batch-size equal to 1 sentence (1s) and around 384 words (384w)".
    for campaign in ["marian-2", "marian-4"] {
        let ours = systems_of(campaign).into_iter().filter(|system| system.contains_key("backend"));
        assert!(ours.into_iter().all(|system| system["batch"].as_integer() == Some(384)), "{campaign}");
    }
}

#[test]
fn devlins_decoder_stops_early_and_replaces_unknown_words() {
    // The paper's section 3: δ = 3.0, unk-replacement, and section 4.6: a beam of 6.
    for system in ["devlin-1", "devlin-2"].into_iter().flat_map(systems_of) {
        let settings = &system["settings"];
        assert_eq!(settings["early-stop"].as_float(), Some(3.0), "{system:?}");
        assert_eq!(settings["replace-unknown"].as_bool(), Some(true), "{system:?}");
        assert_eq!(settings["beam"].as_integer(), Some(6), "{system:?}");
    }
}

#[test]
#[ignore = "takes many seconds"]
fn every_campaign_runs_with_networks_of_a_few_numbers() {
    let bench = small();
    for table in tables(&bench) {
        let measures = table["columns"].as_array().unwrap().iter().any(|column| column["track"].is_string());
        if table["campaign"] != table["id"] || !measures {
            continue;
        }
        let id = table["id"].as_str().unwrap();
        let ended = reproduce(&bench, &[id, "--profile", "quick", "--json"]);
        assert_eq!(ended.code, Some(0), "{id}: {ended:?}");
        let printed: Value = serde_json::from_str(&ended.stdout).unwrap();
        let points = table["points"].as_array().unwrap();
        for (row, point) in printed["reproductions"][0]["rows"].as_array().unwrap().iter().zip(points) {
            let is_latency = |at: usize| table["columns"][at]["track"] == "latency";
            for (at, pair) in
                row["columns"].as_array().unwrap().iter().enumerate().filter(|(at, _)| is_latency(*at))
            {
                // A processor may lack a system's instructions.
                let is_wanted = is_measured(point) && row["absent"].is_null();
                assert_eq!(pair["ours"].is_f64(), is_wanted, "{id}, column {at}: {row}");
            }
        }
    }
}

/// One campaign and one figure of products, measured once.
#[test]
fn what_was_measured_is_read_again_published_and_judged_anew() {
    let bench = small();
    let first = reproduce(&bench, &["bolt-crossover", "devlin-fig1", "--profile", "quick", "--json"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    a_finished_run_is_read_again_and_lies_beside_the_paper(&bench, &first);
    the_page_on_all_papers_has_what_was_measured_and_says_what_was_not(&bench);
    a_run_of_a_campaign_that_has_changed_is_not_published(&bench);
    no_claim_rests_on_an_invalid_cell(&bench);
    what_was_not_measured_here_comes_from_an_earlier_publication(&bench);
}

fn a_finished_run_is_read_again_and_lies_beside_the_paper(bench: &Bench, first: &Ended) {
    let again = reproduce(bench, &["bolt-crossover", "--quick", "-o", "page.html"]);
    assert!(again.stderr.contains("measured before"), "{again:?}");
    let rows: Value =
        serde_json::from_str::<Value>(&first.stdout).unwrap()["reproductions"][0]["rows"].clone();
    assert_eq!(rows[0]["columns"][0]["paper"], 46.0);
    assert_eq!(rows[0]["columns"][0]["factor"]["value"], 1.0, "the base over itself");
    assert!((rows[1]["columns"][0]["paper_factor"].as_f64().unwrap() - 46.0 / 68.0).abs() < 1e-12);
    for expected in ["paper ms", "shortlist of 2,000", "drawn weights"] {
        assert!(again.stdout.contains(expected), "{expected:?} is not in {}", again.stdout);
    }
    let page = fs::read_to_string(bench.path("page.html")).unwrap();
    assert!(page.contains("default-src &#x27;none&#x27;") || page.contains("default-src 'none'"));
    assert!(page.contains("HW-TSC 2021, section 3.4") && !page.contains("http-equiv=\"refresh\""));
}

#[test]
fn figures_of_products_are_measured_without_a_campaign_and_drawn() {
    let bench = Bench::new("");
    let ended = reproduce(&bench, &["devlin-fig1", "bolt-fig1", "--json", "--figures", "figures"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let printed: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(crate::answers::misfits(&printed, "reproduce"), Vec::<String>::new());
    for table in printed["reproductions"].as_array().unwrap() {
        let by_library = |row: &&Value| {
            let mut points = table["table"]["points"].as_array().unwrap().iter();
            points.any(|point| point["name"] == row["name"] && point["product"]["by"].is_string())
        };
        let rows = table["rows"].as_array().unwrap().iter();
        for row in rows.filter(|row| !by_library(row)) {
            let pair = &row["columns"][0];
            assert!(pair["ours"].as_f64().unwrap() > 0.0 && pair["paper"].is_null(), "{row}");
            let is_base = row["base"] == row["name"];
            assert!(!is_base || pair["factor"]["value"] == 1.0, "{row}");
        }
    }
    for name in ["devlin-fig1-map.svg", "devlin-fig1-map-dark.svg", "bolt-fig1-map.svg"] {
        let svg = fs::read_to_string(bench.path("figures").join(name)).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("64 rows"), "{name}");
    }
}

#[test]
fn a_plan_says_how_long_its_networks_take_before_they_are_drawn() {
    let bench = Bench::new("");
    link(&bench, &["campaigns", "testsets", "models"]);
    let ended = reproduce(&bench, &["devlin-2", "-s", "S7", "--dry-run", "--json"]);
    let plan: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    assert!(plan["seconds"].as_f64().unwrap() > 0.0 && plan["bytes_to_draw"].as_u64().unwrap() > 400_000_000);
    let told = reproduce(&bench, &["devlin-2", "-s", "S7", "--dry-run", "--profile", "official"]);
    assert!(
        told.stdout.contains("9 rounds, about ") && told.stdout.contains(" MiB of models are drawn first"),
        "{told:?}"
    );
    assert!(!bench.path("cache").exists());
}

#[test]
fn a_table_that_is_not_there_is_refused_with_a_hint() {
    let bench = Bench::new("");
    reproduce(&bench, &["devlin1"]).assert_says(2, &["no table", "devlin-1"]);
}

/// Dimensions of a system's network, as its campaign describes it.
fn network_of(campaign: &str, system: &str) -> toml::Table {
    let text = fs::read_to_string(Path::new(CAMPAIGNS).join(format!("{campaign}.toml"))).unwrap();
    let whole: toml::Table = toml::from_str(&text).unwrap();
    let is_it = |found: &&toml::Table| found["name"].as_str() == Some(system);
    let systems = systems_of(campaign);
    let name = systems.iter().find(is_it).unwrap()["model"]["generate"].as_str().unwrap();
    whole["generate"][name]["marian"].as_table().unwrap().clone()
}

#[test]
fn drawn_networks_have_the_dimensions_that_the_papers_print() {
    let keys = ["dim-emb", "transformer-dim-ffn", "transformer-heads", "enc-depth", "dec-depth"];
    let tables = tables(&Bench::new(""));
    for (id, campaign, dimensions) in [("marian-1", "marian-4", 2), ("bolt-2", "bolt-3", 5)] {
        let table = tables.iter().find(|table| table["id"] == id).unwrap();
        for point in table["points"].as_array().unwrap().iter().filter(|point| is_measured(point)) {
            let system = point["system"].as_str().unwrap_or(point["name"].as_str().unwrap());
            let network = network_of(campaign, system);
            for (at, key) in keys.iter().enumerate().take(dimensions) {
                let printed = point["values"][at].as_f64().unwrap();
                assert_eq!(
                    network[*key].as_integer().map(|here| here as f64),
                    Some(printed),
                    "{id}, {point}"
                );
            }
        }
    }
}

#[test]
fn drawn_networks_have_the_sizes_that_the_papers_print() {
    let bench = Bench::new("");
    link(&bench, &["campaigns", "testsets", "models"]);
    let ended = reproduce(&bench, &["marian-1", "marian-3-sizes", "marian-4-sizes", "bolt-2", "--json"]);
    let printed: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    for table in printed["reproductions"].as_array().unwrap() {
        let rows = table["rows"].as_array().unwrap().iter();
        let without = ["Teacher*4", "Teacher - Transformer-big×4 b=8", "RNN-small"];
        for row in rows.filter(|row| !without.contains(&row["name"].as_str().unwrap())) {
            let pair = row["columns"].as_array().unwrap().last().unwrap();
            let ratio = pair["ours"].as_f64().unwrap() / pair["paper"].as_f64().unwrap();
            // The paper's own sizes of these networks are less than its dimensions give.
            let name = row["name"].as_str().unwrap();
            let is_odd = name.starts_with("Transformer-base-AAN") || name == "RNN-Deep";
            assert!((ratio - 1.0).abs() < if is_odd { 0.07 } else { 0.05 }, "{row}");
        }
    }
}

fn the_page_on_all_papers_has_what_was_measured_and_says_what_was_not(bench: &Bench) {
    bench.write("README.md", "# a\n<!-- dyno papers: begin -->\nold\n<!-- dyno papers: end -->\n");
    fs::create_dir_all(bench.path("results")).unwrap();
    link(bench, &["results/2026-11-28-amd-epyc-zen-5-2c"]);
    let published = reproduce(bench, &["--all", "--publish", "--readme", "README.md"]);
    assert_eq!(published.code, Some(0), "{published:?}");
    let page = bench.path(published.stdout.trim());
    let readme = fs::read_to_string(bench.path("README.md")).unwrap();
    let link = format!("]({}) (", published.stdout.trim().replace("index.html", "README.md"));
    // On one core, one of the nine can't be compared.
    let headlines = ["9 not measured.", "1 can't be compared, 8 not measured."];
    let told = |of: &str| readme.contains(&format!("Their headline factors: {of}"));
    assert!(readme.contains(&link) && headlines.into_iter().any(told), "{readme}");
    let (text, folder) = (fs::read_to_string(&page).unwrap(), page.parent().unwrap().to_owned());
    assert!(text.contains("default-src 'none'") && text.contains("drawn weights"));
    let beside = text.find("<h2 id=\"beside\">").expect("ours beside other engines");
    assert!(beside < text.find("<h2 id=\"claims\">").unwrap(), "first");
    assert!(
        text.contains("<a href=\"../../2026-11-28-amd-epyc-zen-5-2c/report.html\">The whole comparison</a>")
    );
    let own_readme = fs::read_to_string(folder.join("README.md")).unwrap();
    assert!(own_readme.contains("| small-aan | marian-small-aan |"), "{own_readme}");
    assert_eq!(text.matches("Sharp Models on Dull Hardware").count(), 1, "a paper's title stands once");
    for expected in
        ["`dyno reproduce devlin-1` measures it", "an NVIDIA V100", "Dice &amp; Kogan 2021, figure 4"]
    {
        assert!(text.contains(expected), "{expected:?} is not on the page");
    }
    let told: Value = serde_json::from_slice(&fs::read(folder.join("claims.json")).unwrap()).unwrap();
    let verdicts = |id: &str| -> Vec<String> {
        let table = told["tables"].as_array().unwrap().iter().find(|table| table["id"] == id).unwrap();
        let claims = table["claims"].as_array().unwrap().iter();
        claims.map(|claim| claim["verdict"].as_str().unwrap().to_owned()).collect()
    };
    let is_judged = |verdict: &String| !["not-comparable", "not-measured"].contains(&verdict.as_str());
    assert_eq!(verdicts("bolt-crossover").iter().filter(|verdict| is_judged(verdict)).count(), 2);
    assert!(
        !verdicts("devlin-fig1").iter().any(is_judged) && text.contains("ci/peers/kernels/run --products")
    );
    assert!(verdicts("devlin-1").iter().all(|verdict| !is_judged(verdict)));
    // No other project's engine is ready in this folder.
    assert!(text.contains("PyTorch") && text.contains("ci/peers/README.md says what makes it so"));
    for kept in ["records/bolt-crossover/records.jsonl", "records/products-devlin-fig1.json", "README.md"] {
        assert!(folder.join(kept).is_file(), "{kept}");
    }
    let home = bench.path("").display().to_string();
    let command = fs::read_to_string(folder.join("records/bolt-crossover/run.json")).unwrap();
    assert!(!command.contains(home.trim_end_matches('/')), "private folders are short: {command}");
    reproduce(bench, &["--all", "--publish"]).assert_says(2, &["exists already", "--as NAME", "--to"]);
    reproduce(bench, &["--all", "--publish", "--as", "a/b"])
        .assert_says(2, &["invalid name", "single dashes"]);
    let named = reproduce(bench, &["--all", "--publish", "--as", "later"]);
    assert!(named.stdout.trim().ends_with("-later/index.html"), "{named:?}");
    bench.write("README.md", "# a\n");
    let unmarked = reproduce(bench, &["--all", "--publish", "--to", "elsewhere", "--readme", "README.md"]);
    unmarked.assert_says(2, &["put the lines <!-- dyno papers: begin -->"]);
    assert!(!bench.path("elsewhere").exists(), "nothing is published without its link");
    let speeds = fs::read_to_string(bench.path("runs/products-devlin-fig1.json")).unwrap();
    bench.write("runs/products-devlin-fig1.json", "{");
    let damaged = ["products-devlin-fig1.json: EOF", "`dyno reproduce devlin-fig1`"];
    reproduce(bench, &["--all", "--publish"]).assert_says(2, &damaged);
    bench.write("runs/products-devlin-fig1.json", speeds);
    fs::remove_dir_all(bench.path("results")).unwrap();
}

/// The publication that `ended` has written.
fn publication(bench: &Bench, ended: &Ended) -> PathBuf {
    assert_eq!(ended.code, Some(0), "{ended:?}");
    bench.path(ended.stdout.trim()).parent().unwrap().to_owned()
}

/// Hosts of the tables, and a table's claims.
fn claimed(publication: &Path, id: &str) -> (Value, Value) {
    let told: Value = serde_json::from_slice(&fs::read(publication.join("claims.json")).unwrap()).unwrap();
    let table = told["tables"].as_array().unwrap().iter().find(|table| table["id"] == id).unwrap();
    (told["conditions"].clone(), table["claims"].clone())
}

fn what_was_not_measured_here_comes_from_an_earlier_publication(bench: &Bench) {
    let publish = || reproduce(bench, &["--all", "--publish"]);
    let first = publication(bench, &publish());
    let earlier = first.with_file_name("2000-01-01-another-host");
    fs::rename(&first, &earlier).unwrap();
    fs::remove_dir_all(bench.path("runs")).unwrap();
    // Its host is another one, which the new publication names.
    let run = earlier.join("records/bolt-crossover/run.json");
    let text = fs::read_to_string(&run).unwrap();
    let mut identity: Value = serde_json::from_str(&text).unwrap();
    let cpu = identity["host"]["cpu"].take();
    fs::write(&run, text.replace(cpu.as_str().unwrap(), "Z80")).unwrap();
    // A third has a later name and older rounds.
    let older = earlier.with_file_name("2999-12-31-older-rounds");
    assert!(Command::new("cp").arg("-r").args([&earlier, &older]).status().unwrap().success());
    let records = older.join("records/bolt-crossover/records.jsonl");
    let text = fs::read_to_string(&records).unwrap();
    fs::write(&records, text.replace("\"started_unix_ms\":1", "\"started_unix_ms\":")).unwrap();
    fs::remove_file(older.join("records/products-devlin-fig1.json")).unwrap();
    let again = publication(bench, &publish());
    assert!(again.to_str().unwrap().ends_with("-judged-again") && !again.join("records").exists());
    for id in ["bolt-crossover", "devlin-fig1"] {
        assert_eq!(claimed(&again, id).1, claimed(&earlier, id).1, "{id}");
    }
    assert!(claimed(&again, "bolt-crossover").0[0].as_str().unwrap().starts_with("Z80, "));
    let readme = fs::read_to_string(again.join("README.md")).unwrap();
    let told = "[Records of an earlier publication](../2000-01-01-another-host/records) hold bolt-crossover, devlin-fig1.";
    assert!(readme.contains(told), "{readme}");
    // What is measured here goes first, and takes its place beside what isn't.
    assert_eq!(reproduce(bench, &["devlin-fig1"]).code, Some(0));
    let both = publication(bench, &publish());
    let readme = fs::read_to_string(both.join("README.md")).unwrap();
    assert!(
        readme.contains("[Its records](records)") && readme.contains("hold bolt-crossover.\n"),
        "{readme}"
    );
    assert!(both.join("records/products-devlin-fig1.json").is_file());
    assert!(!both.join("records/bolt-crossover").exists());
    // A campaign that has changed since has no figures there.
    let path = "campaigns/bolt-crossover.toml";
    let text = fs::read_to_string(bench.path(path)).unwrap();
    bench.write(path, text.replace("max-length-factor = 1,", "max-length-factor = 1, beam = 2,"));
    fs::remove_dir_all(both).unwrap();
    let changed = publication(bench, &publish());
    let claims = claimed(&changed, "bolt-crossover").1;
    let verdicts: Vec<_> = claims.as_array().unwrap().iter().map(|claim| &claim["verdict"]).collect();
    assert!(verdicts.iter().all(|verdict| *verdict == "not-measured"), "{verdicts:?}");
    // One that can't be read must not take its figures from the page.
    bench.write(path, "tracks = 7\n");
    let refused = ["bolt-crossover was published before", "can't be read now"];
    reproduce(bench, &["--all", "--publish", "--as", "less"]).assert_says(2, &refused);
}

#[test]
fn the_readme_says_what_the_published_claims_say() {
    let root = Path::new(CAMPAIGNS).join("..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let told = readme.split("<!-- dyno papers: ").nth(1).unwrap();
    let page = told.split("](").nth(1).unwrap().split(')').next().unwrap();
    let claims = fs::read(root.join(page).parent().unwrap().join("claims.json")).unwrap();
    let published: Value = serde_json::from_slice(&claims).unwrap();
    let tables = published["tables"].as_array().unwrap().iter();
    let claims: Vec<&Value> = tables.flat_map(|table| table["claims"].as_array().unwrap()).collect();
    let kinds = [
        ("exceeded", "exceeded"),
        ("reached", "reached"),
        ("not-reached", "not reached"),
        ("agrees", "agree"),
        ("differs", "differ"),
        ("not-comparable", "can't be compared"),
        ("not-measured", "not measured"),
    ];
    let counted = |is_wanted: &dyn Fn(&Value) -> bool| {
        let count = |kind: &str| claims.iter().filter(|it| it["verdict"] == kind && is_wanted(it)).count();
        let counts = kinds.iter().map(|(kind, name)| (count(kind), name)).filter(|(count, _)| *count > 0);
        counts.map(|(count, name)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
    };
    let (headlines, all) = (counted(&|claim| claim["headline"] == true), counted(&|_| true));
    assert!(told.contains(&format!("headline factors: {headlines}.")), "{headlines}");
    assert!(told.contains(&format!("All their claims: {all}.")), "{all}");
}

fn no_claim_rests_on_an_invalid_cell(bench: &Bench) {
    let runs = fs::read_dir(bench.path("runs")).unwrap().map(|entry| entry.unwrap().path());
    let mut runs = runs.filter(|path| path.to_str().unwrap().contains("bolt-crossover-"));
    let file = runs.next().unwrap().join("records.jsonl");
    let before = fs::read_to_string(&file).unwrap();
    let (first, others) = before.split_once('\n').unwrap();
    let mut record: Value = serde_json::from_str(first).unwrap();
    record["verdict"] = "INVALID".into();
    let reason = json!({"code": "recognises", "figure": "a table", "limit": "none", "remedy": "compute"});
    record["reasons"] = json!([reason]);
    fs::write(&file, format!("{record}\n{others}")).unwrap();
    let folder = publication(bench, &reproduce(bench, &["--all", "--publish"]));
    let claims = claimed(&folder, "bolt-crossover").1;
    let verdicts: Vec<_> = claims.as_array().unwrap().iter().map(|claim| &claim["verdict"]).collect();
    assert!(verdicts.iter().any(|verdict| *verdict == "not-measured"), "{}: {claims}", record["system"]);
    fs::write(&file, before).unwrap();
    fs::remove_dir_all(bench.path("results")).unwrap();
}

fn a_run_of_a_campaign_that_has_changed_is_not_published(bench: &Bench) {
    let path = "campaigns/bolt-crossover.toml";
    let text = fs::read_to_string(bench.path(path)).unwrap();
    bench.write(path, text.replace("max-length-factor = 1,", "max-length-factor = 1, beam = 2,"));
    let folder = publication(bench, &reproduce(bench, &["--all", "--publish"]));
    assert!(folder.join("claims.json").is_file() && !folder.join("records/bolt-crossover").exists());
    bench.write(path, text);
    fs::remove_dir_all(bench.path("results")).unwrap();
}
