//! Messages of the TOML reader, in the words of TOML, with the known key or value nearest to an unknown one.

use dyno_api::closest;

/// Kinds of values in serde's words, and in the words of TOML's users.
const KINDS: [(&str, &str); 7] = [
    ("expected a sequence", "expected a list: [ … ]"),
    ("expected f64", "expected a number"),
    ("expected usize", "expected a whole number, 0 or more"),
    ("expected u64", "expected a whole number, 0 or more"),
    ("expected a map", "expected a table: NAME = VALUE"),
    ("invalid type: map,", "invalid type: table,"),
    ("invalid type: sequence,", "invalid type: list,"),
];

/// serde's message in one line and in TOML's words. For an unknown word, serde lists the known ones between
/// backquotes; the nearest of them is added as a suggestion.
pub(super) fn with_suggestion(message: &str) -> String {
    let line = message.lines().collect::<Vec<_>>().join("; ");
    let line = KINDS.iter().fold(line, |line, (serdes, tomls)| line.replace(serdes, tomls));
    let mut quoted = line.split('`').skip(1).step_by(2);
    let near =
        quoted.next().filter(|_| line.starts_with("unknown ")).and_then(|wanted| closest(wanted, quoted));
    match (near, line.split_once("`, expected")) {
        (Some(near), Some((unknown, known))) => {
            format!("{unknown}` (did you mean `{near}`?), expected{known}")
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wire {
        #[serde(rename = "profile")]
        _profile: String,
        #[serde(rename = "tracks")]
        _tracks: Option<Vec<String>>,
    }

    #[test]
    fn the_nearest_known_word_is_named_and_no_far_one() {
        let complaint = |text| with_suggestion(toml::from_str::<Wire>(text).unwrap_err().message());
        assert_eq!(
            complaint("profle = 'quick'"),
            "unknown field `profle` (did you mean `profile`?), expected `profile` or `tracks`"
        );
        assert_eq!(complaint("zzz = 1"), "unknown field `zzz`, expected `profile` or `tracks`");
        assert_eq!(complaint("tracks = []"), "missing field `profile`");
        let list = "invalid type: string \"latency\", expected a list: [ … ]";
        assert_eq!(complaint("profile = ''\ntracks = 'latency'"), list);
    }
}
