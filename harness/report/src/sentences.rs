//! Sentences written from the data. Each sentence claims only what the intervals support.

use dyno_results::contest::{Contest, Contestant};
use dyno_results::scores::Scale;
use dyno_results::summary::Duel;
use dyno_results::summary::judge::unusable;
use dyno_stats::numbers::{factor, supported};
use dyno_stats::{Estimate, Order, Standing};

/// A text with a capital at its start.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A list of names: "a", "a and b", "a, b and c", "a, b, c and 4 more".
pub fn list(names: &[String]) -> String {
    match names {
        [] => "none".into(),
        [one] => one.clone(),
        [first @ .., last] if names.len() <= 4 => format!("{} and {last}", first.join(", ")),
        [a, b, c, rest @ ..] => format!("{a}, {b}, {c} and {} more", rest.len()),
        _ => names.join(" and "),
    }
}

/// Characters of a long text that are shown.
const SHOWN: usize = 120;

/// Beginning of a long text.
pub fn beginning(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text.into(),
    }
}

/// Quality with half of its interval: "BLEU 36.1 ±1.9".
pub fn quality(scale: &Scale, quality: &Estimate) -> String {
    scale.titled(quality.value, Some((quality.high - quality.low) / 2.0))
}

/// A gain below this factor is given in per cent, and is too small to give up quality for.
const WORTH: f64 = 1.2;

/// The sentence for a test set without a contest. Costs are those of `Cost`: a short set in the latency tracks
/// alone has none.
pub const NO_CONTEST: &str = "No valid cell has both a quality and a cost (the speed of a throughput track or of the \
                              server, or a latency track's p95 over enough lines), so there is no frontier to \
                              choose from.";

/// The sentence for a contest in which no system may stand on the frontier.
const NO_CONTESTANT: &str = "No system may stand on the frontier: each is NOISY, or has BLEU 0. Where the host disturbed \
                             the rounds, measure again on a quieter one; dyno doctor names what disturbs.";

/// Writer of the sentences on one contest.
pub struct Writer<'a> {
    pub contest: &'a Contest<'a>,
    /// Name of a system by its index.
    pub name: &'a dyn Fn(usize) -> String,
}

