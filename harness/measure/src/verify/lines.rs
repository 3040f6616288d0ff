//! Lines that the probes ask: odd lines that every system must answer, ordinary lines of the test set, long
//! lines.

use itertools::Itertools;

use super::examinee::Examinee;
use crate::text::{ordinary_of, split_lines, words};

/// Lines of the project's own, for test sets that are too small for a probe: the first 500 of captions-en-de. They lie
/// in the crate, so that it packages alone.
const SPARE: &str = include_str!("spare.txt");

/// Words of the over-long line. Together they exceed any usual buffer for one line (8 KiB).
const OVERLONG_WORDS: usize = 100;
/// Place of the over-long line among the odd lines.
pub(super) const OVERLONG: usize = 15;

/// Odd lines, such as people's texts contain, each with its kind. A system must answer each with exactly one line. The
/// content is judged only for valid lines.
pub fn odd() -> Vec<(&'static str, Vec<u8>)> {
    let words = |count: usize| {
        ["the", "small", "dog", "runs", "over", "a", "green", "hill"].repeat(count / 8 + 1)[..count].join(" ")
    };
    let long_word =
        "Rindfleischetikettierungsueberwachungsaufgabenuebertragungsgesetz-Beauftragter".repeat(2);
    let marks = "Cafe\u{301} re\u{301}sume\u{301}, n\u{303} and o\u{308}\u{323}.";
    let separators = "One\u{2028}two\u{2029}three\u{85}four\u{b}five\u{c}six."; // they end no line
    let emoji =
        "A smile \u{1f600}, a family \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}, a flag \u{1f1e9}\u{1f1ea}.";
    let right_to_left = "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{5e2}\u{5d5}\u{5dc}\u{5dd} \u{202b}\u{627}\u{644}\u{633}\u{644}\u{627}\u{645}\u{202c}";
    let order_mark = "\u{feff}A mark at the start, \u{ff21}\u{ff22} full width, \u{4f60}\u{597d}.";
    let markup =
        "<b>5 &lt; 6</b> ||| 100 % of {x} costs $1,000.00 \\ \"so\" 'to' speak -- @-@ http://a.b/c?d=e";
    let broken = b"A broken \xff\xfe byte, an overlong \xc0\xaf slash, half a \xe2\x82 sign.";
    vec![
        ("an empty line", "".into()),
        ("one word", "Yes.".into()),
        ("spaces alone", "   ".into()),
        ("tabs", "A man\tand\t\ta dog.".into()),
        ("a carriage return at the end", "A line from elsewhere.\r".into()),
        ("combining marks", marks.into()),
        ("Unicode's line separators", separators.into()),
        ("emoji", emoji.into()),
        ("right-to-left text", right_to_left.into()),
        ("a byte order mark", order_mark.into()),
        ("control characters alone", "\u{1}\u{2}\u{7}\u{1b}\u{7f}".into()),
        ("markup and punctuation", markup.into()),
        ("a line like an option", "-n".into()),
        ("rare code points", "\u{10348}\u{fffd}\u{fffe}".into()),
        ("150 words", words(150).into()),
        ("an over-long line", [long_word.as_str()].repeat(OVERLONG_WORDS).join(" ").into()),
        ("invalid UTF-8", broken.into()),
        (
            "UTF-8 cut in a letter, at which a shell's `read` needs LC_ALL=C",
            b"Cut in a letter: caf\xc3".into(),
        ),
        ("an ordinary line", "An ordinary line at the end.".into()),
    ]
}

/// Up to `count` distinct ordinary lines in random order: lines of the test set, then the project's own if
/// the set has too few.
pub fn ordinary(examinee: &Examinee<'_>, count: usize, purpose: &str) -> Vec<Vec<u8>> {
    let mut random = examinee.random(purpose);
    let mut chosen = ordinary_of(&examinee.test_set.source, &mut random);
    if chosen.len() < count {
        let spare: Vec<Vec<u8>> = split_lines(SPARE.as_bytes()).map(<[u8]>::to_vec).collect();
        chosen.extend(ordinary_of(&spare, &mut random));
    }
    chosen.into_iter().unique().take(count).collect()
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
    [60, 150, 100, 80, 120, 60, 150, 100, 80, 120].into_iter().map(&mut of_words).collect()
}
