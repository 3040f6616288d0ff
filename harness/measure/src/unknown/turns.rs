//! Launches in turns: over one line, over a suspected file, over another file, in an order that is drawn for
//! each turn. Whatever other programs do to the host, they do to the three alike.

use dyno_stats::{Random, quantile, sorted};

use crate::judge::Sample;
use crate::judge::launches::Turn;
use crate::process::failed::Asked;
use crate::process::whole_file::Pass;
use crate::{split_lines, words};

/// How a system is launched over lines.
pub type Launch<'a> = dyn FnMut(&[Vec<u8>]) -> Asked<Pass> + 'a;

/// One turn over these texts.
pub fn turn(texts: [&[Vec<u8>]; 3], random: &mut Random, launch: &mut Launch<'_>) -> Asked<Turn> {
    let mut passes = [const { None }; 3];
    for kind in random.permutation(texts.len()) {
        passes[kind] = Some(launch(texts[kind])?);
    }
    let passes = passes.map(Option::unwrap_or_default);
    let [one_line, suspect, other] = passes.each_ref().map(Sample::of_launch);
    let longer = longer([1, 2].map(|kind| lengths(texts[kind], &passes[kind])));
    let [suspect, other] = Sample::of_like_lengths([suspect, other], longer);
    Ok([one_line, suspect, other])
}

/// Words of each answer for a word of its line, in ascending order.
fn lengths(lines: &[Vec<u8>], pass: &Pass) -> Vec<f64> {
    let length = |(line, answer): (&Vec<u8>, &[u8])| words(answer).max(1) as f64 / words(line).max(1) as f64;
    sorted(&lines.iter().zip(split_lines(&pass.text)).map(length).collect::<Vec<_>>())
}

/// How many times as long the answers of the other file are as a rule: its shorter ones (the first quartile) beside the
/// suspected file's longer ones (the third). Medians would jump where a poor model's answers are either cut or loops.
fn longer([suspect, other]: [Vec<f64>; 2]) -> f64 {
    let beyond = |above: &[f64], below: &[f64]| {
        let quartiles = quantile(above, 0.25).zip(quantile(below, 0.75));
        quartiles.map_or(1.0, |(shorter, longer)| (shorter / longer).max(1.0))
    };
    beyond(&other, &suspect) / beyond(&suspect, &other)
}

#[cfg(test)]
mod tests {
    use dyno_record::Usage;
    use dyno_record::rules::limits::{COALESCED_RATIO, RECOGNISED_RATIO};

    use super::*;
    use crate::judge::launches::{ACCUSING_TURNS, Standing, standing};
    use crate::process::ending::Ending;

    /// Answer to a line as so many repeats of it, and the words that it takes the time of.
    type Said = (usize, usize);

    /// Standing after turns over twelve lines of the set and twelve fresh ones. A word takes 10 ms.
    fn judged(set: impl Fn(usize) -> Said, fresh: impl Fn(usize) -> Said, limit: f64) -> Standing {
        let of = |word: &str| -> Vec<Vec<u8>> {
            (0..12).map(|i| format!("{word} ").repeat(10 + i % 3).into_bytes()).collect()
        };
        let texts = ["one", "set", "fresh"].map(of);
        let launch = &mut |lines: &[Vec<u8>]| {
            let said = lines.iter().enumerate().map(|(i, line)| match line[0] {
                b's' => (line, set(i)),
                b'f' => (line, fresh(i)),
                _ => (line, (1, 0)),
            });
            let said: Vec<(&Vec<u8>, Said)> = said.collect();
            let text: Vec<Vec<u8>> = said.iter().map(|(line, (times, _))| line.repeat(*times)).collect();
            let ended_ns = 10_000_000 * said.iter().map(|(_, (_, worked))| *worked as u64).sum::<u64>();
            let usage = Usage { ended_ns, ..Usage::default() };
            let ending = Ending { usage, ..Ending::default() };
            Ok(Pass { text: crate::as_text(&text), ending, ..Pass::default() })
        };
        let texts = [&texts[0][..1], &texts[1], &texts[2]];
        let mut random = Random::new(1, "turns");
        let turns: Vec<Turn> =
            (0..ACCUSING_TURNS).map(|_| turn(texts, &mut random, launch).expect("it answers")).collect();
        standing(&turns, limit)
    }

    #[test]
    fn fresh_lines_that_are_said_many_times_hide_no_table() {
        for limit in [RECOGNISED_RATIO, COALESCED_RATIO] {
            assert_eq!(judged(|_| (1, 1), |_| (10, 10), limit), Standing::Accused);
        }
    }

    #[test]
    fn longer_answers_that_take_longer_clear_an_honest_system() {
        let ten = |_| (10, 100);
        let longer = |_| (13, 130);
        let runaway = |line: usize| if line.is_multiple_of(6) { (200, 2000) } else { (10, 100) };
        let cut_or_loop = |odd: usize| move |line| if line % 2 == odd { (1, 10) } else { (40, 400) };
        assert_eq!(judged(ten, longer, RECOGNISED_RATIO), Standing::Cleared);
        assert_eq!(judged(ten, runaway, RECOGNISED_RATIO), Standing::Cleared, "two of twelve run away");
        assert_eq!(judged(cut_or_loop(0), cut_or_loop(1), RECOGNISED_RATIO), Standing::Cleared);
    }
}
