//! Search: which words follow which, by the scores of one network or several.
//!
//! With one network, a beam of 1 and nobody asking for scores, the best word of each step is all that is needed
//! ([`greedy`]); everything else is [`beam`]. Both treat each sentence of a batch as if it were alone.

mod batch;
mod beam;
mod greedy;
mod paths;
#[cfg(test)]
mod tests;

pub(crate) use batch::{Batch, Member, SearchOptions};
pub(crate) use paths::Found;
pub(crate) use paths::Results;

/// One worker's search.
pub(crate) struct Search {
    members: Vec<Member>,
    options: SearchOptions,
    end: u32,
    results: Results,
}

impl Search {
    /// Over `members` (at least one), whose translations end with the word `end`.
    pub(crate) fn new(members: Vec<Member>, options: SearchOptions, end: u32) -> Self {
        Self { members, options, end, results: Results::default() }
    }

    /// Translates a batch: for each sentence its translations, best first.
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

    /// Takes the buffer of results back.
    pub(crate) fn give_back(&mut self, results: Results) {
        self.results = results;
    }
}
