//! Judgements on a small run whose answers are known.

use dyno_api::Breakdown;
use serde_json::json;

use super::*;
use dyno_measure::TestSet;
use dyno_record::identity::Launch;
use dyno_record::{Code, Identity, LatencyLimit, Served, Track, Verdict};
use dyno_results::kinds::{Counter, Languages};
use dyno_results::scores::{Direction, Metric, Metrics, Scale, Standard};
use dyno_results::summary::LoadFigures;
use dyno_results::summary::cell::MetricFigure;
use dyno_results::{CellSummary, Run, Summary};
use dyno_stats::Estimate;

fn lines(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.into()).collect()
}

/// A run with its summary.
struct Fixture {
    run: Run,
    summary: Summary,
}

impl Fixture {
    /// Replaces the settings of a system.
    fn set(&mut self, system: usize, settings: &[(&str, &str)]) {
        let Launch::BuiltIn { settings: own, .. } = &mut self.run.identity.systems[system].launch else {
            panic!("all systems are built in")
        };
        *own = settings.iter().map(|&(name, value)| (name.into(), value.into())).collect();
    }
}

/// A cell of the summary with that speed.
fn cell(place: usize, track: Track, speed: Estimate, bleu: f64, output: usize) -> CellSummary {
    let (score, confidence) = (Some(bleu), Some(0.5));
    CellSummary {
        test_set: "set".into(),
        track,
        rounds: 3,
        words_per_second: Some(speed.value),
        words_per_second_low: Some(speed.low),
        words_per_second_high: Some(speed.high),
        cpu_seconds_per_1000_words: Some(0.25),
        model_bytes: Some(1 << 20),
        peak_bytes: Some(5 << 20),
        settled_bytes: Some(3 << 20),
        quality: vec![MetricFigure { metric: "bleu".into(), score, confidence, low: None, high: None }],
        output: Some(output.to_string()),
        place,
        cores: if track == Track::ThroughputAll { 2 } else { 1 },
        ..CellSummary::default()
    }
}

fn identity() -> Identity {
    let sweep = [("1", "1"), ("1", "32"), ("4", "1"), ("4", "32")];
    let named =
        sweep.map(|(beam, batch)| (format!("b{beam}x{batch}"), json!({"beam": beam, "batch": batch})));
    let again = ("b1x1 again".to_owned(), named[0].1.clone());
    let all = named.into_iter().chain([("echo".into(), json!({})), again]);
    let system = |(name, settings)| {
        let launch = json!({"built-in": {"backend": "ssru", "settings": settings}});
        json!({"name": name, "launch": launch, "models": ["models/it"], "environment": [], "sampling": false})
    };
    let limits = json!({"line_seconds": 60.0, "launch_seconds": 3600.0, "noisy_repeats": null});
    let protocol = json!({
        "schema": 2, "profile": "quick", "seed": 1, "cores": null, "limits": limits, "tracks": [], "probes": [],
        "filler": null
    });
    let host = json!({
        "cpu": "CPU", "isa": ["avx2"], "cores": [0, 1], "caches": [], "memory_bytes": 1 << 30, "kernel": "6",
        "cgroup_limits": []
    });
    let run = json!({
        "key": "key", "campaign": "campaign", "protocol": protocol, "systems": all.map(system).collect::<Vec<_>>(),
        "programs": [], "test_sets": [], "host": host
    });
    Identity::parse(run.to_string().as_bytes()).unwrap()
}

