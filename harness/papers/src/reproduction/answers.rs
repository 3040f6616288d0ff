//! What a run says of its systems' answers: equal lines, and BLEU of trained models.

use dyno_api::Task;
use dyno_record::Track;
use dyno_stats::Estimate;

use super::measured::{Measured, Place, is_quotable};

impl Measured<'_> {
    /// Share of lines that two systems of one model translate alike; vectors of encoders are no lines.
    pub(super) fn same_lines(&self, system: &str, base: &str) -> Option<f64> {
        let run = self.run?;
        let encodes =
            |name: &str| run.identity.system(name).is_some_and(|system| system.task == Some(Task::Encode));
        let is_encoder = |name: &str| self.backend(name).is_some_and(|backend| backend == "encoder");
        if [system, base].iter().any(|name| encodes(name) || is_encoder(name)) {
            return None;
        }
        let models = |name: &str| run.identity.system(name).map(|system| &system.models);
        models(system).filter(|found| Some(*found) == models(base))?;
        let answers = |name: &str| {
            let cells =
                Track::ALL.iter().filter_map(|track| self.cell(name, Place { track: *track, set: None }));
            let output = cells.filter(is_quotable).find_map(|cell| run.scored_output(&cell));
            run.outputs.get(output?)
        };
        let (ours, theirs) = (answers(system)?, answers(base)?);
        let same = ours.iter().zip(theirs).filter(|(ours, theirs)| ours == theirs).count();
        Some(same as f64 / theirs.len().max(1) as f64)
    }

    /// BLEU of a system with trained models, where the test set has references.
    pub(super) fn bleu(&self, system: &str) -> Option<f64> {
        let (output, set) = self.trained_output(system)?;
        self.run?.scores.quality("bleu", &output, &set).map(|quality| quality.score)
    }

    /// BLEU of a system over that of its base, with the interval of the bootstrap over lines.
    pub(super) fn bleu_gain(&self, system: &str, base: &str) -> Option<Estimate> {
        let ((ours, set), (theirs, _)) = (self.trained_output(system)?, self.trained_output(base)?);
        if ours == theirs {
            return Some(Estimate::exactly(0.0));
        }
        let found = self.run?.scores.difference("bleu", &ours, &theirs, &set)?;
        Some(Estimate { value: found.difference, low: found.low, high: found.high })
    }

    /// Output of a system with trained models, and the name of its test set.
    fn trained_output(&self, system: &str) -> Option<(String, String)> {
        let drawn = self.contestant(system).is_none_or(|known| known.drawn_bytes.is_some());
        let cell = self.run?.cells().into_iter().find(|cell| cell.system == system && !drawn)?;
        let output = self.run?.scored_output(&cell).filter(|_| is_quotable(&cell))?;
        Some((output.clone(), cell.test_set.name.clone()))
    }
}
