//! What a round keeps of its runs: an answer to each line, the times of pairs, copies to ask again, and warnings.

use dyno_record::{Code, LatencyLimit, Purpose, Reason, Served, ServedRun};
use dyno_stats::median;
use dyno_stats::numbers::plain;

use super::Server;
use crate::judge::answers::Comparison;
use crate::process::open_loop::OpenRun;
use crate::rounds::observed::Observed;
use crate::unknown::script::{Question, pairs, recognised};

impl Server<'_> {
    /// Keeps an answer to each line, compares later ones with it, and keeps the times of pairs.
    pub(super) fn hear(&mut self, asked: &[Question], open: &OpenRun, run: &ServedRun) {
        self.copies.hear(&self.context.round.test_set.source, asked, &open.answers, run);
        let (mut lines, mut before, mut now) = (Vec::new(), Vec::new(), Vec::new());
        for (asked, answer) in asked.iter().zip(&open.answers) {
            let Some(known) = asked.of.map(|of| &mut self.answers[of]) else { continue };
            match known {
                Some(known) => {
                    lines.push(asked.line.clone());
                    before.push(known.clone());
                    now.push(answer.clone());
                    if run.purpose == Purpose::Confirm && run.kept {
                        known.clone_from(answer);
                    }
                }
                None => *known = Some(answer.clone()),
            }
        }
        let system = self.context.subject.system;
        if self.observed.reasons.is_empty() {
            let comparison = Comparison::of_system(system, &lines, &before, &now);
            self.observed.reasons.extend(comparison.fault(system.sampling));
        }
        if run.purpose == Purpose::Curve && self.observed.pairs.is_empty() {
            self.observed.pairs = pairs(asked, &open.answers, &open.latency_ns);
        }
    }

    /// The round's observations, once the system has ended well with `answers` to single lines.
    pub(super) fn conclude(self, answers: &[Vec<u8>]) -> Observed {
        let Self { limit, rate, runs, mut observed, .. } = self;
        observed.answers = match rate {
            Some(_) => self.answers.into_iter().flatten().collect(),
            None => answers[answers.len() - self.answers.len()..].to_vec(),
        };
        if observed.by_clock.is_empty() {
            observed.by_clock.extend(recognised(&observed.pairs));
        }
        if rate.is_none() {
            let last = runs.iter().rfind(|run| run.purpose == Purpose::Confirm);
            observed.warnings.push(no_rate(&limit, last, median(&self.single_ms).unwrap_or(0.0)));
        }
        observed.served = Some(Served { limit, rate, runs });
        observed
    }
}

/// Warning that no rate keeps the limit, or not the one that was asked about in the `last` run.
fn no_rate(limit: &LatencyLimit, last: Option<&ServedRun>, single_ms: f64) -> Reason {
    let limit_ms = limit.limit_ms;
    let figure = match (limit.rate, last) {
        (Some(rate), Some(run)) => format!(
            "doesn't hold {} lines a second: p{} {:.0} ms, limit {limit_ms} ms",
            plain(rate),
            limit.percentile,
            run.limited_ms
        ),
        _ => format!("no rate keeps {limit_ms} ms; one line at a time takes {single_ms:.0} ms"),
    };
    Code::NoRate.reason(figure)
}
