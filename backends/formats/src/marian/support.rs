//! Support of Marian's models: models that dyno can't run are refused with the reason when they are opened.

use std::path::Path;

use super::MarianConfig;
use crate::{Error, Fault, Result, Weights};

/// Model types that the engines know.
const TYPES: [&str; 4] = ["amun", "nematus", "s2s", "transformer"];

/// Types that are refused with a specific reason; other unknown types get a general one.
const REFUSED_TYPES: [(&str, &str); 8] = [
    ("transformer-new", "its layers and parameter names are a newer set; train `type: transformer`"),
    ("char-s2s", "it encodes characters by convolution; train a model over subwords"),
    ("lm", "it is a language model: it scores text and doesn't translate"),
    ("lm-transformer", "it is a language model: it scores text and doesn't translate"),
    ("multi-s2s", "it reads several sources at once; a line is one source"),
    ("multi-transformer", "it reads several sources at once; a line is one source"),
    ("shared-multi-s2s", "it reads several sources at once; a line is one source"),
    ("shared-multi-transformer", "it reads several sources at once; a line is one source"),
];

/// Switches that must be off, with the reason.
const REFUSED_FLAGS: [(&str, &str); 7] = [
    ("right-left", "it writes from right to left; train one that writes from left to right"),
    ("transformer-no-affine", "only Marian's newer layer set has it"),
    ("transformer-no-bias", "only Marian's newer layer set has it"),
    ("transformer-pool", "attention pooling has no engine here"),
    ("ulr", "universal language representation has no engine here"),
    ("ulr-trainable-transformation", "universal language representation has no engine here"),
    ("transformer-alibi-trainable", "attention biases have no engine here"),
];

/// Settings of a decoder that must be off, with the reason. `word-scores` and `alignment` only add to an answer's line,
/// and this decoder writes the translation alone.
const REFUSED_DECODING: [(&str, &str); 7] = [
    ("force-decode", "no search here follows given words"),
    ("input-reorder", "a line is one source"),
    ("no-spm-decode", "answers are text, not pieces"),
    ("no-spm-encode", "lines are text, not pieces"),
    ("output-approx-knn", "LSH output has no engine here"),
    ("output-sampling", "no search here draws words"),
    ("tsv", "a line is one source"),
];

/// Tensors of features that the configuration doesn't mention.
const REFUSED_TENSORS: [(&str, &str); 2] = [
    ("lsh_output_codes", "the output layer is searched by hashes; use the model without LSH"),
    ("lsh_output_rotation", "the output layer is searched by hashes; use the model without LSH"),
];

impl MarianConfig {
    /// Refuses a model that no engine can run.
    ///
    /// # Errors
    /// The first unsupported feature.
    pub fn refuse_unsupported(&self) -> Result<()> {
        self.refuse_type()?;
        for (key, reason) in REFUSED_FLAGS {
            if self.has(key) && self.flag(key)? {
                return Err(self.unsupported(key, "true", reason));
            }
        }
        self.refuse_factors()?;
        if self.text("transformer-attention-mask")? != "default" {
            let mask = self.text("transformer-attention-mask")?;
            return Err(self.unsupported(
                "transformer-attention-mask",
                mask,
                "attention biases have no engine here",
            ));
        }
        if let Some(kind) = self.texts("input-types")?.into_iter().find(|kind| *kind != "sequence") {
            return Err(self.unsupported("input-types", kind, "a line is one sequence of words"));
        }
        if self.counts("dim-vocabs")?.len() > 2 {
            return Err(self.unsupported("dim-vocabs", "several sources", "a line is one source"));
        }
        Ok(())
    }

    /// Refuses settings of a decoder that can't be honoured.
    ///
    /// # Errors
    /// The first such setting.
    pub fn refuse_unsupported_decoding(&self) -> Result<()> {
        let is_on = |key: &str| self.has(key) && !matches!(self.flag(key), Ok(false));
        match REFUSED_DECODING.iter().find(|(key, _)| is_on(key)) {
            Some((key, reason)) => Err(self.unsupported(key, "set", reason)),
            None => Ok(()),
        }
    }

    fn refuse_type(&self) -> Result<()> {
        match self.text("type")? {
            kind if TYPES.contains(&kind) => Ok(()),
            kind => Err(self.unknown_type(kind)),
        }
    }

    /// The error of a type that no engine runs.
    pub(super) fn unknown_type(&self, kind: &str) -> Error {
        let known = REFUSED_TYPES.iter().find(|(name, _)| *name == kind).map(|(_, reason)| *reason);
        let bert =
            kind.starts_with("bert").then_some("it encodes and doesn't translate; bring it as an encoder");
        let general = "dyno runs the types transformer, s2s, amun and nematus";
        self.unsupported("type", kind, known.or(bert).unwrap_or(general))
    }

    fn refuse_factors(&self) -> Result<()> {
        for key in ["lemma-dim-emb", "factors-dim-emb"] {
            // Marian writes −1 or 0 where there is none.
            if !matches!(self.text(key)?, "0" | "-1") {
                return Err(self.unsupported(
                    key,
                    self.text(key)?,
                    "factored vocabularies have no engine here",
                ));
            }
        }
        match self.text("lemma-dependency")? {
            "" => Ok(()),
            other => {
                Err(self.unsupported("lemma-dependency", other, "factored vocabularies have no engine here"))
            }
        }
    }

    fn unsupported(&self, key: &str, value: &str, reason: &'static str) -> Error {
        self.fault(key, Fault::unsupported(format!("`{}`", crate::error::clip(value)), reason))
    }
}

/// Refuses a vocabulary of factors, which has its own extension in Marian.
pub(crate) fn refuse_factored(vocabulary: &Path) -> Result<()> {
    if vocabulary.extension().is_none_or(|extension| extension != "fsv") {
        return Ok(());
    }
    let what = "a factored vocabulary";
    Err(Error::content(
        vocabulary,
        Fault::unsupported(what, "no engine has factors; train over plain subwords"),
    ))
}

impl Weights {
    /// Refuses weights of a feature that no engine has.
    ///
    /// # Errors
    /// The first such tensor.
    pub fn refuse_unsupported(&self) -> Result<()> {
        match REFUSED_TENSORS.iter().find(|(name, _)| self.find(name).is_some()) {
            Some((name, reason)) => {
                Err(Error::content(self.origin(), Fault::unsupported("LSH output", reason).of(name)))
            }
            None => Ok(()),
        }
    }
}
