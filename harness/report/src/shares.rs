//! Breakdowns of time, as a chart of stacked bars and a table: for the systems of a report and the networks
//! of a paper.

use std::collections::BTreeMap;

use dyno_api::Breakdown;

use super::charts::{Colour, Figure, Stack, Stacked, shortened};
use super::tables::{Field, Table};
use dyno_record::Track;

/// Breakdown of one system's time.
pub struct Account<'a> {
    /// Name of the system.
    pub system: &'a str,
    /// Colour of the name.
    pub colour: Colour,
    /// Breakdown, as the system accounts for it.
    pub breakdown: &'a Breakdown,
}

/// Nanoseconds of each part.
type Parts = BTreeMap<String, u64>;

/// A way to divide time into parts.
type Division = fn(&Breakdown) -> &Parts;

/// Names of all divisions, with their functions.
const DIVISIONS: [(&str, Division); 2] =
    [("component", |told| &told.components), ("operator", |told| &told.operators)];

/// Most parts with a name; the smallest ones go into the rest. A translator has eight components.
const MOST_PARTS: usize = 8;

/// Name of the rest, which systems also use for parts of their own.
const REST: &str = "other";

/// One figure by component and one by operator, where a system accounts for them. `id` makes the name of a
/// figure.
pub fn figures(track: Track, accounts: &[Account<'_>], id: impl Fn(&str) -> String) -> Vec<Figure> {
    let figure =
        |(by, division): (&str, Division)| Some(figure(&id(by), by, track, stacks(accounts, division)?));
    DIVISIONS.into_iter().filter_map(figure).collect()
}

fn figure(id: &str, by: &str, track: Track, stacks: Vec<Stack>) -> Figure {
    let chart = Stacked { name: format!("share of the time by {by}, {track}"), stacks };
    let stacks = &chart.stacks;
    let about = format!(
        "A bar a system, divided by {by}, as the system itself accounts for its time in a launch that isn't timed. What a \
         product's own loop does besides (bias, activation, sum) is the product's."
    );
    let caption = format!("Share of the time by {by}, {track}");
    Figure::of(&chart, id, finding(by, track, stacks), about, table(caption, stacks))
}

/// Bars of the systems that account for their time; `None` if no system does.
fn stacks(accounts: &[Account<'_>], division: Division) -> Option<Vec<Stack>> {
    let told: Vec<(&Account<'_>, &Parts)> = accounts
        .iter()
        .map(|account| (account, division(account.breakdown)))
        .filter(|(_, parts)| whole(parts) > 0.0)
        .collect();
    let order = order(&told.iter().map(|(_, parts)| *parts).collect::<Vec<_>>());
    let stack = |(account, parts): &(&Account<'_>, &Parts)| {
        let (name, parts) = (account.system.to_owned(), shares(parts, &order));
        let some = parts.iter().filter(|part| part.1 > 0.0);
        let each = some.map(|(part, share)| format!("{part} {:.0} %", share * 100.0));
        Stack { tip: [name.clone()].into_iter().chain(each).collect(), name, colour: account.colour, parts }
    };
    (!told.is_empty()).then(|| told.iter().map(stack).collect())
}

fn whole(parts: &Parts) -> f64 {
    parts.values().sum::<u64>() as f64
}

/// Named parts: the largest over all systems, in the order of the work.
fn order<'a>(told: &[&'a Parts]) -> Vec<&'a str> {
    let mut most: BTreeMap<&str, f64> = BTreeMap::new();
    for parts in told {
        for (name, ns) in parts.iter().filter(|part| part.0 != REST) {
            let share = most.entry(name).or_default();
            *share = share.max(*ns as f64 / whole(parts));
        }
    }
    let mut shares: Vec<f64> = most.values().copied().collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    let least = shares.get(MOST_PARTS - 1).copied().unwrap_or(0.0);
    let mut named: Vec<&str> = most.into_iter().filter(|part| part.1 >= least).map(|part| part.0).collect();
    // The contract lists parts in the order of the work. Other parts follow in the order of their names.
    let flow = || Breakdown::COMPONENTS.into_iter().chain(Breakdown::OPERATORS);
    named.sort_by_key(|name| flow().position(|part| part == *name).unwrap_or(usize::MAX));
    named
}