/// Systems 0 to 3 sweep beam × batch, system 4 returns the source, system 5 is a twin of 0.
fn fixture() -> Fixture {
    let references = vec![lines(&["ein Hund", "zwei Katzen", "kein Ende"])];
    let set = TestSet { references, ..TestSet::from_lines("set", ["a dog", "two cats", "no end"]) };
    let mut run = Run::new(identity(), vec![set]);
    run.metrics = Metrics { list: vec![Metric::Standard(Standard::Bleu)], ..Metrics::default() };
    let outputs = [
        lines(&["ein Hund", "zwei Hunde", "kein Ende"]),
        lines(&["ein Hund", "zwei Katzen", "kein Ende"]),
        lines(&["a dog", "two cats", "no end"]),
    ];
    run.outputs = outputs.into_iter().enumerate().map(|(i, text)| (i.to_string(), text)).collect();
    let speeds = [1000.0, 4000.0, 300.0, 1300.0, 1e6, 1000.0];
    let bleus = [30.0, 30.0, 33.0, 33.0, 1.0, 30.0];
    let cells = |track: Track| {
        (0..6).map(move |i| {
            let speed = Estimate::give_or_take(speeds[i], speeds[i] * 0.01);
            cell(i, track, speed, bleus[i], if i == 4 { 2 } else { usize::from(bleus[i] > 31.0) })
        })
    };
    let summary = Summary {
        cells: [Track::Throughput1, Track::ThroughputAll].into_iter().flat_map(cells).collect(),
        metrics: vec![Standard::Bleu.scale()],
        ..Summary::default()
    };
    Fixture { run, summary }
}

/// Judges the cells of the translators in each track by their intervals, as `dyno-results` judges by rounds.
fn judge(cells: &mut [CellSummary]) {
    for track in Track::ALL {
        let fit = |cell: &&mut CellSummary| {
            cell.track == track
                && cell.place < 4
                && cell.verdict == Verdict::Valid
                && cell.first_quality().is_some()
        };
        let mut cells: Vec<&mut CellSummary> = cells.iter_mut().filter(fit).collect();
        let order = |figure: fn(&CellSummary) -> Estimate| {
            let figures: Vec<Estimate> = cells.iter().map(|cell| figure(cell)).collect();
            move |a: usize, b: usize| figures[a].order(&figures[b])
        };
        let (quality, speed) =
            (order(|cell| cell.first_quality().unwrap()), order(|cell| cell.speed().unwrap()));
        let standings = dyno_stats::standings(cells.len(), quality, speed);
        cells.iter_mut().zip(standings).for_each(|(cell, standing)| cell.standing = Some(standing));
    }
}

fn view(change: impl FnOnce(&mut Fixture)) -> Report {
    let mut fixture = fixture();
    change(&mut fixture);
    judge(&mut fixture.summary.cells);
    Report::of(&fixture.run, &fixture.summary, &[])
}

fn figure<'a>(view: &'a Report, id: &str) -> Option<&'a Figure> {
    view.drawn().find(|figure| figure.id == id)
}

#[test]
fn the_verdict_takes_the_fastest_of_the_best_and_names_what_less_buys() {
    let said = &view(|_| ()).parts[0].verdict;
    assert_eq!(said[0], "Take b4x32: BLEU 33.0 ±0.5, 1,300 words/s.");
    assert_eq!(said[1], "b4x1 can't be told from it in quality; b4x32 costs least of them.");
    assert_eq!(said[2], "Where BLEU 30.0 ±0.5 is enough, take b1x32, at 3.1 times the speed on all cores.");
}

#[test]
fn where_less_is_better_the_better_end_is_at_the_top() {
    let lower = Scale { direction: Direction::Lower, range: Some([0.0, 25.0]), ..Scale::unknown("metricx") };
    let view = view(|Fixture { run, .. }| {
        run.metrics.list = vec![Metric::worker("metricx", vec!["metricx".into()], ".".into()).unwrap()];
        run.scores.metrics.push(lower);
    });
    let lead = view.parts[0].lead.as_ref().unwrap();
    assert_eq!(lead.id, "metricx-throughput-all");
    assert!(lead.wide.contains("metricx (less is better ↑)"));
    let said = &view.parts[0].verdict;
    assert!(said[0].starts_with("Take b1x32: metricx 30.00 ±0.50"), "{said:?}");
}

#[test]
fn of_models_that_can_t_translate_none_is_recommended() {
    let view = view(|Fixture { summary, .. }| {
        for cell in &mut summary.cells {
            cell.quality[0].score = Some(cell.quality[0].score.unwrap() * 0.1);
        }
    });
    let said = &view.parts[0].verdict;
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("Take none: no system here translates usably (the best: BLEU 3.3)"),
        "{said:?}"
    );
}