impl Writer<'_> {
    fn name(&self, one: &Contestant) -> String {
        (self.name)(one.system)
    }

    fn quality(&self, one: &Contestant) -> String {
        quality(&self.contest.scale, &one.quality)
    }

    /// The gain in cost, as the end of a sentence.
    fn times(&self, gain: &Duel) -> String {
        let (noun, ratio) = (self.contest.cost.words().noun, &gain.ratio);
        let (more, less) = ((ratio.value - 1.0) * 100.0, (1.0 - 1.0 / ratio.value) * 100.0);
        let shorter = self.contest.cost.less_is_better();
        match () {
            () if gain.order == Order::Unclear => format!("at about the same {noun}"),
            () if shorter && ratio.value < 1.0 => {
                format!("with {} times the {noun}", factor(&Estimate::exactly(1.0).over(ratio)))
            }
            () if shorter && ratio.value < WORTH => format!("with {noun} shorter by {less:.0} %"),
            () if shorter => format!("with {noun} {} times shorter", factor(ratio)),
            () if (1.0..WORTH).contains(&ratio.value) => format!("at {more:.0} % more {noun}"),
            () => format!("at {} times the {noun}", factor(ratio)),
        }
    }

    /// The next system on the frontier whose gain in cost is worth naming, else the next on the frontier.
    fn alternative(&self, pick: &Contestant) -> Option<&Contestant> {
        let others = || self.contest.frontier().filter(|other| other.system != pick.system);
        others().find(|other| self.contest.gain(pick, other).ratio.low >= WORTH).or_else(|| others().next())
    }

    /// Title of a chart of quality against cost: its finding.
    pub fn finding(&self) -> String {
        let (contest, noun) = (self.contest, self.contest.cost.words().noun);
        let (Some(best), Some(pick)) = (contest.contestants.first(), contest.pick()) else {
            return format!("No system may stand on the frontier of quality and {noun}");
        };
        let name = self.name(pick);
        if contest.contestants.len() == 1 {
            return format!("{name} is the only system with both figures: {}", self.quality(pick));
        }
        if pick.system != best.system {
            let (rival, times) = (self.name(best), self.times(&contest.gain(best, pick)));
            return match contest.quality_order(pick, best) {
                Order::Equal => format!("{name} gives {rival}'s very translations {times}"),
                _ => format!("{name} can't be told from {rival} in quality, {times}"),
            };
        }
        match self.alternative(pick) {
            Some(next) => self.trade(pick, next),
            None => self.sole_leader(pick),
        }
    }

    fn trade(&self, pick: &Contestant, next: &Contestant) -> String {
        let times = self.times(&self.contest.gain(pick, next));
        let (one, other) = (self.name(next), self.name(pick));
        if self.contest.as_good(next, pick) {
            return format!("{one} can't be told from {other} in quality, {times}");
        }
        let scale = &self.contest.scale;
        let lost = scale.text((pick.quality.value - next.quality.value).abs(), None);
        format!("{one} gives up {lost} {} against {other}, {times}", scale.title)
    }

    fn sole_leader(&self, pick: &Contestant) -> String {
        let sure = |one: &Contestant| one.system == pick.system || one.standing == Standing::Off;
        let hedge =
            if self.contest.contestants.iter().all(sure) { "" } else { ", as far as the intervals tell," };
        let noun = self.contest.cost.words().noun;
        format!("{} leads{hedge} in quality and in {noun} alike", self.name(pick))
    }

    /// Summary of the contest: the system to take, and the cheaper one for less quality.
    pub fn verdict(&self) -> Vec<String> {
        let Some(pick) = self.contest.pick() else {
            return vec![NO_CONTESTANT.into()];
        };
        if let Some(unusable) = self.unusable() {
            return vec![unusable];
        }
        let others = [self.rivals(pick), self.cheaper(pick), self.probably(pick)];
        [self.take(pick)].into_iter().chain(others.into_iter().flatten()).collect()
    }

    /// The advice, with the figures behind it.
    pub fn take(&self, pick: &Contestant) -> String {
        format!("Take {}: {}, {}.", self.name(pick), self.quality(pick), self.cost_of(pick))
    }

    /// The only sentence where no system is usable: speed without quality is no ground to choose by.
    fn unusable(&self) -> Option<String> {
        let best = self.contest.contestants.first()?.quality.value;
        let unusable = unusable(&self.contest.scale, best)?;
        Some(format!("Take none: {unusable}; compare speeds alone.{}", self.left_out()))
    }

    /// The systems that are INVALID, and so stand in no order: one of them may be the better translator.
    fn left_out(&self) -> String {
        let names: Vec<String> = self.contest.invalid.iter().copied().map(self.name).collect();
        match names.as_slice() {
            [] => String::new(),
            [one] => format!(" {one} is INVALID and isn't among these."),
            several => format!(" {} are INVALID and aren't among these.", list(several)),
        }
    }

    fn cost_of(&self, one: &Contestant) -> String {
        self.contest.cost.told(&supported(&one.cost))
    }

    fn rivals(&self, pick: &Contestant) -> Option<String> {
        let rivals = |one: &&Contestant| one.system != pick.system && self.contest.as_good(one, pick);
        let rivals = self.contest.contestants.iter().filter(rivals);
        let (dearer, tied): (Vec<_>, Vec<_>) =
            rivals.partition(|one| self.contest.gain(one, pick).order == Order::Better);
        let names = |of: &[&Contestant]| list(&of.iter().map(|one| self.name(one)).collect::<Vec<_>>());
        let noun = self.contest.cost.words().noun;
        match (&tied[..], &dearer[..]) {
            ([], []) => None,
            ([], dearer) => Some(format!(
                "{} can't be told from it in quality; {} costs least of them.",
                names(dearer),
                self.name(pick)
            )),
            (tied, []) => Some(self.tie(pick, tied, noun)),
            (tied, dearer) => Some(format!(
                "{} {} can't be told from it in quality, and cost more.",
                self.tie(pick, tied, noun),
                names(dearer)
            )),
        }
    }

    /// The sentence on systems that are tied with `pick` in quality and in cost, and why it is named.
    fn tie(&self, pick: &Contestant, tied: &[&Contestant], noun: &str) -> String {
        let names = list(&tied.iter().map(|one| self.name(one)).collect::<Vec<_>>());
        let gain = |one: &Contestant| self.contest.scale.gain(one.quality.value);
        let leads = tied.iter().all(|one| gain(pick) >= gain(one));
        let why = if leads { "its figures are the better ones in both" } else { "it has the better cost" };
        format!("{names} can't be told from it in quality or in {noun}; {why}.")
    }

    fn cheaper(&self, pick: &Contestant) -> Option<String> {
        let next = self.alternative(pick).filter(|one| self.is_cheaper(pick, one))?;
        Some(self.enough(pick, next))
    }

    /// The best system on the frontier that is worth giving up quality for.
    pub fn bargain(&self, pick: &Contestant) -> Option<String> {
        let worth =
            |one: &&Contestant| self.is_cheaper(pick, one) && self.contest.gain(pick, one).ratio.low >= WORTH;
        Some(self.enough(pick, self.contest.frontier().find(worth)?))
    }

    /// Whether `one` surely gives less quality than `pick`, for surely less cost.
    fn is_cheaper(&self, pick: &Contestant, one: &Contestant) -> bool {
        self.contest.quality_order(pick, one) == Order::Better
            && self.contest.gain(pick, one).order == Order::Better
    }

    fn enough(&self, pick: &Contestant, next: &Contestant) -> String {
        let times = self.times(&self.contest.gain(pick, next));
        format!("Where {} is enough, take {}, {times}.", self.quality(next), self.name(next))
    }

    /// Systems that the intervals don't keep off the frontier, the best quality first.
    pub fn probably(&self, pick: &Contestant) -> Option<String> {
        let probable = |one: &&Contestant| one.standing == Standing::Probably && one.system != pick.system;
        let names: Vec<String> =
            self.contest.contestants.iter().filter(probable).map(|one| self.name(one)).collect();
        (!names.is_empty()).then(|| format!("Probably also on the frontier: {}.", list(&names)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        assert_eq!(beginning("short"), "short");
        let cut = beginning(&"ä".repeat(SHOWN + 1));
        assert_eq!(cut.chars().filter(|&letter| letter == 'ä').count(), SHOWN);
        assert!(cut.ends_with(" …"));
    }
}
