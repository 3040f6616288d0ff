//! The cache probe: whether the system answers repeated lines faster than fresh ones.
//!
//! One process gets pairs of lines in lock-step: a fresh line, and a line that it answered at least 50 lines
//! before. The words of the fresh line were asked before as well, in lines made of halves. A memory of words, such
//! as that of a tokeniser, thereby saves as much on either side.

use super::examinee::{Examinee, NO_LINE_TRACK};
use super::finding::ProbeOutcome;
use super::lines::{self, recombined};
use crate::error::Result;
use crate::judge::Sample;
use crate::judge::answers::Comparison;
use crate::judge::lines::cached;
use crate::process::failed::Asked;
use crate::text::words;
use dyno_record::Track;
use dyno_stats::Random;

/// Number of repeats, each beside a fresh line.
pub const PAIRS: usize = 104;
/// Pairs of a stretch, whose questions are prepared together.
const STRETCH: usize = 26;
/// Questions from a line to its repeat, at least: twice a stretch, less the order within two pairs.
pub const APART: usize = 2 * STRETCH - 1;
/// Questions for each pair: its lines, and one before them for each.
pub const QUESTIONS: usize = 4;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    ProbeOutcome::in_each(examinee.line_tracks(), NO_LINE_TRACK, |track, outcome| {
        in_track(examinee, track, outcome)
    })
}

fn in_track(examinee: &Examinee<'_>, track: Track, outcome: &mut ProbeOutcome) -> Asked<()> {
    let lines = lines::ordinary(examinee, 2 * PAIRS, "cache");
    let pairs = examinee.affordable_pairs(&lines, PAIRS.min(lines.len() / 2))?;
    let order = QuestionOrder::of(&lines[..2 * pairs], &mut examinee.random("the order in pairs"));
    let (answers, times) = examinee.ask_timed(track, &order.asked)?;
    let at = |places: &[usize]| places.iter().map(|&at| answers[at].clone()).collect::<Vec<_>>();
    let changed = Comparison::of(&at(&order.firsts), &at(&order.repeats)).changed();
    // The lines are of one length, whatever is answered.
    let sample = |&at: &usize| Sample { words: words(&order.asked[at]), ..times[at] };
    let side = |places: &[usize]| places.iter().map(sample).collect::<Vec<_>>();
    outcome.judge(track, cached(&side(&order.fresh), &side(&order.repeats)));
    outcome.add(track, changed.filter(|_| !examinee.system.sampling));
    Ok(())
}

/// Order of the questions.
#[derive(Default)]
struct QuestionOrder {
    /// Line that each question asks.
    asked: Vec<Vec<u8>>,
    /// Questions with a fresh line.
    fresh: Vec<usize>,
    /// Questions with a repeated line, one for each fresh line.
    repeats: Vec<usize>,
    /// Questions that asked the repeated lines for the first time.
    firsts: Vec<usize>,
}

impl QuestionOrder {
    /// Pairs of lines that are neighbours by length; chance decides which of the two is the fresh one.
    fn of(lines: &[Vec<u8>], random: &mut Random) -> Self {
        let mut sorted: Vec<&Vec<u8>> = lines.iter().collect();
        sorted.sort_by_key(|line| words(line));
        let mut pairs: Vec<[Vec<u8>; 2]> = sorted
            .chunks_exact(2)
            .map(|pair| in_random_order([pair[0].clone(), pair[1].clone()], random))
            .collect();
        random.shuffle(&mut pairs);
        let mut order = Self::default();
        for stretch in pairs.chunks(STRETCH) {
            order.extend(stretch, random);
        }
        order
    }

    /// First the lines to repeat and those with the words of the fresh lines, then the pairs in the same order. The
    /// order of two neighbours is random. A system that is slow every few lines is slow on both sides alike.
    fn extend(&mut self, pairs: &[[Vec<u8>; 2]], random: &mut Random) {
        let fresh: Vec<Vec<u8>> = pairs.iter().map(|[fresh, _]| fresh.clone()).collect();
        for ([_, repeated], words) in pairs.iter().zip(recombined(&fresh, 1)) {
            let [_, first] = self.ask([words, repeated.clone()], random);
            self.firsts.push(first);
        }
        for pair in pairs {
            let [fresh, repeat] = self.ask(pair.clone(), random);
            self.fresh.push(fresh);
            self.repeats.push(repeat);
        }
    }