#[test]
fn an_invalid_system_is_named_where_the_others_can_t_translate() {
    let view = view(|Fixture { summary, .. }| {
        for cell in &mut summary.cells {
            cell.quality[0].score = Some(cell.quality[0].score.unwrap() * 0.1);
            if cell.place == 3 {
                cell.verdict = Verdict::Invalid;
            }
        }
    });
    let said = &view.parts[0].verdict[0];
    assert!(
        said.starts_with("Take none: ") && said.ends_with("b4x32 is INVALID and isn't among these."),
        "{said}"
    );
}

#[test]
fn yardsticks_and_twins_stand_in_the_full_table_alone() {
    let view = view(|_| ());
    let names = |table: &Table| table.rows.iter().map(|row| row.fields[0].text.clone()).collect::<Vec<_>>();
    assert_eq!(view.parts[0].full.rows.len(), 12);
    for figure in view.drawn() {
        for name in ["echo", "b1x1 again"] {
            assert!(!names(&figure.table).contains(&name.to_owned()), "{} shows {name}", figure.id);
        }
    }
    assert!(
        view.trust
            .iter()
            .any(|reason| reason.text.contains("hand the source back") && reason.text.contains("echo"))
    );
}

#[test]
fn an_invalid_cell_is_named_with_its_reason_and_drawn_nowhere() {
    let view = view(|Fixture { summary, .. }| {
        for cell in summary.cells.iter_mut().filter(|cell| cell.place == 3) {
            cell.verdict = Verdict::Invalid;
            cell.reasons = vec![Code::Hung.reason("no answer after 1.0 s")];
        }
    });
    assert!(
        view.trust[0].text.starts_with("b4x32 is INVALID in throughput-1: hung – no answer after 1.0 s"),
        "{:?}",
        view.trust
    );
    assert_eq!(view.parts[0].verdict[0], "Take b4x1: BLEU 33.0 ±0.5, 300 words/s.");
    assert!(view.drawn().all(|figure| !figure.wide.contains("b4x32")));
}

#[test]
fn a_noisy_cell_is_drawn_and_stands_on_no_frontier() {
    let noisy = |systems: &'static [usize]| {
        view(move |Fixture { summary, .. }| {
            let cells = summary.cells.iter_mut();
            cells.filter(|cell| systems.contains(&cell.place)).for_each(|cell| cell.verdict = Verdict::Noisy);
        })
    };
    let one = noisy(&[3]);
    assert_eq!(one.parts[0].verdict[0], "Take b4x1: BLEU 33.0 ±0.5, 300 words/s.");
    let lead = one.parts[0].lead.as_ref().unwrap();
    assert!(lead.wide.contains("b4x32"), "its figures are still shown");
    let last = lead.table.rows.last().unwrap();
    assert_eq!((&*last.fields[0].text, &*last.fields[3].text), ("b4x32", "no: NOISY"));
    let all = noisy(&[0, 1, 2, 3]);
    assert!(
        all.parts[0].verdict[0].starts_with("No system may stand on the frontier"),
        "{:?}",
        all.parts[0].verdict
    );
    assert!(all.parts[0].choices.rows.is_empty());
}

#[test]
fn a_gain_of_disturbed_rounds_is_drawn_and_is_no_finding() {
    let title = |disturbed: &'static [usize]| {
        let view = view(move |Fixture { summary, .. }| {
            for cell in summary.cells.iter_mut().filter(|cell| cell.track == Track::ThroughputAll) {
                // The fourth system's core was taken from it while it had one.
                let gain = if cell.place == 3 { 6.9 } else { 1.6 };
                let times = |speed: Option<f64>| speed.map(|speed| speed * gain);
                cell.words_per_second = times(cell.words_per_second);
                cell.words_per_second_low = times(cell.words_per_second_low);
                cell.words_per_second_high = times(cell.words_per_second_high);
            }
            let cells = summary.cells.iter_mut().filter(|cell| cell.track == Track::Throughput1);
            cells
                .filter(|cell| disturbed.contains(&cell.place))
                .for_each(|cell| cell.verdict = Verdict::Noisy);
        });
        let cores = figure(&view, "cores").expect("cores are always drawn");
        assert!(cores.wide.contains("b4x32"), "its bar is still shown");
        cores.title.clone()
    };
    assert_eq!(title(&[]), "On 2 cores systems are 1.6 to 6.9 times as fast as on one");
    assert_eq!(title(&[3]), "All systems are about 1.6 times as fast on 2 cores as on one");
    assert_eq!(title(&[0, 1, 2, 3]), "The host disturbed what 2 cores gain over one: NOISY");
}