/// Shares of the parts in `order`, then the rest.
fn shares(parts: &Parts, order: &[&str]) -> Vec<(String, f64)> {
    let share = |name: &&str| ((*name).into(), parts.get(*name).map_or(0.0, |ns| *ns as f64 / whole(parts)));
    let mut shares: Vec<(String, f64)> = order.iter().map(share).collect();
    let rest = 1.0 - shares.iter().map(|part| part.1).sum::<f64>();
    if rest > 0.0005 {
        shares.push((REST.into(), rest));
    }
    shares
}

/// The largest share of all bars, as a sentence.
fn finding(by: &str, track: Track, stacks: &[Stack]) -> String {
    let shares = stacks.iter().flat_map(|stack| stack.parts.iter().map(move |part| (&stack.name, part)));
    let largest = shares.max_by(|(_, (_, a)), (_, (_, b))| a.total_cmp(b));
    let told = |(system, (part, share)): (&String, &(String, f64))| {
        // A long name would hide the sentence.
        let (system, percent) = (shortened(system, 40), share * 100.0);
        format!(
            "{part} takes {percent:.0} % of {system}'s time in the track {track}, the largest share of one {by}"
        )
    };
    largest.map(told).unwrap_or_default()
}

fn table(caption: String, stacks: &[Stack]) -> Table {
    let order = stacks.iter().map(|stack| &stack.parts).max_by_key(|parts| parts.len());
    let names = order.into_iter().flatten().map(|(name, _)| name);
    Table::of(caption, stacks)
        .column("system", |stack| Field::text(&stack.name))
        .columns(
            names,
            |name| format!("#{name} %"),
            |name, stack| {
                let part = stack.parts.iter().find(|(own, _)| own == *name);
                Field::maybe(part, |(_, share)| format!("{:.1}", share * 100.0))
            },
        )
        .aligned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(told: &[&[(&str, u64)]]) -> Vec<Figure> {
        let parts = |parts: &&[(&str, u64)]| parts.iter().map(|(name, ns)| ((*name).into(), *ns)).collect();
        let told: Vec<Breakdown> =
            told.iter().map(|own| Breakdown { components: parts(own), ..Breakdown::default() }).collect();
        let account = |breakdown| Account { system: "a system", colour: Colour::Grey, breakdown };
        figures(Track::Latency, &told.iter().map(account).collect::<Vec<_>>(), str::to_owned)
    }

    #[test]
    fn parts_stand_in_the_order_of_the_work_and_small_ones_are_others() {
        let large = [("search", 10), ("encoder", 30), ("output", 10)];
        let small = ["a", "b", "c", "d", "e", "f", "other"].map(|name| (name, 1));
        let figure = &drawn(&[&large.into_iter().chain(small).collect::<Vec<_>>()])[0];
        let heads: Vec<&str> = figure.table.heads.iter().map(|head| head.text.as_str()).collect();
        assert_eq!(heads[..4], ["system", "encoder %", "output %", "search %"]);
        assert_eq!(heads.iter().filter(|head| **head == "other %").count(), 1, "{heads:?}");
        let shares =
            figure.table.rows[0].fields[1..].iter().map(|field| field.text.trim().parse::<f64>().unwrap());
        let whole: f64 = shares.sum();
        assert!((whole - 100.0).abs() < 0.5, "{whole}");
        assert_eq!(
            figure.title,
            "encoder takes 53 % of a system's time in the track latency, the largest share of one component"
        );
    }

    #[test]
    fn only_what_is_told_is_drawn() {
        assert!(drawn(&[]).is_empty());
        assert!(drawn(&[&[], &[("search", 0)]]).is_empty());
        let figures = drawn(&[&[], &[("search", 7)]]);
        assert_eq!(figures.iter().map(|figure| figure.id.as_str()).collect::<Vec<_>>(), ["component"]);
        assert_eq!(figures[0].table.rows.len(), 1);
    }
}
