//! Counts against those that a reader made by hand, line by line.

use super::kept::Kept;
use super::kind::Kind;
use super::line::{Languages, Line};

/// 200 answers of `small`, `nano` and `small-rnn-fc` to lines of `everyday-en-de` and `tags-en-de`, with what
/// a reader finds and what of it is kept, as "kept/found". An empty field is nothing found; in the last three
/// columns, a line as it should be.
const HAND_CHECKED: &str = include_str!("hand-checked.tsv");

#[test]
fn counts_are_those_of_a_reader() {
    let lines: Vec<Vec<&str>> = HAND_CHECKED.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 200);
    let differs = |fields: &Vec<&str>| {
        let [source, reference, answer] = [3, 4, 5].map(|column| fields[column]);
        let line = Line::new(source, answer, [reference], Languages::EnglishGerman);
        let told = |(kind, field): (Kind, &&str)| {
            let counted = kind.count(&line);
            (counted != by_hand(kind, field))
                .then(|| format!("{} {counted:?}, by hand {field:?}", kind.name()))
        };
        let wrong: Vec<String> = Kind::ALL.into_iter().zip(&fields[6..]).filter_map(told).collect();
        (!wrong.is_empty()).then(|| format!("{}\n  {source}\n  {reference}\n  {answer}", wrong.join("; ")))
    };
    let wrong: Vec<String> = lines.iter().filter_map(differs).collect();
    assert!(wrong.is_empty(), "{} lines differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_hand_checked_list_holds_losses_of_each_kind() {
    for kind in Kind::ALL {
        let column = 6 + Kind::ALL.iter().position(|other| *other == kind).unwrap();
        let fields = HAND_CHECKED.lines().skip(1).map(|line| line.split('\t').nth(column).unwrap());
        let lost = fields.filter(|field| by_hand(kind, field).lost() > 0).count();
        assert!(lost > 0, "{}", kind.name());
    }
}

fn by_hand(kind: Kind, field: &str) -> Kept {
    let is_of_lines = matches!(kind, Kind::Length | Kind::Repetition | Kind::Untranslated);
    match field.split_once('/') {
        Some((kept, found)) => Kept { found: found.parse().unwrap(), kept: kept.parse().unwrap() },
        None if is_of_lines => Kept::line(true),
        None => Kept::default(),
    }
}
