//! The page of a merged run: verdicts, two charts and a table for each test set, and the hosts with their
//! prices.

use dyno_stats::Standing;
use dyno_stats::numbers::{counted, mebibytes, plain, supported, tick};
use serde::Serialize;

use super::contest::{Contest, Entry, value};
use super::host::Host;
use crate::charts::{Axis, Bar, Bars, Figure, Point, Scatter};
use crate::cost::Cost;
use crate::error::Result;
use crate::page::document;
use crate::tables::{Field, Table, inline};
use crate::view::{estimate, quality, row_class};

const TEMPLATE: &str = include_str!("../../../../templates/hosts.html");

/// Data of the page.
#[derive(Serialize)]
struct Page<'a> {
    campaign: &'a str,
    about: String,
    version: &'static str,
    parts: Vec<Part>,
    hosts: Table,
    links: Vec<Link<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Link<'a> {
    name: &'a str,
    report: &'a str,
}

/// Findings on one test set.
#[derive(Serialize)]
struct Part {
    id: String,
    name: String,
    verdict: Vec<String>,
    figures: Vec<Figure>,
    table: Table,
}

/// The page of a merged run, as one offline HTML file.
pub fn page(campaign: &str, hosts: &[Host<'_>], notes: &[String]) -> Result<String> {
    let sets = sets(hosts);
    let part = |(i, set): (usize, &&str)| Part::of(&Contest::of(hosts, set), i + 1);
    let links =
        hosts.iter().filter_map(|host| Some(Link { name: host.name, report: host.report.as_deref()? }));
    let page = Page {
        campaign,
        about: about(hosts),
        version: env!("CARGO_PKG_VERSION"),
        parts: sets.iter().enumerate().map(part).collect(),
        hosts: host_table(hosts),
        links: links.collect(),
        notes,
    };
    document("hosts.html", TEMPLATE, &page)
}

/// The tables of a merged run in Markdown.
pub fn markdown(hosts: &[Host<'_>]) -> String {
    let part = |(name, table): (String, Table)| format!("### {}\n\n{}\n", inline(&name), table.to_markdown());
    tables(hosts).into_iter().map(part).collect()
}

/// The tables of a merged run in LaTeX.
pub fn latex(hosts: &[Host<'_>]) -> String {
    tables(hosts)
        .into_iter()
        .map(|(name, table)| format!("% {name}\n{}", crate::latex::latex(&table)))
        .collect()
}

/// Table of each test set.
fn tables(hosts: &[Host<'_>]) -> Vec<(String, Table)> {
    sets(hosts).into_iter().map(|set| (set.to_owned(), table(&Contest::of(hosts, set)))).collect()
}

/// Names of the test sets, in the campaign's order.
fn sets<'a>(hosts: &'a [Host<'_>]) -> Vec<&'a str> {
    let mut sets: Vec<&str> = Vec::new();
    for set in hosts.iter().flat_map(|host| &host.run.test_sets) {
        if !sets.contains(&set.name.as_str()) {
            sets.push(&set.name);
        }
    }
    sets
}

fn about(hosts: &[Host<'_>]) -> String {
    let profile =
        hosts.iter().find_map(|host| host.run.records.first()).map_or("", |record| record.profile.name());
    let dates = hosts.iter().filter_map(|host| host.run.day());
    let day = dates.min().map(|day| format!(" · from {day}")).unwrap_or_default();
    format!("{} · {profile} profile{day}", counted(hosts.len(), "host", "hosts"))
}

impl Part {
    fn of(contest: &Contest<'_>, number: usize) -> Self {
        let figures = [instances(contest, number), systems(contest, number)];
        Self {
            id: format!("set{number}"),
            name: contest.test_set.into(),
            verdict: contest.verdict(),
            figures: figures.into_iter().flatten().collect(),
            table: table(contest),
        }
    }
}

/// Words per dollar by instance: on each the cheapest system that is as good as the best of all.
fn instances(contest: &Contest<'_>, number: usize) -> Option<Figure> {
    let mut ranked: Vec<&Entry<'_>> =
        (0..contest.hosts.len()).filter_map(|host| contest.pick(Some(host))).collect();
    ranked.sort_by(|a, b| value(b).total_cmp(&value(a)));
    let bar = |entry: &&Entry<'_>| {
        let millions = entry.millions?;
        let (host, system) = (contest.hosts[entry.host].name, &entry.cell.system);
        let told = entry.quality.map(|own| crate::sentences::quality(&contest.scale, &own));
        Some(Bar {
            name: format!("{host}: {system}"),
            family: entry.family,
            off: entry.standing == Some(Standing::Off),
            value: millions,
            text: supported(&millions),
            tip: vec![contest.name(entry), told.unwrap_or_default()],
        })
    };
    let bars = Bars {
        name: "million words per US dollar, with the cheapest system of the best quality".into(),
        ideal: None,
        bars: ranked.iter().filter_map(bar).collect(),
    };
    let mut numbers = Table::new("Words per dollar by instance", &["instance", "system", "#Mwords/$"]);
    for entry in &ranked {
        let host = contest.hosts[entry.host].name;
        let fields =
            vec![Field::text(host), Field::text(&entry.cell.system), estimate(entry.millions.as_ref())];
        numbers.push(row_class(entry.standing), fields);
    }
    let about = "A bar for each instance: the words that a dollar buys with its cheapest system that can't be told \
                 from the best quality.";
    let title = contest.finding_of_instances(&ranked);
    (!ranked.is_empty())
        .then(|| Figure::of(&bars, &format!("instances-{number}"), title, about.into(), numbers.aligned()))
}

/// Points that are drawn besides the frontier's: more would hide each other.
const MOST_POINTS: usize = 40;

/// Quality against words per dollar, of all systems on all instances.
fn systems(contest: &Contest<'_>, number: usize) -> Option<Figure> {
    let mut shown: Vec<&Entry<'_>> = contest.contestants().collect();
    shown.sort_by(|a, b| a.standing.cmp(&b.standing).then(value(b).total_cmp(&value(a))));
    let on = shown.iter().filter(|entry| entry.standing != Some(Standing::Off)).count();
    shown.truncate(on.max(MOST_POINTS));
    let point = |entry: &&Entry<'_>| {
        Some(Point {
            name: contest.name(entry),
            family: entry.family,
            standing: entry.standing?,
            x: entry.millions?,
            y: entry.quality?,
            tip: vec![contest.name(entry), entry.millions.map(|m| supported(&m) + " Mwords/$")?],
        })
    };
    let scale = &contest.scale;
    let better = if scale.is_higher_better() { "more" } else { "less" };
    let chart = Scatter {
        x: Cost::Dollars.axis(),
        less_is_better: false,
        y: Axis {
            name: format!("{} ({better} is better ↑)", scale.title),
            log: false,
            from_zero: false,
            text: tick,
            ticks: None,
            reversed: !scale.is_higher_better(),
        },
        points: shown.iter().filter_map(point).collect(),
        published: Vec::new(),
    };
    let heads = ["system and instance", &format!("#{}", scale.title), "#Mwords/$"];
    let mut numbers = Table::new(format!("{} and words per dollar", scale.title), &heads);
    for entry in &shown {
        let fields = vec![
            Field::text(contest.name(entry)),
            quality(scale, entry.quality.as_ref()),
            estimate(entry.millions.as_ref()),
        ];
        numbers.push(row_class(entry.standing), fields);
    }
    let about =
        format!("Systems on instances by {} and words per dollar; the stairs are the frontier.", scale.title);
    let id = format!("hosts-dollars-{number}");
    (!shown.is_empty())
        .then(|| Figure::of(&chart, &id, contest.finding_of_systems(), about, numbers.aligned()))
}

/// All systems on all hosts.
fn table(contest: &Contest<'_>) -> Table {
    let scale = &contest.scale;
    let title = format!("#{}", scale.title);
    let heads =
        ["host", "system", &title, "#Mwords/$", "#words/s", "#p95 ms", "#peak MiB", "frontier", "verdict"];
    let mut table = Table::new("All systems on all hosts", &heads);
    for entry in &contest.entries {
        let cell = entry.cell;
        let standing = match entry.standing {
            Some(Standing::Frontier) => "yes",
            Some(Standing::Probably) => "probably",
            _ => "",
        };
        let verdict = match cell.reasons.first() {
            Some(reason) => format!("{} {}", cell.verdict.name(), reason.code.name()),
            None => cell.verdict.name().into(),
        };
        let invalid = cell.verdict == dyno_measure::Verdict::Invalid;
        let fields = vec![
            Field::text(contest.hosts[entry.host].name),
            Field::text(&cell.system),
            quality(scale, entry.quality.as_ref()),
            estimate(entry.millions.as_ref()),
            Field::maybe(cell.words_per_second, plain),
            Field::maybe(entry.p95_ms, plain),
            Field::maybe(cell.peak_bytes.map(mebibytes), plain),
            Field::text(standing),
            Field::text(verdict),
        ];
        table.push(if invalid { "invalid" } else { row_class(entry.standing) }, fields);
    }
    table.without_empty_columns().aligned()
}

fn host_table(hosts: &[Host<'_>]) -> Table {
    let heads = ["host", "processor", "#cores", "#memory GiB", "#$/hour", "place", "terms", "date"];
    let mut table = Table::new("Hosts and their prices", &heads);
    for host in hosts {
        let machine = &host.run.identity.host;
        let price = host.summary.price.as_ref();
        let told = |text: fn(&dyno_results::prices::Price) -> String| {
            price.map_or_else(Field::none, |p| Field::text(text(p)))
        };
        let cores = machine.cores.len();
        table.push(
            "",
            vec![
                Field::text(host.name),
                Field::text(&machine.cpu),
                Field::figure(cores.to_string(), cores as f64),
                Field::figure(plain(mebibytes(machine.memory_bytes) / 1024.0), machine.memory_bytes as f64),
                Field::maybe(price.map(|price| price.hourly_usd), |usd| format!("{usd}")),
                told(|price| format!("{} {}", price.provider, price.region)),
                told(|price| price.terms.clone()),
                told(|price| price.date.clone()),
            ],
        );
    }
    table.aligned()
}