#[test]
fn sweeps_of_cores_and_of_batches_become_curves() {
    let swept = view(|Fixture { run, summary }| {
        for (i, cores) in [4, 1, 2].into_iter().enumerate() {
            let system = &mut run.identity.systems[i];
            system.name = if i == 0 { "s".into() } else { format!("s on {cores}") };
            (system.sweep, system.cores) = ((i > 0).then(|| "s".into()), (i > 0).then_some(cores));
            let of = |cell: &&mut CellSummary| cell.place == i && cell.track == Track::ThroughputAll;
            let own = summary.cells.iter_mut().find(of).unwrap();
            let speed = Estimate::exactly([3600.0, 1000.0, 1900.0][i]);
            *own = CellSummary { cores, ..cell(i, own.track, speed, 30.0, 0) };
        }
    });
    let chart = figure(&swept, "core-sweep").unwrap();
    assert_eq!(chart.title, "s gains most from cores: 3.60 times its speed on one, with 4");
    let rows: Vec<_> = chart.table.rows.iter().map(|row| row.fields[1].text.clone()).collect();
    assert_eq!(rows, ["1", "2", "4"]);
    let swept = view(|fixture| {
        for (i, lines) in ["1", "8", "64"].into_iter().enumerate() {
            fixture.run.identity.systems[i].sweep = Some("s".into());
            fixture.set(i, &[("batch-lines", lines)]);
        }
    });
    let chart = figure(&swept, "batch-sweep-lines").unwrap();
    assert_eq!(chart.title, "s is fastest in batches of 8 lines, at 4,000 words/s on one core");
    assert!(
        figure(&view(|_| {}), "core-sweep").is_none() && figure(&view(|_| {}), "batch-sweep-words").is_none()
    );
}

#[test]
fn a_sweep_of_cores_under_the_track_server_shows_the_greatest_rates() {
    let swept = view(|Fixture { run, summary }| {
        for (i, cores) in [4, 1].into_iter().enumerate() {
            let system = &mut run.identity.systems[i];
            system.name = ["s", "s on 1"][i].into();
            (system.sweep, system.cores) = ((i > 0).then(|| "s".into()), (i > 0).then_some(cores));
            let (limit, rate) = (LatencyLimit::default(), Some([90.0, 30.0][i]));
            let words = Estimate::exactly([900.0, 300.0][i]);
            let served = Some(Served { limit, rate, runs: Vec::new() });
            summary.cells.push(CellSummary { cores, served, ..cell(i, Track::Server, words, 20.0, i) });
        }
    });
    let chart = figure(&swept, "core-sweep-of-a-server").unwrap();
    let title = "s gains most from cores as a server: 3.00 times its greatest rate on one, with 4";
    assert_eq!(chart.title, title);
    let rows: Vec<[&str; 3]> =
        chart.table.rows.iter().map(|row| [1, 2, 3].map(|at| row.fields[at].text.as_str())).collect();
    assert_eq!(rows, [["1", "30.0", "1.00"], ["4", "90.0", "3.00"]]);
    assert!(figure(&swept, "core-sweep").is_none(), "rates are no speeds of whole files");
}

