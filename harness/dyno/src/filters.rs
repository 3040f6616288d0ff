//! Filters: they narrow a campaign to some of its systems, test sets and tracks.

use dyno_provision::did_you_mean;
use wildmatch::WildMatch;

use crate::campaign::Campaign;
use crate::cli::measuring::FilterArgs;
use crate::exit::{Outcome, bad_input};

/// Removes from `campaign` the systems and test sets whose names match none of their patterns, and the tracks that
/// aren't among `tracks`; an empty list keeps all. A pattern that matches nothing is refused as a typing error, and
/// a system that is left needs its models.
pub fn narrow(campaign: &mut Campaign, filters: &FilterArgs) -> Outcome<()> {
    let FilterArgs { systems, test_sets, tracks } = filters;
    keep_matching(&mut campaign.systems, systems, "system", |entry| &entry.name)?;
    keep_matching(&mut campaign.test_sets, test_sets, "test set", |set| &set.name)?;
    campaign.tracks.retain(|track| tracks.is_empty() || tracks.contains(track));
    campaign.leave_out_idle_systems();
    match campaign.systems.iter().find_map(|entry| entry.absent.clone()) {
        Some(absent) => Err(bad_input(absent)),
        None => Ok(()),
    }
}

fn keep_matching<T>(
    items: &mut Vec<T>,
    patterns: &[String],
    what: &str,
    name: fn(&T) -> &str,
) -> Outcome<()> {
    for pattern in patterns {
        if !items.iter().any(|item| matches(pattern, name(item))) {
            let names: Vec<_> = items.iter().map(name).collect();
            let (hint, there_are) = (did_you_mean(pattern, names.iter().copied()), names.join(", "));
            refuse!("no {what} matches {pattern:?}{hint}; the campaign has: {there_are}");
        }
    }
    items.retain(|item| patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, name(item))));
    Ok(())
}

/// Whether `name` is `pattern` itself, or matches it as in a shell.
fn matches(pattern: &str, name: &str) -> bool {
    pattern == name || WildMatch::new(pattern).matches(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("ssru", "ssru", true),
            ("ssru", "ssru-int8", false),
            ("ssru*", "ssru-int8", true),
            ("*int8", "ssru-int8", true),
            ("s?ru", "ssru", true),
            ("s?ru", "sru", false),
            ("*", "", true),
            ("*ü?", "grün", true),
            ("multi30k*", "multi30k/2016 en-de", true),
            ("a [b", "a [b", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