    /// Asks two lines in random order, and returns their places.
    fn ask(&mut self, [one, other]: [Vec<u8>; 2], random: &mut Random) -> [usize; 2] {
        let (place, swapped) = (self.asked.len(), random.below(2));
        self.asked.extend(if swapped == 0 { [one, other] } else { [other, one] });
        [place + swapped, place + 1 - swapped]
    }
}

fn in_random_order<T>([a, b]: [T; 2], random: &mut Random) -> [T; 2] {
    if random.below(2) == 0 { [a, b] } else { [b, a] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn lines(count: usize) -> Vec<Vec<u8>> {
        (0..count)
            .map(|i| (0..3 + i * 7 % 20).map(|w| format!("w{i}x{w}")).collect::<Vec<_>>().join(" "))
            .map(String::into_bytes)
            .collect()
    }

    #[test]
    fn repeats_come_late_once_and_match_in_length() {
        let lines = lines(2 * PAIRS);
        let order = QuestionOrder::of(&lines, &mut Random::new(1, "pairs"));
        assert_eq!(
            (order.fresh.len(), order.repeats.len(), order.asked.len()),
            (PAIRS, PAIRS, QUESTIONS * PAIRS)
        );
        let mut seen = HashSet::new();
        for ((&fresh, &repeat), &first) in order.fresh.iter().zip(&order.repeats).zip(&order.firsts) {
            assert_eq!(order.asked[first], order.asked[repeat]);
            assert!(repeat >= first + APART, "{repeat} {first}");
            assert!(seen.insert(&order.asked[repeat]), "a line is repeated once");
            let length = |place: usize| words(&order.asked[place]);
            assert!(length(fresh).abs_diff(length(repeat)) <= 4, "{} {}", length(fresh), length(repeat));
            let first = order.asked.iter().position(|line| *line == order.asked[fresh]);
            assert_eq!(first, Some(fresh), "fresh is fresh");
        }
        let first = order.fresh.iter().zip(&order.repeats).filter(|(fresh, repeat)| fresh < repeat).count();
        assert!((25..=79).contains(&first), "either comes first: {first}");
    }

    #[test]
    fn the_words_of_fresh_lines_were_asked_and_their_beginnings_were_not() {
        let order = QuestionOrder::of(&lines(60), &mut Random::new(2, "pairs"));
        let words = |line: &[u8]| line.split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect::<Vec<_>>();
        for &fresh in &order.fresh {
            let before: Vec<_> = order.asked[..fresh].iter().map(|line| words(line)).collect();
            let known: HashSet<&Vec<u8>> = before.iter().flatten().collect();
            let own = words(&order.asked[fresh]);
            assert!(own.iter().all(|word| known.contains(word)), "a memory of words knows them all");
            assert!(
                before.iter().all(|line| line[0] != own[0]),
                "a memory of beginnings doesn't know the line"
            );
        }
    }

    /// What a language model keeps of a prompt and its lines.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Keeps {
        Prompt,
        Lines,
        Answers,
    }

    /// Judgement of a language model whose constant prompt has as many words as a few lines. Reading a word takes
    /// 100 µs and writing one 200 µs, give or take a tenth.
    fn judged(keeps: Keeps) -> Option<dyno_record::Code> {
        let order = QuestionOrder::of(&lines(2 * PAIRS), &mut Random::new(3, "pairs"));
        let (mut random, mut seen) = (Random::new(4, "noise"), HashSet::new());
        let time = |(at, line): (usize, &Vec<u8>)| {
            let (prompt, own) = (if at == 0 { 200 } else { 0 }, words(line));
            let known = !seen.insert(line.clone());
            let read = if known && keeps != Keeps::Prompt { 0 } else { own };
            let written = if known && keeps == Keeps::Answers { 0 } else { own };
            let ns = (prompt + read) * 100_000 + written * 200_000 + 50_000;
            ns as u64 * (900 + random.below(200) as u64) / 1000
        };
        let times: Vec<u64> = order.asked.iter().enumerate().map(time).collect();
        let sample = |&at: &usize| Sample { words: words(&order.asked[at]), ns: times[at], cpu_ns: 0 };
        let side = |places: &[usize]| places.iter().map(sample).collect::<Vec<_>>();
        cached(&side(&order.fresh), &side(&order.repeats)).reason.map(|reason| reason.code)
    }

    #[test]
    fn a_kept_prompt_is_no_cache_and_kept_lines_and_answers_are() {
        let told = [Keeps::Prompt, Keeps::Lines, Keeps::Answers].map(judged);
        let cached = Some(dyno_record::Code::Cached);
        assert_eq!(told, [None, cached, cached]);
    }
}
