//! Search for translations, by the scores of one network or several.
//!
//! With one network, a beam of 1 and no need of scores, [`greedy`] takes the best word of each step;
//! otherwise [`beam`] searches. Both treat each sentence of a batch as if it were alone.

mod batch;
mod beam;
mod greedy;
mod paths;
#[cfg(test)]
mod tests;

pub(crate) use batch::{Batch, Member, Patience, Rule, SearchOptions};
pub(crate) use paths::Found;
pub(crate) use paths::Results;

/// Search of one worker.
pub(crate) struct Search {
    members: Vec<Member>,
    options: SearchOptions,
    end: u32,
    results: Results,
}

impl Search {
    /// A search with one or more `members`; translations end with the word `end`.
    pub(crate) fn new(members: Vec<Member>, options: SearchOptions, end: u32) -> Self {
        Self { members, options, end, results: Results::default() }
    }

    /// Translates a batch; the translations of each sentence are ordered, best first.
    pub(crate) fn run(&mut self, batch: &Batch<'_>) -> Results {
        let mut results = std::mem::take(&mut self.results);
        results.start(batch.sentences.len());
        if batch.sentences.is_empty() {
            return results;
        }
        self.members.iter_mut().for_each(|member| member.decoder.start(batch.sentences));
        let scores_matter = self.options.beam > 1 || self.options.n_best;
        match &mut self.members[..] {
            [only] if !scores_matter => greedy::run(only, &self.options, self.end, batch, &mut results),
            members => beam::run(members, &self.options, self.end, batch, &mut results),
        }
        results
    }

    /// Takes the buffer of results back for the next batch.
    pub(crate) fn give_back(&mut self, results: Results) {
        self.results = results;
    }
}
