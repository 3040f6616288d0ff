//! The lines that probes ask: the odd ones that every system must answer, ordinary ones of the test set, and
//! copies of those with one word exchanged.

use std::collections::HashSet;

use super::Examinee;
use crate::campaign::{split_lines, words};
use crate::random::Random;

/// Where a test set is too small for a probe, these help out: lines of our own.
const SPARE: &str = include_str!("../../../testsets/captions-en-de/source.en");

/// Words of the over-long line, which together have more bytes than any usual buffer for one line (8 KiB).
const OVERLONG: usize = 100;

/// Lines that people's texts do contain. Each must be answered by exactly one line; what it says is asked only
/// of the valid ones.
pub fn odd() -> Vec<Vec<u8>> {
    let words = |count: usize| {
        ["the", "small", "dog", "runs", "over", "a", "green", "hill"].repeat(count / 8 + 1)[..count].join(" ")
    };
    let mut lines: Vec<Vec<u8>> = [
        "",
        "Yes.",
        "   ",
        "A man\tand\t\ta dog.",
        "A line from elsewhere.\r",
        "Cafe\u{301} re\u{301}sume\u{301}, n\u{303} and o\u{308}\u{323}.", // combining marks
        "One\u{2028}two\u{2029}three\u{85}four\u{b}five\u{c}six.",         // separators that end no line
        "A smile \u{1f600}, a family \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}, a flag \u{1f1e9}\u{1f1ea}.",
        "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{5e2}\u{5d5}\u{5dc}\u{5dd} \u{202b}\u{627}\u{644}\u{633}\u{644}\u{627}\u{645}\u{202c}", // right to left
        "\u{feff}A mark at the start, \u{ff21}\u{ff22} full width, \u{4f60}\u{597d}.",
        "\u{1}\u{2}\u{7}\u{1b}\u{7f}", // nothing but control characters
        "<b>5 &lt; 6</b> ||| 100 % of {x} costs $1,000.00 \\ \"so\" 'to' speak -- @-@ http://a.b/c?d=e",
        "-n",
        "\u{10348}\u{fffd}\u{fffe}",
    ]
    .into_iter()
    .map(|line| line.as_bytes().to_vec())
    .collect();
    lines.push(words(150).into_bytes());
    let long_word =
        "Rindfleischetikettierungsueberwachungsaufgabenuebertragungsgesetz-Beauftragter".repeat(2);
    lines.push([long_word.as_str()].repeat(OVERLONG).join(" ").into_bytes());
    lines.push(b"A broken \xff\xfe byte, an overlong \xc0\xaf slash, half a \xe2\x82 sign.".to_vec());
    lines.push(b"Cut in a letter: caf\xc3".to_vec());
    lines.push(b"An ordinary line at the end.".to_vec());
    lines
}

/// Up to `count` distinct ordinary lines in random order: of the test set, and of our own where that has
/// too few.
pub fn ordinary(examinee: &Examinee<'_>, count: usize, purpose: &str) -> Vec<Vec<u8>> {
    let is_ordinary = |line: &Vec<u8>| (3..=60).contains(&words(line)) && std::str::from_utf8(line).is_ok();
    let mut seen = HashSet::new();
    let mut random = examinee.random(purpose);
    let mut chosen: Vec<Vec<u8>> = Vec::new();
    let spare: Vec<Vec<u8>> = split_lines(SPARE.as_bytes()).map(<[u8]>::to_vec).collect();
    for source in [&examinee.test_set.source, &spare] {
        let mut lines: Vec<_> = source.iter().filter(|line| is_ordinary(line)).cloned().collect();
        random.shuffle(&mut lines);
        chosen.extend(lines.into_iter().filter(|line| seen.insert(line.clone())));
        if chosen.len() >= count {
            break;
        }
    }
    chosen.truncate(count);
    chosen
}

/// Pairs of an ordinary line of the test set and its copy with one content word exchanged for another of the
/// same length, so that both take the same work. Lines without such a word are left out.
pub fn with_copies(examinee: &Examinee<'_>, count: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut random = examinee.random("copies");
    let own: HashSet<&Vec<u8>> = examinee.test_set.source.iter().collect();
    let lines: Vec<_> =
        ordinary(examinee, usize::MAX, "recognition").into_iter().filter(|line| own.contains(line)).collect();
    let vocabulary: Vec<String> = lines.iter().flat_map(|line| content_words(line)).collect();
    let pairs = lines.iter().filter_map(|line| Some((line.clone(), copy(line, &vocabulary, &mut random)?)));
    pairs.filter(|(_, copy)| !own.contains(copy)).take(count).collect()
}

/// Longer lower-case words carry the content in the languages that have them.
fn content_words(line: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(line);
    let is_content = |word: &&str| word.chars().count() >= 4 && word.chars().all(char::is_lowercase);
    text.split_whitespace().filter(is_content).map(str::to_owned).collect()
}

fn copy(line: &[u8], vocabulary: &[String], random: &mut Random) -> Option<Vec<u8>> {
    let own = content_words(line);
    let old = own.iter().max_by_key(|word| word.chars().count())?;
    let length = old.chars().count();
    let fits = |word: &&String| word.chars().count() == length && !own.contains(word);
    let candidates: Vec<&String> = vocabulary.iter().filter(fits).collect();
    let new = candidates.get(random.below(candidates.len().max(1)))?;
    let text = String::from_utf8_lossy(line);
    let exchanged: Vec<&str> =
        text.split(' ').map(|word| if word == old { new.as_str() } else { word }).collect();
    Some(exchanged.join(" ").into_bytes())
}

/// Lines of 40 to 150 words, made of ordinary ones, for systems that give up on long lines.
pub fn long(examinee: &Examinee<'_>) -> Vec<Vec<u8>> {
    let lines = ordinary(examinee, 400, "long");
    let mut next = lines.iter().cycle();
    let mut of_words = |most: usize| {
        let mut line: Vec<u8> = Vec::new();
        for more in next.by_ref() {
            let longer = if line.is_empty() { more.clone() } else { [line.as_slice(), b" ", more].concat() };
            if words(&longer) > most {
                break;
            }
            line = longer;
        }
        line
    };
    [60, 60, 80, 80, 100, 100, 120, 120, 150, 150].into_iter().map(&mut of_words).collect()
}
