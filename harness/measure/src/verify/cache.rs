//! Cache: in lock-step, in one process, fresh lines in pairs with lines that were answered at least 50 lines ago.

use super::examinee::Examinee;
use super::finding::Heard;
use super::lines;
use super::sameness::Comparison;
use super::timing::{CACHE_APART, CACHE_PAIRS, Sample, cached};
use crate::error::Result;
use crate::process::lockstep::Lockstep;
use crate::rules::Track;
use crate::text::words;
use dyno_stats::Random;

pub(super) fn ask(examinee: &Examinee<'_>) -> Result<Heard> {
    if !examinee.answers_lines() {
        return Ok(Heard::note("the latency track is not asked about"));
    }
    let fresh = lines::ordinary(examinee, CACHE_APART + 2 * CACHE_PAIRS, "cache");
    let pairs = examinee.affordable_pairs(&fresh, CACHE_PAIRS)?;
    let plan = Plan::of(&fresh, pairs, &mut examinee.random("the order in pairs"));
    let asked: Vec<_> = plan.asked.iter().map(|&line| fresh[line].clone()).collect();
    let told = examinee.ask(&asked)?;
    if !told.reasons.is_empty() {
        return Ok(Heard::failed(Track::Latency, told.reasons));
    }
    let changed = Comparison::of(&answers(&told, &plan.firsts), &answers(&told, &plan.repeats)).changed();
    let sample = |&at: &usize| Sample { units: words(&asked[at]), ns: told.latency_ns[at] };
    let side = |places: &[usize]| places.iter().map(sample).collect::<Vec<_>>();
    let judged = cached(&side(&plan.fresh), &side(&plan.repeats));
    let mut heard = Heard { undecided: judged.undecided, ..Heard::note(judged.figure) };
    heard.add(Track::Latency, judged.reason);
    heard.add(Track::Latency, changed.filter(|_| !examinee.system.sampling));
    Ok(heard)
}

fn answers(told: &Lockstep, places: &[usize]) -> Vec<Vec<u8>> {
    places.iter().map(|&at| told.answers[at].clone()).collect()
}

/// What is asked when.
struct Plan {
    /// A line's number for each question.
    asked: Vec<usize>,
    /// Places of fresh lines that count.
    fresh: Vec<usize>,
    /// Places of repeats, one for each of those.
    repeats: Vec<usize>,
    /// Places where the repeats' lines stood first.
    firsts: Vec<usize>,
}

impl Plan {
    /// First lines that are fresh and don't count, as stock for repeats; then pairs of a fresh one and a repeat, the
    /// repeat being of the stock's line whose length is nearest to the fresh one's. Chance says which comes first: what is
    /// slow every few lines, whatever they say, is so on either side.
    fn of(lines: &[Vec<u8>], pairs: usize, random: &mut Random) -> Self {
        let lengths: Vec<usize> = lines.iter().map(|line| words(line)).collect();
        let mut plan = Self { asked: Vec::new(), fresh: Vec::new(), repeats: Vec::new(), firsts: Vec::new() };
        let mut unrepeated: Vec<usize> = Vec::new();
        for line in 0..lines.len() {
            plan.asked.push(line);
            unrepeated.push(line);
            // Asked at least CACHE_APART questions before the pair: fewer lines than questions lie between.
            let place = plan.asked.len() - 1;
            let old = |stock: &usize| {
                plan.asked.iter().position(|l| l == stock).is_some_and(|at| at + CACHE_APART <= place)
            };
            let nearest =
                unrepeated.iter().copied().filter(old).min_by_key(|&l| lengths[l].abs_diff(lengths[line]));
            let stock = CACHE_APART + pairs.min(CACHE_APART);
            let Some(repeat) = nearest.filter(|_| line >= stock) else { continue };
            unrepeated.retain(|&stock| stock != repeat);
            plan.firsts.extend(plan.asked.iter().position(|&l| l == repeat));
            let repeat_comes_second = random.below(2);
            plan.fresh.push(place + 1 - repeat_comes_second);
            plan.repeats.push(place + repeat_comes_second);
            plan.asked.insert(place + repeat_comes_second, repeat);
            if plan.repeats.len() == pairs {
                break;
            }
        }
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_come_late_once_and_match_in_length() {
        let lines: Vec<Vec<u8>> = (0..250).map(|i| "word ".repeat(3 + i * 7 % 20).into_bytes()).collect();
        let mut random = Random::new(1, "pairs");
        let few = Plan::of(&lines, 24, &mut random);
        assert_eq!((few.repeats.len(), few.asked.len()), (24, CACHE_APART + 24 + 2 * 24));
        let plan = Plan::of(&lines, CACHE_PAIRS, &mut random);
        assert_eq!((plan.fresh.len(), plan.repeats.len()), (CACHE_PAIRS, CACHE_PAIRS));
        let mut seen = std::collections::HashSet::new();
        for (&fresh, &repeat) in plan.fresh.iter().zip(&plan.repeats) {
            let line = plan.asked[repeat];
            let first = plan.asked.iter().position(|&l| l == line).unwrap();
            assert!(repeat - first >= CACHE_APART, "{repeat} {first}");
            assert!(seen.insert(line), "a line is repeated once");
            let length = |place: usize| words(&lines[plan.asked[place]]);
            assert!(length(fresh).abs_diff(length(repeat)) <= 4, "{} {}", length(fresh), length(repeat));
            assert_eq!(
                plan.asked.iter().position(|&l| l == plan.asked[fresh]),
                Some(fresh),
                "fresh is fresh"
            );
        }
        let first = plan.fresh.iter().zip(&plan.repeats).filter(|(fresh, repeat)| fresh < repeat).count();
        assert!((25..=75).contains(&first), "either comes first: {first}");
    }
}
