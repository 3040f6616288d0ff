//! The generation's settings: from `generation_config.json` to the keys of a decoder.
//!
//! Settings that change which translation is found are honoured or refused. Settings of sampling alone are
//! without effect on a translation by search.

use serde::Deserialize;
use serde_json::Value as Json;

use super::network::{Ends, Family, Id};
use crate::Fault;
use crate::yaml::{Entries, Value};

/// Remedy for settings that no search of dyno has.
const REMEDY: &str = "no search of dyno has it; remove the key, then measure what remains";

/// `generation_config.json`, as far as it matters.
#[derive(Deserialize)]
pub(super) struct WireGeneration {
    num_beams: Option<usize>,
    max_length: Option<usize>,
    max_new_tokens: Option<usize>,
    length_penalty: Option<f32>,
    early_stopping: Option<Json>,
    bad_words_ids: Option<Vec<Vec<u32>>>,
    suppress_tokens: Option<Vec<u32>>,
    forced_bos_token_id: Option<Id>,
    forced_eos_token_id: Option<Id>,
    eos_token_id: Option<Id>,
    decoder_start_token_id: Option<u32>,
    do_sample: Option<bool>,
    min_length: Option<usize>,
    min_new_tokens: Option<usize>,
    no_repeat_ngram_size: Option<usize>,
    encoder_no_repeat_ngram_size: Option<usize>,
    num_beam_groups: Option<usize>,
    repetition_penalty: Option<f32>,
    encoder_repetition_penalty: Option<f32>,
    renormalize_logits: Option<bool>,
    remove_invalid_values: Option<bool>,
    guidance_scale: Option<f32>,
    penalty_alpha: Option<f32>,
    max_time: Option<f32>,
    begin_suppress_tokens: Option<Json>,
    exponential_decay_length_penalty: Option<Json>,
    forced_decoder_ids: Option<Json>,
    force_words_ids: Option<Json>,
    constraints: Option<Json>,
    sequence_bias: Option<Json>,
    stop_strings: Option<Json>,
    watermarking_config: Option<Json>,
    dola_layers: Option<Json>,
}

impl WireGeneration {
    /// The settings under the keys of a decoder; `ends` are the network's, `positions` its greatest length.
    pub(super) fn entries(&self, family: Family, ends: &Ends, positions: usize) -> Result<Entries, Fault> {
        self.refuse_unsupported(ends)?;
        let forced_end =
            self.forced_eos_token_id.as_ref().map(|id| id.only("forced_eos_token_id")).transpose()?;
        if forced_end.is_some_and(|forced| forced != ends.end) {
            return Err(Fault::from("isn't the end of a sentence").of("forced_eos_token_id"));
        }
        let languages = match family {
            Family::Marian => "line",
            Family::M2m => "both",
        };
        let text = |text: String| Value::Text(text);
        let suppressed = self.suppressed()?.into_iter().map(|id| text(id.to_string())).collect();
        let entries = [
            ("search", text("hugging-face".into())),
            ("beam-size", text(self.num_beams.unwrap_or(1).max(1).to_string())),
            ("normalize", text(self.length_penalty.unwrap_or(1.0).to_string())),
            ("early-stopping", text(self.early_stopping()?.into())),
            ("most-words", text(self.most_words(positions).to_string())),
            ("max-length", text(positions.to_string())),
            ("max-length-factor", text("1000".into())),
            ("forced-end", text(forced_end.is_some().to_string())),
            ("renormalise", text(self.renormalize_logits.unwrap_or(false).to_string())),
            ("suppressed-words", Value::List(suppressed)),
            ("language-words", text(languages.into())),
            ("allow-unk", text("true".into())),
            ("allow-special", text("true".into())),
        ]
        .map(|(key, value)| (key.to_owned(), value));
        let first = self.forced_bos_token_id.as_ref().map(|id| id.only("forced_bos_token_id")).transpose()?;
        let first = first.map(|first| ("first-word".to_owned(), text(first.to_string())));
        Ok(entries.into_iter().chain(first).collect())
    }

