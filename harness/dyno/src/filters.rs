//! Filters of the command line: which systems, test sets and tracks of a campaign are wanted.

use clap::Args;
use dyno_measure::Track;
use wildmatch::WildMatch;

use crate::campaign::Campaign;
use crate::cli::values::track;
use crate::exit::{Outcome, bad_input};

/// Parts of a campaign to run; empty lists mean all.
#[derive(Clone, Debug, Default, Args)]
pub struct Filters {
    /// Only systems of this name; `*` and `?` as in a shell; may be repeated
    #[arg(long = "system", short = 's', value_name = "PATTERN")]
    pub systems: Vec<String>,
    /// Only test sets of this name; `*` and `?` as in a shell; may be repeated
    #[arg(long = "test-set", short = 't', value_name = "PATTERN")]
    pub test_sets: Vec<String>,
    /// Only this track; may be repeated
    #[arg(long = "track", value_name = "TRACK", value_parser = track())]
    pub tracks: Vec<Track>,
}

impl Filters {
    /// Removes from `campaign` everything that was not asked for. A pattern that fits nothing is a typing error.
    pub fn apply(&self, campaign: &mut Campaign) -> Outcome<()> {
        keep_fitting(&mut campaign.systems, &self.systems, "system", |entry| &entry.name)?;
        keep_fitting(&mut campaign.test_sets, &self.test_sets, "test set", |set| &set.name)?;
        campaign.tracks.retain(|track| self.tracks.is_empty() || self.tracks.contains(track));
        Ok(())
    }
}

fn keep_fitting<T>(items: &mut Vec<T>, patterns: &[String], what: &str, name: fn(&T) -> &str) -> Outcome<()> {
    for pattern in patterns {
        if !items.iter().any(|item| fits(pattern, name(item))) {
            let names: Vec<_> = items.iter().map(name).collect();
            let near = dyno_api::closest(pattern, names.iter().copied());
            let hint = near.map(|near| format!(" (did you mean {near:?}?)")).unwrap_or_default();
            let there_are = names.join(", ");
            return Err(bad_input(format!(
                "no {what} fits {pattern:?}{hint}; the campaign has: {there_are}"
            )));
        }
    }
    items.retain(|item| patterns.is_empty() || patterns.iter().any(|pattern| fits(pattern, name(item))));
    Ok(())
}

/// Whether `name` is `pattern` itself, or fits it as in a shell.
fn fits(pattern: &str, name: &str) -> bool {
    pattern == name || WildMatch::new(pattern).matches(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names_as_in_a_shell() {
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
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
