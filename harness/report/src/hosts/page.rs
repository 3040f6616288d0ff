//! The page of a merged run: verdicts, two charts and a table for each test set, and the hosts with their
//! prices.

use dyno_results::Column;
use dyno_results::contest::{Contestant, Cost};
use dyno_results::prices::Price;
use dyno_stats::Standing;
use dyno_stats::numbers::{counted, mebibytes, plain, supported};
use itertools::Itertools;
use serde_json::{Value, json};

use super::contest::{Contest, Host};
use crate::charts::{Bar, Bars, Colour, Figure};
use crate::page::{Result, document};
use crate::sentences;
use crate::tables::{Field, Table, inline};
use crate::view::{class_of, on_frontier, row_class, scatter, with_reason};

const TEMPLATE: &str = include_str!("../../../../templates/hosts.html");

/// The page of a merged run, as one offline HTML file.
pub fn page(campaign: &str, hosts: &[Host<'_>], notes: &[String]) -> Result<String> {
    let sets = sets(hosts);
    let part = |(i, set): (usize, &&str)| part(&Contest::of(hosts, set), i + 1);
    let links = hosts.iter().filter(|host| host.report.is_some());
    let page = json!({
        "campaign": campaign,
        "about": about(hosts),
        "version": env!("CARGO_PKG_VERSION"),
        "parts": sets.iter().enumerate().map(part).collect::<Vec<_>>(),
        "hosts": host_table(hosts),
        "links": links.map(|host| json!({"name": host.name, "report": host.report})).collect::<Vec<_>>(),
        "notes": notes,
    });
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

fn tables(hosts: &[Host<'_>]) -> Vec<(String, Table)> {
    sets(hosts).into_iter().map(|set| (set.to_owned(), table(&Contest::of(hosts, set)))).collect()
}

/// Names of the test sets, in the campaign's order.
fn sets<'a>(hosts: &'a [Host<'_>]) -> Vec<&'a str> {
    hosts.iter().flat_map(|host| &host.run.test_sets).map(|set| set.name.as_str()).unique().collect()
}

fn about(hosts: &[Host<'_>]) -> String {
    let profile =
        hosts.iter().find_map(|host| host.run.records.first()).map_or("", |record| record.profile.name());
    let dates = hosts.iter().filter_map(|host| host.run.day());
    let day = dates.min().map(|day| format!(" · from {day}")).unwrap_or_default();
    format!("{} · {profile} profile{day}", counted(hosts.len(), "host", "hosts"))
}

/// Findings on one test set.
fn part(contest: &Contest<'_>, number: usize) -> Value {
    let figures = [instances(contest, number), systems(contest, number)];
    json!({
        "id": format!("set{number}"),
        "name": contest.test_set,
        "verdict": contest.verdict(),
        "figures": figures.into_iter().flatten().collect::<Vec<_>>(),
        "table": table(contest),
    })
}

/// Words per dollar by instance: on each the cheapest system that is as good as the best of all.
fn instances(contest: &Contest<'_>, number: usize) -> Option<Figure> {
    let pick_on = |host| contest.race.pick_of(|one| contest.cells[one.system].host == host);
    let mut ranked: Vec<&Contestant> = (0..contest.hosts.len()).filter_map(pick_on).collect();
    ranked.sort_by(|a, b| b.cost.value.total_cmp(&a.cost.value));
    let bar = |one: &&Contestant| {
        let (host, cell) = contest.entry(one);
        Bar {
            name: format!("{}: {}", host.name, cell.system),
            colour: if one.standing == Standing::Off {
                Colour::Grey
            } else {
                Colour::Of(contest.family(one))
            },
            value: one.cost,
            text: supported(&one.cost),
            tip: vec![contest.name(one), sentences::quality(&contest.race.scale, &one.quality)],
        }
    };
    let bars = Bars {
        name: "million words per US dollar, with the cheapest system of the best quality".into(),
        ideal: None,
        bars: ranked.iter().map(bar).collect(),
    };
    let numbers = Table::of("Words per dollar by instance", &ranked)
        .classed(|one| row_class(Some(one.standing)))
        .column("instance", |one| Field::text(contest.entry(one).0.name))
        .column("system", |one| Field::text(&contest.entry(one).1.system))
        .column(Cost::Dollars.words().head, |one| Field::estimate(Some(one.cost)))
        .aligned();
    let about = "A bar for each instance: the words that a dollar buys with its cheapest system that can't be told \
                 from the best quality.";
    let title = contest.finding_of_instances(&ranked);
    (!ranked.is_empty())
        .then(|| Figure::of(&bars, &format!("instances-{number}"), title, about.into(), numbers))
}

/// Points that are drawn besides the frontier's: more would hide each other.
const MOST_POINTS: usize = 40;

/// Quality against words per dollar, of all systems on all instances.
fn systems(contest: &Contest<'_>, number: usize) -> Option<Figure> {
    let race = &contest.race;
    let mut shown: Vec<&Contestant> = race.contestants.iter().collect();
    shown.sort_by(|a, b| a.standing.cmp(&b.standing).then(b.cost.value.total_cmp(&a.cost.value)));
    let on = shown.iter().filter(|one| one.standing != Standing::Off).count();
    shown.truncate(on.max(MOST_POINTS));
    let chart = scatter(race, &shown, Vec::new(), |one| {
        let tip = vec![contest.name(one), supported(&one.cost) + " Mwords/$"];
        (contest.name(one), contest.family(one), tip)
    });
    let scale = &race.scale;
    let numbers = Table::of(format!("{} and words per dollar", scale.title), &shown)
        .classed(|one| row_class(Some(one.standing)))
        .column("system and instance", |one| Field::text(contest.name(one)))
        .column(format!("#{}", scale.title), |one| Field::quality(scale, Some(one.quality)))
        .column(Cost::Dollars.words().head, |one| Field::estimate(Some(one.cost)))
        .aligned();
    let about =
        format!("Systems on instances by {} and words per dollar; the stairs are the frontier.", scale.title);
    let id = format!("hosts-dollars-{number}");
    (!shown.is_empty()).then(|| Figure::of(&chart, &id, contest.finding_of_systems(), about, numbers))
}

/// All systems on all hosts.
fn table(contest: &Contest<'_>) -> Table {
    let scale = &contest.race.scale;
    let head = |column: Column| format!("#{}", column.head());
    let cells = contest.cells.iter().enumerate();
    Table::of("All systems on all hosts", cells.map(|(i, own)| (own, contest.race.standing(i))))
        .classed(|(own, standing)| class_of(own.cell.verdict, *standing))
        .column("host", |(own, _)| Field::text(contest.hosts[own.host].name))
        .column("system", |(own, _)| Field::text(&own.cell.system))
        .column(format!("#{}", scale.title), |(own, _)| {
            Field::quality(scale, own.cell.quality_by(&scale.name))
        })
        .column(head(Column::Dollars), |(own, _)| Field::of(Column::Dollars, own.cell))
        .column(head(Column::Speed), |(own, _)| Field::rounded(Column::Speed, Some(own.cell)))
        .column(head(Column::P95), |(own, _)| Field::rounded(Column::P95, own.latency))
        .column(head(Column::Peak), |(own, _)| Field::rounded(Column::Peak, Some(own.cell)))
        .column("frontier", |(_, standing)| on_frontier(*standing))
        .column("verdict", |(own, _)| with_reason(own.cell.verdict, own.cell.reasons.first()))
        .compact()
}

fn host_table(hosts: &[Host<'_>]) -> Table {
    let priced =
        |host: &Host<'_>, text: fn(&Price) -> String| Field::maybe(host.summary.price.as_ref(), text);
    let machines = hosts.iter().map(|host| (host, &host.run.identity.host));
    Table::of("Hosts and their prices", machines)
        .column("host", |(host, _)| Field::text(host.name))
        .column("processor", |(_, machine)| Field::text(&machine.cpu))
        .column("#cores", |(_, machine)| Field::text(machine.cores.len().to_string()))
        .column("#memory GiB", |(_, machine)| Field::text(plain(mebibytes(machine.memory_bytes) / 1024.0)))
        .column("#$/hour", |(host, _)| priced(host, |price| price.hourly_usd.to_string()))
        .column("place", |(host, _)| priced(host, |price| format!("{} {}", price.provider, price.region)))
        .column("terms", |(host, _)| priced(host, |price| price.terms.clone()))
        .column("date", |(host, _)| priced(host, |price| price.date.clone()))
        .aligned()
}