#[test]
fn a_closed_loop_becomes_curves_by_clients_with_the_knee_as_a_dot() {
    // Servers that take a millisecond for a line, 4 and 16 of them: throughput is min(clients, servers) / 1 ms.
    let load = |clients: usize, servers: usize| {
        let lines_per_second = 1e3 * clients.min(servers) as f64;
        let ms = 1e3 * clients as f64 / lines_per_second;
        let (p50_ms, p90_ms, p95_ms, p99_ms) = (ms, Some(ms), ms, 2.0 * ms);
        LoadFigures { lines_per_second, mean_ms: ms, p50_ms, p90_ms, p95_ms, p99_ms, kept: clients < 8 }
    };
    let view = view(|Fixture { summary, .. }| {
        for (place, servers, knee_clients) in [(0, 4, Some(4)), (1, 16, None)] {
            let clients = [1, 2, 4, 8].map(|clients| (clients, load(clients, servers))).into();
            let words = Estimate::exactly(900.0);
            summary.cells.push(CellSummary {
                clients,
                knee_clients,
                ..cell(place, Track::Server, words, 30.0, place)
            });
        }
    });
    let texts = |id: &str| -> Vec<Vec<String>> {
        let rows = &figure(&view, id).expect(id).table.rows;
        rows.iter().map(|row| row.fields.iter().map(|field| field.text.trim().to_owned()).collect()).collect()
    };
    let throughput = texts("clients-throughput");
    assert_eq!(throughput[6..], [["b1x1", "4", "4,000", "knee"], ["b1x1", "8", "4,000", ""]]);
    assert_eq!(throughput[3], ["b1x32", "8", "8,000", ""], "no knee");
    assert_eq!(texts("clients-times")[7], ["b1x1", "8", "2.00", "2.00", "2.00", "2.00", "4.00", "missed"]);
    let chart = figure(&view, "clients-throughput").unwrap();
    assert_eq!(
        chart.title,
        "b1x32 answers the most: 8,000 lines a second, with 8 clients; its knee may lie beyond"
    );
    assert_eq!(chart.wide.matches("class=\"dot").count(), 1, "the only knee");
    assert_eq!(
        figure(&view, "clients-times").unwrap().title,
        "b1x32 keeps 99 of 100 answers of 8 clients within 2.00 ms"
    );
}

#[test]
fn beam_by_batch_is_mapped_where_both_were_swept() {
    let all = view(|_| ());
    let map = figure(&all, "beam-batch-1").unwrap();
    assert_eq!(map.title, "b1x32 is the fastest of its sweep, at 4,000 words/s on one core");
    let rows: Vec<Vec<&str>> =
        map.table.rows.iter().map(|row| row.fields.iter().map(|f| f.text.as_str()).collect()).collect();
    assert_eq!(rows, [["1", "1,000", "4,000"], ["4", "300", "1,300"]]);
    let one_batch = view(|fixture| {
        ["1", "1", "4", "4"].iter().enumerate().for_each(|(i, beam)| {
            fixture.set(i, &[("beam", beam), ("variant", &i.to_string())]);
        });
    });
    assert!(figure(&one_batch, "beam-batch-1").is_none());
}

#[test]
fn time_is_divided_where_somebody_says_how() {
    let view = view(|Fixture { summary, .. }| {
        let components = [("encoder".into(), 7)].into();
        summary.cells[0].breakdown = Some(Breakdown { components, ..Breakdown::default() });
    });
    assert_eq!(figure(&view, "time-component-throughput-1").unwrap().table.rows.len(), 1);
    assert!(figure(&view, "time-operator-throughput-1").is_none());
}

#[test]
fn without_quality_nothing_is_recommended() {
    let view = view(|fixture| fixture.summary.cells.iter_mut().for_each(|cell| cell.quality.clear()));
    assert_eq!(
        view.parts[0].verdict,
        ["No quality was scored, so nothing can be said of the frontier; dyno score adds it to this run."]
    );
    assert!(view.parts[0].lead.is_none() && view.parts[0].choices.rows.is_empty());
    assert!(figure(&view, "cores").is_some(), "what needs no quality is still shown");
}

#[test]
fn texts_that_agree_are_counted_and_those_that_differ_come_first() {
    let view = view(|_| ());
    let translations = view.parts[0].translations.as_ref().unwrap();
    let numbers = ["agreed", "total", "held"].map(|number| &translations[number]);
    assert_eq!(numbers, [2, 3, 3]);
    let first = &translations["lines"][0];
    assert_eq!(first["number"], 2);
    let systems = [0, 1].map(|answer| &first["answers"][answer]["systems"]);
    assert_eq!(systems, ["b1x1, b1x32", "b4x1, b4x32"]);
}