    /// Greatest number of words of a translation, with its end. The original counts the start word as well;
    /// where no limit is written, the limit is that of positions.
    fn most_words(&self, positions: usize) -> usize {
        let most = self.max_length.map(|length| length.saturating_sub(1));
        self.max_new_tokens.or(most).unwrap_or(positions).clamp(1, positions)
    }

    fn early_stopping(&self) -> Result<&'static str, Fault> {
        match &self.early_stopping {
            None | Some(Json::Null | Json::Bool(false)) => Ok("false"),
            Some(Json::Bool(true)) => Ok("true"),
            Some(Json::String(word)) if word == "never" => Ok("never"),
            Some(_) => Err(Fault::from("must be true, false or \"never\"").of("early_stopping")),
        }
    }

    /// Words that no translation contains.
    fn suppressed(&self) -> Result<Vec<u32>, Fault> {
        let mut ids = self.suppress_tokens.clone().unwrap_or_default();
        for words in self.bad_words_ids.iter().flatten() {
            match words[..] {
                [word] => ids.push(word),
                _ => return Err(Fault::unsupported("a sequence of bad words", REMEDY).of("bad_words_ids")),
            }
        }
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    fn refuse_unsupported(&self, ends: &Ends) -> Result<(), Fault> {
        let some = |value: Option<usize>, least: usize| value.is_some_and(|value| value > least);
        let there = |value: &Option<Json>| value.as_ref().is_some_and(|value| *value != Json::Null);
        let other = |value: Option<f32>| value.is_some_and(|value| value != 1.0);
        let odd = [
            ("do_sample", self.do_sample == Some(true)),
            ("min_length", some(self.min_length, 0)),
            ("min_new_tokens", some(self.min_new_tokens, 0)),
            ("no_repeat_ngram_size", some(self.no_repeat_ngram_size, 0)),
            ("encoder_no_repeat_ngram_size", some(self.encoder_no_repeat_ngram_size, 0)),
            ("num_beam_groups", some(self.num_beam_groups, 1)),
            ("repetition_penalty", other(self.repetition_penalty)),
            ("encoder_repetition_penalty", other(self.encoder_repetition_penalty)),
            ("remove_invalid_values", self.remove_invalid_values == Some(true)),
            ("guidance_scale", other(self.guidance_scale)),
            ("penalty_alpha", self.penalty_alpha.is_some_and(|alpha| alpha > 0.0)),
            ("max_time", self.max_time.is_some()),
            ("begin_suppress_tokens", there(&self.begin_suppress_tokens)),
            ("exponential_decay_length_penalty", there(&self.exponential_decay_length_penalty)),
            ("forced_decoder_ids", there(&self.forced_decoder_ids)),
            ("force_words_ids", there(&self.force_words_ids)),
            ("constraints", there(&self.constraints)),
            ("sequence_bias", there(&self.sequence_bias)),
            ("stop_strings", there(&self.stop_strings)),
            ("watermarking_config", there(&self.watermarking_config)),
            ("dola_layers", there(&self.dola_layers)),
        ];
        if let Some((key, _)) = odd.into_iter().find(|(_, odd)| *odd) {
            return Err(Fault::unsupported("this setting", REMEDY).of(key));
        }
        let end = self.eos_token_id.as_ref().map(|id| id.only("eos_token_id")).transpose()?;
        if end.is_some_and(|end| end != ends.end) {
            return Err(Fault::from("isn't the end of a sentence in config.json").of("eos_token_id"));
        }
        if self.decoder_start_token_id.is_some_and(|start| start != ends.start) {
            return Err(Fault::from("isn't the start in config.json").of("decoder_start_token_id"));
        }
        match self.length_penalty {
            Some(penalty) if !penalty.is_finite() => {
                Err(Fault::from("isn't a finite number").of("length_penalty"))
            }
            _ => Ok(()),
        }
    }
}
