//! Dates: a month with its day and year, a date in digits, a weekday. English into German alone has the
//! words.

use super::kept::Kept;
use super::line::Line;
use super::numbers;
use super::text::{Pattern, regex, words};

/// Months: how English dates name them, and the beginning of the German name.
const MONTHS: [(&str, &str); 12] = [
    ("Jan", "januar"),
    ("Feb", "februar"),
    ("Mar", "märz"),
    ("Apr", "april"),
    ("May", "mai"),
    ("Jun", "juni"),
    ("Jul", "juli"),
    ("Aug", "august"),
    ("Sep", "september"),
    ("Oct", "oktober"),
    ("Nov", "november"),
    ("Dec", "dezember"),
];
const WEEKDAYS: [(&str, &[&str]); 7] = [
    ("Mon", &["montag"]),
    ("Tues", &["dienstag"]),
    ("Wednes", &["mittwoch"]),
    ("Thurs", &["donnerstag"]),
    ("Fri", &["freitag"]),
    ("Satur", &["samstag", "sonnabend"]),
    ("Sun", &["sonntag"]),
];

/// A month with the day before or behind it and the year. "May" and "March" are months only beside a number
/// or behind a preposition.
static MONTH: Pattern = Pattern::new(|| {
    regex(concat!(
        r"(?:\b(?P<before>[0-9]{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?)?",
        r"(?P<led>\b(?:in|of|since|until|till|last|next|early|late|mid|by|from|to|this|every)[\s-]+)?",
        r"\b(?:(?P<sure>Jan(?:uary|\.)|Feb(?:ruary|\.)|Apr(?:il|\.)|June?\b|July?\b|Aug(?:ust|\.)|Sept?(?:ember|\.)",
        r"|Oct(?:ober|\.)|Nov(?:ember|\.)|Dec(?:ember|\.))|(?P<unsure>March|May)\b)",
        r"(?:\s+(?:the\s+)?(?P<after>[0-9]{1,2})(?:st|nd|rd|th)?\b)?",
        r"(?:,?\s+(?:of\s+)?(?P<year>[12][0-9]{3})\b)?",
    ))
});
static WEEKDAY: Pattern = Pattern::new(|| regex(r"\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b"));
static DIGITS: Pattern = Pattern::new(|| regex(r"\b[0-9]{1,4}([/.-])[0-9]{1,2}[/.-][0-9]{1,4}\b"));

/// What every date has: without it the patterns above, which have no fixed beginning, need not look.
static ANY: Pattern =
    Pattern::new(|| regex(r"Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|days?\b|[0-9][/.-][0-9]"));

/// Dates of the source, and those of which the answer has every part.
pub fn count(line: &Line<'_>) -> Kept {
    let text = &line.plain_source;
    if !line.is_english_german() || !ANY.is_match(text) {
        return Kept::default();
    }
    let months = MONTH.captures_iter(text).filter_map(|found| month_of(&found));
    let weekdays = WEEKDAY.captures_iter(text).filter_map(|found| {
        WEEKDAYS.iter().find(|(name, _)| *name == &found[1]).map(|(_, german)| (german.to_vec(), Vec::new()))
    });
    let in_digits = DIGITS.find_iter(text).map(|found| (Vec::new(), numbers::values(found.as_str())));
    let dates: Vec<Date> = months.chain(weekdays).chain(in_digits).collect();
    let kept = dates.iter().filter(|date| is_kept(date, &line.plain_answer)).count();
    Kept { found: dates.len(), kept }
}

/// German words of which an answer has one, and numbers of which it has all.
type Date = (Vec<&'static str>, Vec<String>);

fn month_of(found: &regex::Captures<'_>) -> Option<Date> {
    let group = |name| found.name(name).map(|found| found.as_str());
    let numbers: Vec<&str> = ["before", "after", "year"].into_iter().filter_map(group).collect();
    let name = group("sure").or_else(|| group("unsure"))?;
    if group("sure").is_none() && numbers.is_empty() && group("led").is_none() {
        return None;
    }
    let (_, german) = MONTHS.iter().find(|(beginning, _)| name.starts_with(beginning))?;
    let value = |number: &&str| number.trim_start_matches('0').to_owned();
    Some((vec![german], numbers.iter().map(value).collect()))
}

fn is_kept((names, wanted): &Date, answer: &str) -> bool {
    let is_it = |word: &str| names.iter().any(|name| word.to_lowercase().starts_with(name));
    let there = numbers::values(answer);
    (names.is_empty() || words(answer).any(is_it)) && wanted.iter().all(|number| there.contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::line::Languages;

    #[test]
    fn all_parts_of_a_date_count_as_one() {
        let kept = |source, answer| count(&Line::new(source, answer, [], Languages::EnglishGerman));
        let all = |count| Kept { found: count, kept: count };
        assert_eq!(kept("On June 14, 1949, a Monday", "Am Montag, dem 14. Juni 1949"), all(2));
        assert_eq!(kept("On June 14, 1949", "Am 14. Juli 1949"), Kept { found: 1, kept: 0 });
        assert_eq!(kept("the 5th of May", "am 6. Mai"), Kept { found: 1, kept: 0 });
        assert_eq!(kept("May I march in March?", "Darf ich im März marschieren?"), all(1));
        assert_eq!(kept("It was 12/05/2020, a Saturday.", "Am 12.05.2020, Sonnabend"), all(2));
        assert_eq!(kept("Mary and the Sunni", "Maria"), all(0));
    }
}
