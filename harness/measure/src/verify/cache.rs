//! The cache probe: whether the system answers repeated lines faster than fresh ones.
//!
//! One process gets pairs of lines in lock-step: a fresh line, and a line that it answered at least 50 lines
//! before. The words of the fresh line were asked before as well, in lines made of halves. A memory of words, such
//! as that of a tokeniser, thereby saves as much on either side.

use super::examinee::NO_LINE_TRACK;
use super::lines;
use super::{Examinee, ProbeOutcome};
use crate::judge::Sample;
use crate::judge::answers::Comparison;
use crate::judge::lines::{Pair, cached};
use crate::process::failed::Asked;
use crate::text::recombined;
use crate::{Result, words};
use dyno_record::Track;
use dyno_stats::Random;
use itertools::Itertools;

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
    let asked = questions(&lines[..2 * pairs], &mut examinee.random("the order in pairs"));
    let texts: Vec<Vec<u8>> = asked.iter().map(|(_, line)| line.clone()).collect();
    let (answers, times) = examinee.ask_timed(track, &texts)?;
    let given = |role| places(&asked, role).map(|at| answers[at].clone()).collect::<Vec<_>>();
    let lines: Vec<Vec<u8>> = places(&asked, Role::First).map(|at| texts[at].clone()).collect();
    let changed = Comparison::of(&lines, &given(Role::First), &given(Role::Repeat)).changed();
    outcome.judge(track, cached(&timed_pairs(&asked, &times)));
    outcome.add(track, changed.filter(|_| !examinee.system.sampling));
    Ok(())
}

/// A line to ask, and its role.
type Question = (Role, Vec<u8>);

/// What a line is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It has words of a fresh line, which comes later.
    Words,
    /// It comes again later.
    First,
    Fresh,
    Repeat,
}

/// Pairs of lines that are neighbours by length; chance decides which of the two is the fresh one. In each stretch come
/// first the lines to repeat and those with the words of the fresh lines, then the pairs in the same order. The order
/// of two neighbours is random. A system that is slow every few lines is slow on both sides alike.
fn questions(lines: &[Vec<u8>], random: &mut Random) -> Vec<Question> {
    let neighbours = lines.iter().sorted_by_key(|line| words(line)).cloned().tuples();
    let mut pairs = neighbours.map(|(one, next)| in_random_order([one, next], random)).collect_vec();
    random.shuffle(&mut pairs);
    let mut asked = Vec::new();
    for stretch in pairs.chunks(STRETCH) {
        let fresh: Vec<Vec<u8>> = stretch.iter().map(|[fresh, _]| fresh.clone()).collect();
        for (words, [_, repeated]) in recombined(&fresh, 1).into_iter().zip(stretch) {
            asked.extend(in_random_order([(Role::Words, words), (Role::First, repeated.clone())], random));
        }
        for [fresh, repeat] in stretch.iter().cloned() {
            asked.extend(in_random_order([(Role::Fresh, fresh), (Role::Repeat, repeat)], random));
        }
    }
    asked
}

/// Places of the questions of one role, in the order of the pairs.
fn places(asked: &[Question], role: Role) -> impl Iterator<Item = usize> {
    (0..asked.len()).filter(move |&at| asked[at].0 == role)
}

/// Each repeat beside its fresh line, with the words of the line: these are of one length, whatever is answered.
fn timed_pairs(asked: &[Question], times: &[Sample]) -> Vec<Pair> {
    let sample = |at: usize| Sample { words: words(&asked[at].1), ..times[at] };
    let pairs = places(asked, Role::Repeat).zip(places(asked, Role::Fresh));
    pairs.map(|(repeat, fresh)| [sample(repeat), sample(fresh)]).collect()
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
        let asked = questions(&lines, &mut Random::new(1, "pairs"));
        let [fresh, repeats, firsts] =
            [Role::Fresh, Role::Repeat, Role::First].map(|role| places(&asked, role).collect::<Vec<_>>());
        assert_eq!((fresh.len(), repeats.len(), asked.len()), (PAIRS, PAIRS, QUESTIONS * PAIRS));
        let line = |place: usize| &asked[place].1;
        let mut seen = HashSet::new();
        for ((&fresh, &repeat), &first) in fresh.iter().zip(&repeats).zip(&firsts) {
            assert_eq!(line(first), line(repeat));
            assert!(repeat >= first + APART, "{repeat} {first}");
            assert!(seen.insert(line(repeat)), "a line is repeated once");
            let length = |place: usize| words(line(place));
            assert!(length(fresh).abs_diff(length(repeat)) <= 4, "{} {}", length(fresh), length(repeat));
            let first = (0..asked.len()).find(|&place| line(place) == line(fresh));
            assert_eq!(first, Some(fresh), "fresh is fresh");
        }
        let first = fresh.iter().zip(&repeats).filter(|(fresh, repeat)| fresh < repeat).count();
        assert!((25..=79).contains(&first), "either comes first: {first}");
    }

    #[test]
    fn the_words_of_fresh_lines_were_asked_and_their_beginnings_were_not() {
        let asked = questions(&lines(60), &mut Random::new(2, "pairs"));
        let words = |line: &[u8]| line.split(|&byte| byte == b' ').map(<[u8]>::to_vec).collect::<Vec<_>>();
        for fresh in places(&asked, Role::Fresh) {
            let before: Vec<_> = asked[..fresh].iter().map(|(_, line)| words(line)).collect();
            let known: HashSet<&Vec<u8>> = before.iter().flatten().collect();
            let own = words(&asked[fresh].1);
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
        let asked = questions(&lines(2 * PAIRS), &mut Random::new(3, "pairs"));
        let (mut random, mut seen) = (Random::new(4, "noise"), HashSet::new());
        let time = |(at, (_, line)): (usize, &Question)| {
            let (prompt, own) = (if at == 0 { 200 } else { 0 }, words(line));
            let known = !seen.insert(line.clone());
            let read = if known && keeps != Keeps::Prompt { 0 } else { own };
            let written = if known && keeps == Keeps::Answers { 0 } else { own };
            let ns = (prompt + read) * 100_000 + written * 200_000 + 50_000;
            let ns = ns as u64 * (900 + random.below(200) as u64) / 1000;
            Sample { ns, ..Sample::default() }
        };
        let times: Vec<Sample> = asked.iter().enumerate().map(time).collect();
        cached(&timed_pairs(&asked, &times)).reason.map(|reason| reason.code)
    }

    #[test]
    fn a_kept_prompt_is_no_cache_and_kept_lines_and_answers_are() {
        let told = [Keeps::Prompt, Keeps::Lines, Keeps::Answers].map(judged);
        let cached = Some(dyno_record::Code::Cached);
        assert_eq!(told, [None, cached, cached]);
    }
}
