//! The cache probe: whether the system answers repeated lines faster than fresh ones.
//!
//! One process gets pairs of lines in lock-step: a fresh line, and a line that it answered at least 50 lines
//! before.

use super::examinee::{Examinee, NO_LINE_TRACK};
use super::finding::ProbeOutcome;
use super::lines;
use super::sameness::Comparison;
use super::timing::{CACHE_APART, CACHE_PAIRS, Sample, cached};
use crate::error::Result;
use crate::process::lockstep::Lockstep;
use crate::rules::Track;
use crate::text::words;
use dyno_stats::Random;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<ProbeOutcome> {
    ProbeOutcome::in_each(examinee.line_tracks(), NO_LINE_TRACK, |track| in_track(examinee, track))
}

fn in_track(examinee: &Examinee<'_>, track: Track) -> Result<ProbeOutcome> {
    let fresh = lines::ordinary(examinee, CACHE_APART + 2 * CACHE_PAIRS, "cache");
    let pairs = examinee.affordable_pairs(&fresh, CACHE_PAIRS)?;
    let order = QuestionOrder::of(&fresh, pairs, &mut examinee.random("the order in pairs"));
    let asked: Vec<_> = order.asked.iter().map(|&line| fresh[line].clone()).collect();
    let replies = examinee.ask(track, &asked)?;
    if !replies.reasons.is_empty() {
        return Ok(ProbeOutcome::failed(track, replies.reasons));
    }
    let changed =
        Comparison::of(&answers(&replies, &order.firsts), &answers(&replies, &order.repeats)).changed();
    let sample = |&at: &usize| Sample { units: words(&asked[at]), ns: replies.latency_ns[at] };
    let side = |places: &[usize]| places.iter().map(sample).collect::<Vec<_>>();
    let judgement = cached(&side(&order.fresh), &side(&order.repeats));
    let mut outcome = ProbeOutcome { undecided: judgement.undecided, ..ProbeOutcome::note(judgement.figure) };
    outcome.add(track, judgement.reason);
    outcome.add(track, changed.filter(|_| !examinee.system.sampling));
    Ok(outcome)
}

/// Answers at `places`.
fn answers(replies: &Lockstep, places: &[usize]) -> Vec<Vec<u8>> {
    places.iter().map(|&at| replies.answers[at].clone()).collect()
}

/// Order of the questions.
struct QuestionOrder {
    /// Number of the line that each question asks.
    asked: Vec<usize>,
    /// Questions with a fresh line that counts.
    fresh: Vec<usize>,
    /// Questions with a repeated line, one for each fresh line.
    repeats: Vec<usize>,
    /// Questions that asked the repeated lines for the first time.
    firsts: Vec<usize>,
}

impl QuestionOrder {
    /// The order begins with fresh lines that don't count: the stock for repeats. Then come pairs of a fresh
    /// line and a repeat. The repeat is the line of the stock whose length is nearest to the fresh line's.
    /// The order within a pair is random. A system that is slow every few lines is thereby slow on both sides
    /// alike.
    fn of(lines: &[Vec<u8>], pairs: usize, random: &mut Random) -> Self {
        let lengths: Vec<usize> = lines.iter().map(|line| words(line)).collect();
        let mut order =
            Self { asked: Vec::new(), fresh: Vec::new(), repeats: Vec::new(), firsts: Vec::new() };
        let mut stock: Vec<usize> = Vec::new();
        for line in 0..lines.len() {
            order.asked.push(line);
            stock.push(line);
            // The first question of a repeated line lies at least CACHE_APART questions before the pair.
            // Questions count here, not lines, because repeats are questions too.
            let place = order.asked.len() - 1;
            let is_old = |old: &usize| {
                order.asked.iter().position(|l| l == old).is_some_and(|at| at + CACHE_APART <= place)
            };
            let nearest =
                stock.iter().copied().filter(is_old).min_by_key(|&l| lengths[l].abs_diff(lengths[line]));
            let initial_stock = CACHE_APART + pairs.min(CACHE_APART);
            let Some(repeat) = nearest.filter(|_| line >= initial_stock) else { continue };
            stock.retain(|&old| old != repeat);
            order.firsts.extend(order.asked.iter().position(|&l| l == repeat));
            let repeat_comes_second = random.below(2);
            order.fresh.push(place + 1 - repeat_comes_second);
            order.repeats.push(place + repeat_comes_second);
            order.asked.insert(place + repeat_comes_second, repeat);
            if order.repeats.len() == pairs {
                break;
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_come_late_once_and_match_in_length() {
        let lines: Vec<Vec<u8>> = (0..250).map(|i| "word ".repeat(3 + i * 7 % 20).into_bytes()).collect();
        let mut random = Random::new(1, "pairs");
        let few = QuestionOrder::of(&lines, 24, &mut random);
        assert_eq!((few.repeats.len(), few.asked.len()), (24, CACHE_APART + 24 + 2 * 24));
        let order = QuestionOrder::of(&lines, CACHE_PAIRS, &mut random);
        assert_eq!((order.fresh.len(), order.repeats.len()), (CACHE_PAIRS, CACHE_PAIRS));
        let mut seen = std::collections::HashSet::new();
        for (&fresh, &repeat) in order.fresh.iter().zip(&order.repeats) {
            let line = order.asked[repeat];
            let first = order.asked.iter().position(|&l| l == line).unwrap();
            assert!(repeat - first >= CACHE_APART, "{repeat} {first}");
            assert!(seen.insert(line), "a line is repeated once");
            let length = |place: usize| words(&lines[order.asked[place]]);
            assert!(length(fresh).abs_diff(length(repeat)) <= 4, "{} {}", length(fresh), length(repeat));
            assert_eq!(
                order.asked.iter().position(|&l| l == order.asked[fresh]),
                Some(fresh),
                "fresh is fresh"
            );
        }
        let first = order.fresh.iter().zip(&order.repeats).filter(|(fresh, repeat)| fresh < repeat).count();
        assert!((25..=75).contains(&first), "either comes first: {first}");
    }
}