#[test]
fn a_noise_floor_is_held_against_what_the_gate_tolerates() {
    let weight = |floor: f64| {
        let view = view(|fixture| fixture.summary.noise_floors = [(Track::Throughput1, floor)].into());
        view.trust.into_iter().find(|reason| reason.text.starts_with("Noise floor")).unwrap().weight
    };
    let tolerated = dyno_results::compare::TOLERATED_IN_SLICES - 1.0;
    assert_eq!(weight(0.9 * tolerated), trust::Weight::Good);
    assert_eq!(weight(1.1 * tolerated), trust::Weight::Doubt);
}

#[test]
fn every_track_has_a_frontier_of_quality_and_cost() {
    for track in Track::ALL {
        let view = view(|Fixture { summary, .. }| {
            let cells = &mut summary.cells;
            cells.retain(|cell| cell.track == Track::Throughput1);
            for cell in cells {
                cell.track = track;
                cell.percentiles_ms = [cell.speed().map(|speed| Estimate::exactly(1e3 / speed.value)); 4];
            }
        });
        assert!(view.parts[0].verdict[0].starts_with("Take "), "{track}: {:?}", view.parts[0].verdict);
        assert!(view.parts[0].lead.is_some(), "{track}");
    }
}

#[test]
fn shares_of_kinds_stand_by_system_and_lost_lines_below() {
    let view = view(|Fixture { run, summary }| {
        run.test_sets[0].source =
            ["7 dogs", "2 cats, 9 dogs", "no end"].map(|line| line.as_bytes().to_vec()).into();
        let text = |texts: [&str; 3]| texts.map(String::from).to_vec();
        run.outputs.insert("0".into(), text(["7 Hunde", "eine Katze, 9 Hunde", "kein Ende"]));
        run.outputs.insert("1".into(), text(["7 Hunde", "2 Katzen, 9 Hunde", "kein Ende"]));
        for cell in &mut summary.cells {
            let answers = &run.outputs[cell.output.as_ref().unwrap()];
            cell.kinds = Counter::new(&run.test_sets[0], Languages::EnglishGerman).counts(answers);
        }
    });
    let section = view.parts[0].sections.iter().find(|section| section.id == "kinds").unwrap();
    let text = |table: &Table, row: usize, column: usize| table.rows[row].fields[column].text.clone();
    let [shares, lost] = &section.tables[..] else { panic!("{} tables", section.tables.len()) };
    assert_eq!(shares.heads[1].text, "numbers %");
    let numbers: Vec<String> = (0..shares.rows.len()).map(|row| text(shares, row, 1)).collect();
    assert_eq!(numbers, ["3", "66.7", "66.7", "100.0", "100.0", "0.0"], "items, four systems and the echo");
    let line: Vec<String> = (0..6).map(|column| text(lost, 0, column)).collect();
    assert_eq!(line, ["numbers", "b1x1", "2", "1 of 2", "2 cats, 9 dogs", "eine Katze, 9 Hunde"]);
}

#[test]
fn a_run_without_counts_has_no_section_of_kinds() {
    assert!(!view(|_| ()).parts[0].sections.iter().any(|section| section.id == "kinds"));
}

#[test]
fn the_source_itself_is_a_row_of_scores_alone() {
    let with = view(|Fixture { summary, .. }| {
        let figure = MetricFigure {
            metric: "bleu".into(),
            score: Some(1.5),
            confidence: Some(0.2),
            low: None,
            high: None,
        };
        summary.copied.insert("set".into(), vec![figure]);
    });
    let (table, without) = (&with.parts[0].full, &view(|_| ()).parts[0].full);
    let row = table.rows.last().unwrap();
    assert_eq!(table.rows.len(), without.rows.len() + 1);
    let bleu = table.heads.iter().position(|head| head.text == "BLEU").unwrap();
    assert_eq!(
        [&row.fields[0], &row.fields[bleu]].map(|field| field.text.trim()),
        ["(the source itself)", "1.5 ±0.2"]
    );
    assert!(row.fields.iter().enumerate().all(|(i, field)| i == 0 || i == bleu || field.text.trim() == "–"));
}

