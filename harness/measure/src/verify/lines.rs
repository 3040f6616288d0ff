//! The lines that probes ask: the odd ones that every system must answer, ordinary ones of the test set, and
//! copies of those with one word exchanged.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::examinee::Examinee;
use crate::text::{split_lines, words};
use dyno_stats::Random;

/// Where a test set is too small for a probe, these help out: lines of our own.
const SPARE: &str = include_str!("../../../../testsets/captions-en-de/source.en");

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
    let mut random = examinee.random(purpose);
    let mut chosen = ordinary_of(&examinee.test_set.source, &mut random);
    if chosen.len() < count {
        let spare: Vec<Vec<u8>> = split_lines(SPARE.as_bytes()).map(<[u8]>::to_vec).collect();
        let known: HashSet<Vec<u8>> = chosen.iter().cloned().collect();
        chosen.extend(ordinary_of(&spare, &mut random).into_iter().filter(|line| !known.contains(line)));
    }
    chosen.truncate(count);
    chosen
}

/// The distinct ordinary lines of `source` in random order.
fn ordinary_of(source: &[Vec<u8>], random: &mut Random) -> Vec<Vec<u8>> {
    let is_ordinary = |line: &Vec<u8>| (3..=60).contains(&words(line)) && std::str::from_utf8(line).is_ok();
    let mut lines: Vec<_> = source.iter().filter(|line| is_ordinary(line)).cloned().collect();
    random.shuffle(&mut lines);
    let mut seen = HashSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    lines
}

/// Words that are exchanged in every other copy, where a line has so many. More would make nonsense, over which a
/// translator may honestly take longer.
const SEVERAL: usize = 2;

/// Ordinary lines of the test set that have a content word to exchange for another one of the same length, so that a
/// copy takes the same work.
pub struct Changeable {
    /// As they stand in the set.
    pub lines: Vec<Vec<u8>>,
    /// The set's content words by their characters, each as often as it stands there.
    vocabulary: HashMap<usize, Vec<String>>,
    /// What a system may know: the set, and every copy so far.
    known: HashSet<Vec<u8>>,
    random: Random,
}

impl Changeable {
    /// Up to `count` lines of `source`, in random order.
    pub fn of(source: &[Vec<u8>], count: usize, mut random: Random) -> Self {
        let known: HashSet<Vec<u8>> = source.iter().cloned().collect();
        let lines = ordinary_of(source, &mut random);
        let mut vocabulary: HashMap<usize, Vec<String>> = HashMap::new();
        for word in lines.iter().flat_map(|line| content_words(line)) {
            vocabulary.entry(word.chars().count()).or_default().push(word);
        }
        let mut changeable = Self { lines: Vec::new(), vocabulary, known, random };
        let has_copy = |line: &Vec<u8>| {
            changeable.copy(line, 1).is_some_and(|copy| !changeable.known.contains(&copy.line))
        };
        changeable.lines = lines.into_iter().filter(has_copy).take(count).collect();
        changeable
    }

    /// A copy of each of `lines`; never the same again, as long as there are words enough. Every other one has several
    /// words exchanged: who knows sentences but for a word doesn't know those. A line without such words stays.
    pub fn copies(&mut self, lines: &[Vec<u8>]) -> Vec<AlteredLine> {
        let turn = |(at, line): (usize, &Vec<u8>)| {
            let most = if at % 2 == 0 { 1 } else { SEVERAL };
            self.copy(line, most).unwrap_or_else(|| AlteredLine { line: line.clone(), exchanged: 0 })
        };
        let copies: Vec<AlteredLine> = lines.iter().enumerate().map(turn).collect();
        self.known.extend(copies.iter().map(|copy| copy.line.clone()));
        copies
    }

    /// With up to `most` of its words exchanged: the longest, and others before it, which leave it the choice of a copy
    /// that nobody knows.
    fn copy(&mut self, line: &[u8], most: usize) -> Option<AlteredLine> {
        let mut own = content_words(line);
        own.sort_by_key(|word| Reverse(word.chars().count()));
        own.dedup();
        let (longest, further) = own.split_first()?;
        let mut text = String::from_utf8_lossy(line).into_owned();
        let mut exchanged = 1;
        for old in further {
            if exchanged == most {
                break;
            }
            if let Some(new) = others(&self.vocabulary, &mut self.random, old, &own).next() {
                text = exchange(&text, old, new);
                exchanged += 1;
            }
        }
        let Self { vocabulary, known, random, .. } = self;
        let mut lines =
            others(vocabulary, random, longest, &own).map(|new| exchange(&text, longest, new).into_bytes());
        let first = lines.next()?;
        let is_new = |line: &Vec<u8>| !known.contains(line);
        let line = if is_new(&first) { first } else { lines.find(is_new).unwrap_or(first) };
        Some(AlteredLine { line, exchanged })
    }
}

/// Words as long as `old` that aren't among `own`, from one drawn at random onwards.
fn others<'a>(
    vocabulary: &'a HashMap<usize, Vec<String>>,
    random: &mut Random,
    old: &str,
    own: &'a [String],
) -> impl Iterator<Item = &'a String> {
    let words = vocabulary.get(&old.chars().count()).map_or(&[][..], Vec::as_slice);
    let (before, after) = words.split_at(random.below(words.len().max(1)).min(words.len()));
    after.iter().chain(before).filter(|word| !own.contains(word))
}

/// A line that no set holds.
pub struct AlteredLine {
    /// Itself.
    pub line: Vec<u8>,
    /// How many of its words are others than its original's.
    pub exchanged: usize,
}

fn exchange(text: &str, old: &str, new: &str) -> String {
    text.split(' ').map(|word| if word == old { new } else { word }).collect::<Vec<_>>().join(" ")
}

/// Longer lower-case words carry the content in the languages that have them.
fn content_words(line: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(line);
    let is_content = |word: &&str| word.chars().count() >= 4 && word.chars().all(char::is_lowercase);
    text.split_whitespace().filter(is_content).map(str::to_owned).collect()
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
