//! Search for translations, by the scores of one network or several.
//!
//! With one network, a beam of 1 and no need of scores, [`greedy`] takes the best word of each step;
//! otherwise [`beam`] searches. Both treat each sentence of the running batch as if it were alone, so that
//! sentences may join it between any two steps.

mod batch;
mod beam;
mod greedy;
mod paths;
mod repeats;
#[cfg(test)]
mod tests;

use dyno_nn::math::Threads;
use dyno_nn::{Request, Row, Scratch, Sentence, Wanted};

use batch::{Hypothesis, Rules, Running};
pub(crate) use batch::{Member, Patience, Rule, SearchOptions};
pub(crate) use paths::Found;
use paths::Trace;

/// Search of one worker.
pub(crate) struct Search {
    members: Vec<Member>,
    /// Threads and buffers that the members use in turn.
    scratch: Scratch,
    rules: Rules,
    batch: Running,
    beams: beam::Buffers,
    rows: Vec<Row>,
    places: Vec<usize>,
    trace: Trace,
}

impl Search {
    /// A search with one or more `members`, whose work `threads` share. Translations end with the word `end`, and
    /// contain no word of `suppressed`, which are ascending. All begin with the word `first`, if there is one.
    pub(crate) fn new(
        members: Vec<Member>,
        threads: Threads,
        options: SearchOptions,
        end: u32,
        suppressed: Vec<u32>,
        first: Option<u32>,
    ) -> Self {
        Self {
            members,
            scratch: Scratch::new(threads),
            rules: Rules { options, end, suppressed, first },
            batch: Running::default(),
            beams: beam::Buffers::default(),
            rows: Vec::new(),
            places: Vec::new(),
            trace: Trace::default(),
        }
    }

    /// Lets `sentences` join the running batch; gives the place of each.
    pub(crate) fn admit(&mut self, sentences: &[Sentence<'_>]) -> &[usize] {
        self.batch.admit(sentences, self.rules.options.most_repeats, &mut self.places);
        let Self { members, scratch, places, .. } = self;
        if !sentences.is_empty() {
            members.iter_mut().for_each(|member| member.decoder.admit(sentences, places, scratch));
        }
        places
    }

    /// Whether no sentence is being translated.
    pub(crate) fn is_idle(&self) -> bool {
        self.batch.live.is_empty()
    }

    /// Takes one step of all sentences; gives the places of those that ended. Their translations can be
    /// [`found`](Self::found) until they are [`left`](Self::leave).
    pub(crate) fn step(&mut self, ended: &mut Vec<usize>) {
        ended.clear();
        if self.is_idle() {
            return;
        }
        let Self { members, scratch, rules, batch, beams, rows, .. } = self;
        let scores_matter = rules.options.beam > 1 || rules.options.n_best || members.len() > 1;
        let request = rules.request(scores_matter, &batch.live);
        batch.rows(rows);
        members
            .iter_mut()
            .for_each(|Member { decoder, step, .. }| decoder.step(rows, &request, scratch, step));
        batch.kept.clear();
        match scores_matter {
            true => beam::advance(members, rules, rows, batch, beams),
            false => greedy::advance(&members[0].step, rules, batch),
        }
        members.iter_mut().for_each(|member| member.decoder.reorder(&batch.kept));
        std::mem::swap(ended, &mut batch.ended);
    }

    /// Number of translations of a sentence that ended.
    pub(crate) fn count(&self, place: usize) -> usize {
        self.batch.sentences[place].paths.count()
    }

    /// Whether a sentence that ended was kept from a loop.
    pub(crate) fn looped(&self, place: usize) -> bool {
        self.batch.sentences[place].looped
    }

    /// A translation of a sentence that ended; rank 0 is the best.
    pub(crate) fn found(&mut self, place: usize, rank: usize) -> Found<'_> {
        self.batch.sentences[place].paths.found(rank, &mut self.trace)
    }

    /// Frees the place of a sentence that ended.
    pub(crate) fn leave(&mut self, place: usize) {
        self.batch.free(place);
    }

    /// Drops all sentences.
    pub(crate) fn clear(&mut self) {
        self.batch.clear();
        self.members.iter_mut().for_each(|member| member.decoder.reorder(&[]));
    }
}

impl Rules {
    /// The results that the search wants of a step of the hypotheses `live`: none, where all of them are about
    /// to begin with the known word.
    fn request(&self, scores_matter: bool, live: &[Hypothesis]) -> Request<'_> {
        let attention = self.options.attention;
        let suppressed: &[u32] = if scores_matter { &[] } else { &self.suppressed };
        let wanted = match scores_matter {
            _ if self.first.is_some() && live.iter().all(|hypothesis| hypothesis.len == 0) => Wanted::Nothing,
            false => Wanted::Best,
            true if self.options.skip_cost => Wanted::Logits,
            true => Wanted::LogProbabilities,
        };
        Request { wanted, suppressed, attention }
    }
}
