//! Numbers in digits. An answer keeps the value: separators, ordinals and a number spelled out may follow its
//! language.

use super::kept::{Kept, take};
use super::line::Line;
use super::text::{Pattern, regex, words};

/// A number with its separators, and what stands before and after it.
static NUMBER: Pattern = Pattern::new(|| regex(r"[0-9]+(?:[.,:'\u{a0}\u{202f}][0-9]+)*"));
/// What follows the hour of an afternoon, which German counts from 13 on.
static AFTERNOON: Pattern = Pattern::new(|| regex(r"^(?::\d\d)?\s*[pP]\.?\s?[mM]\b"));

/// Beginnings of German words for small numbers: "zwei", "zweite", "zweimal".
const SPELLED: [(&str, &[&str]); 22] = [
    ("1", &["ein", "erst"]),
    ("2", &["zwei", "beid"]),
    ("3", &["drei", "dritt"]),
    ("4", &["vier"]),
    ("5", &["fünf"]),
    ("6", &["sechs"]),
    ("7", &["sieb"]),
    ("8", &["acht"]),
    ("9", &["neun"]),
    ("10", &["zehn"]),
    ("11", &["elf"]),
    ("12", &["zwölf"]),
    ("20", &["zwanzig"]),
    ("30", &["dreißig"]),
    ("40", &["vierzig"]),
    ("50", &["fünfzig"]),
    ("60", &["sechzig"]),
    ("70", &["siebzig"]),
    ("80", &["achtzig"]),
    ("90", &["neunzig"]),
    ("100", &["hundert", "einhundert"]),
    ("1000", &["tausend", "eintausend"]),
];

/// Numbers of the source, and those whose value the answer has too.
pub fn count(line: &Line<'_>) -> Kept {
    let found = of_source(&line.plain_source);
    let mut there = values(&line.plain_answer);
    let kept = found.iter().filter(|number| takes(&mut there, number) || is_spelled(line, number)).count();
    Kept { found: found.len(), kept }
}

/// A number of the source.
struct Number {
    value: String,
    is_afternoon: bool,
}

/// Values of all numbers of a text.
pub fn values(text: &str) -> Vec<String> {
    NUMBER.find_iter(text).flat_map(|found| parts(found.as_str())).collect()
}

/// Numbers of a source line. Digits behind a capital letter belong to a name: V-2, MP3, COVID-19.
fn of_source(text: &str) -> Vec<Number> {
    let is_own = |found: &regex::Match<'_>| {
        let mut before = text[..found.start()].chars().rev();
        let last = before.next().filter(|c| *c != '-').or_else(|| before.next());
        !last.is_some_and(|c| c.is_uppercase())
    };
    let numbers = NUMBER.find_iter(text).filter(is_own).flat_map(|found| {
        let is_afternoon = AFTERNOON.is_match(&text[found.start() + first_digits(found.as_str())..]);
        let number = move |(i, value)| Number { value, is_afternoon: is_afternoon && i == 0 };
        parts(found.as_str()).into_iter().enumerate().map(number)
    });
    numbers.collect()
}

fn first_digits(number: &str) -> usize {
    number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len())
}

/// The value of a number, or of its parts if it is several: a time, a date, a version. Three digits behind a
/// separator are thousands, in whichever language; other digits behind a single point or comma are decimals.
fn parts(number: &str) -> Vec<String> {
    let groups: Vec<&str> = number.split(|c: char| !c.is_ascii_digit()).collect();
    let thousands = groups[1..].iter().take_while(|group| group.len() == 3).count();
    let is_whole = groups[0].len() <= 3 && thousands + 1 == groups.len();
    match &groups[thousands + 1..] {
        _ if is_whole => vec![without_zeros(&groups.concat())],
        [decimals] if !number.contains(':') => {
            vec![format!("{}.{decimals}", without_zeros(&groups[..=thousands].concat()))]
        }
        _ => groups.into_iter().map(without_zeros).collect(),
    }
}

fn without_zeros(digits: &str) -> String {
    let short = digits.trim_start_matches('0');
    if short.is_empty() { "0".into() } else { short.into() }
}

/// Takes the number out of those of the answer, if it is there. A time may stand as 14.30 or as 14:30.
fn takes(there: &mut Vec<String>, number: &Number) -> bool {
    let later = number.value.parse::<u32>().ok().filter(|_| number.is_afternoon).map(|hour| hour + 12);
    let is_it =
        |value: &String| *value == number.value || later.is_some_and(|hour| *value == hour.to_string());
    let split = |value: &str| value.split('.').map(without_zeros).collect::<Vec<_>>();
    if take(there, is_it).is_some() {
        return true;
    }
    let Some(several) = take(there, |value| split(value).iter().any(is_it)) else { return false };
    there.extend(split(&several).into_iter().filter(|value| !is_it(value)));
    true
}

fn is_spelled(line: &Line<'_>, number: &Number) -> bool {
    let beginnings = SPELLED.iter().find(|(value, _)| *value == number.value).map(|(_, words)| *words);
    let is_it = |word: &str| {
        beginnings.into_iter().flatten().any(|beginning| word.to_lowercase().starts_with(beginning))
    };
    line.is_english_german() && words(&line.plain_answer).any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::line::Languages;

    #[test]
    fn separators_follow_the_language_and_the_value_stays() {
        assert_eq!(values("1,234.5 and 1.234,5"), ["1234.5", "1234.5"]);
        assert_eq!(values("12,000 or 12.000, 3.14 or 3,14"), ["12000", "12000", "3.14", "3.14"]);
        assert_eq!(values("at 2:05 on 12.05.2020"), ["2", "5", "12", "5", "2020"]);
    }

    #[test]
    fn a_number_counts_once_and_may_be_spelled_out() {
        let kept = |source, answer| count(&Line::new(source, answer, [], Languages::EnglishGerman));
        assert_eq!(kept("5 of 5 men", "5 Männer"), Kept { found: 2, kept: 1 });
        assert_eq!(kept("the 2nd of 12", "der zweite von zwölf"), Kept { found: 2, kept: 2 });
        assert_eq!(kept("at 2:30 pm", "um 14.30 Uhr"), Kept { found: 2, kept: 2 });
        assert_eq!(kept("a V-2, an MP3 of the 1990s", "eine V-2 der 90er"), Kept { found: 1, kept: 0 });
    }
}