#[test]
fn settings_of_each_system_stand_in_the_table_and_unequal_ones_in_words() {
    let view = view(|Fixture { summary, .. }| {
        for cell in &mut summary.cells {
            (cell.precision, cell.beam, cell.most_words) =
                (Some("int8".into()), Some(1 + cell.place), Some(64));
        }
        let text = "unequal beam: 1 (b1x1), 4 (b4x1); speed and quality depend on it, too".into();
        summary.unequal.push(dyno_results::summary::Remark { test_set: "set".into(), text });
    });
    let part = &view.parts[0];
    let row: Vec<&str> = part.full.rows[6].fields[2..6].iter().map(|field| field.text.trim()).collect();
    assert_eq!(row, ["int8", "1", "64", "2"], "the first system under throughput-all");
    assert_eq!(part.remarks, ["Unequal beam: 1 (b1x1), 4 (b4x1); speed and quality depend on it, too."]);
    assert!(view.html(false).unwrap().contains("Unequal beam"));
}

#[test]
fn pages_have_their_own_words_and_the_times_of_their_first_lines() {
    let view = view(|Fixture { summary, .. }| {
        for (place, cell) in summary.cells.iter_mut().enumerate().take(2) {
            let ms = [1.0, 2.0][place];
            cell.track = Track::Pages;
            cell.latency_ms = (1..=200).map(|page| ms * f64::from(page)).collect();
            cell.percentiles_ms = [100.0, 180.0, 190.0, 198.0].map(|p| Some(Estimate::exactly(ms * p)));
            cell.first_line_p50_ms = Some(ms * 31.0);
            cell.first_line_p95_ms = Some(ms * 41.0);
            cell.first_line_p99_ms = Some(ms * 43.0);
        }
    });
    let chart = figure(&view, "pages-ecdf").unwrap();
    assert_eq!(
        chart.title,
        "b1x1 answers 95 % of pages within 190 ms; b1x32, the next, takes 2.0 times as long"
    );
    assert!(chart.wide.contains("latency of a page to its last line in ms (log)"));
    let heads: Vec<&str> = chart.table.heads.iter().map(|head| head.text.as_str()).collect();
    let shown = |system: &str, head: &str| -> &str {
        let row = chart.table.rows.iter().find(|row| row.fields[0].text == system).expect(system);
        row.fields[heads.iter().position(|own| *own == head).expect(head)].text.trim()
    };
    for (head, figures) in [
        ("first line p50 ms", ["31.0", "62.0"]),
        ("first line p95 ms", ["41.0", "82.0"]),
        ("first line p99 ms", ["43.0", "86.0"]),
        ("p50 ms", ["100", "200"]),
    ] {
        assert_eq!(["b1x1", "b1x32"].map(|system| shown(system, head)), figures, "{head}");
    }
}

#[test]
fn pages_are_grouped_by_their_words() {
    let view = view(|Fixture { run, summary }| {
        // Five pages each of one to eight lines of ten words.
        let lengths: Vec<usize> = (0..40).map(|page| page / 5 + 1).collect();
        let lines = vec!["one two three four five six seven eight nine ten"; lengths.iter().sum()];
        let ends = lengths.iter().scan(0, |end, lines| {
            *end += lines;
            Some(*end - lines..*end)
        });
        run.test_sets = vec![TestSet { pages: ends.collect(), ..TestSet::from_lines("set", lines) }];
        for (cell, word_ms) in summary.cells.iter_mut().zip([2.0, 3.0]) {
            cell.track = Track::Pages;
            cell.latency_ms = lengths.iter().map(|lines| 10.0 + 20.0 * *lines as f64).collect();
            (cell.line_ms, cell.word_ms) = (Some(10.0), Some(word_ms));
        }
    });
    let chart = figure(&view, "pages-length").unwrap();
    assert_eq!(chart.title, "b1x1 takes 10 ms a page and 2.0 ms a word, the least of all for a word");
    let heads: Vec<&str> = chart.table.heads.iter().map(|head| head.text.as_str()).collect();
    assert_eq!(heads, ["system", "1–25", "26–50", "51–75", "76–100"]);
    let of = |row: &'_ crate::tables::Row| -> Vec<String> {
        row.fields.iter().map(|field| field.text.trim().to_owned()).collect()
    };
    let row = chart.table.rows.iter().map(of).find(|row| row[0] == "b1x1").unwrap();
    assert_eq!(row[1..], ["40.0", "90.0", "140", "170"], "medians of 2, 3, 2 and 1 lengths");
}
