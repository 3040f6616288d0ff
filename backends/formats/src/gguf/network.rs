//! The network of a language model: from a file's metadata to its description.
//!
//! Keys and their defaults are those of `llama-hparams` and `llama-model` in llama.cpp, whose converter
//! writes these files. A key that asks for more than the engine computes is refused by its name, and so is a
//! tensor that has no place in the network.

use std::collections::BTreeSet;

use super::{Gguf, Value};
use crate::error::Located;
use crate::spec::{Activation, DecoderOnlySpec, Pairs, Rotation, Windows};
use crate::{Fault, Result};

/// Greatest number of anything that the metadata count: no model is near it, and products of two fit.
const MOST: u64 = 1 << 24;

/// Greatest number of layers: no model is near it.
const MOST_LAYERS: u64 = 1000;

/// Greatest number of values of a head: no model is near it.
const MOST_OF_A_HEAD: u64 = 4096;

/// Factors of the angles of rotation, a tensor where Llama 3 has a vector.
const SLOWER: &str = "rope_freqs.weight";

/// Features that no engine computes, by the ends of their keys. A value of 0 or `false` asks for nothing.
const REFUSED: [&str; 9] = [
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "attn_logit_softcapping",
    "embedding_scale",
    "expert_count",
    "final_logit_softcapping",
    "logit_scale",
    "pooling_type",
    "residual_scale",
];

/// What the name of an architecture says.
struct Architecture {
    name: &'static str,
    pairs: Pairs,
    biases: bool,
    head_norms: bool,
    gemma: bool,
    unrotated_every: Option<usize>,
}

const LLAMA: Architecture = Architecture {
    name: "llama",
    pairs: Pairs::Neighbours,
    biases: false,
    head_norms: false,
    gemma: false,
    unrotated_every: None,
};

const ARCHITECTURES: [Architecture; 5] = [
    LLAMA,
    Architecture { name: "smollm3", unrotated_every: Some(4), ..LLAMA },
    Architecture { name: "qwen2", pairs: Pairs::Halves, biases: true, ..LLAMA },
    Architecture { name: "qwen3", pairs: Pairs::Halves, head_norms: true, ..LLAMA },
    Architecture { name: "gemma3", pairs: Pairs::Halves, head_norms: true, gemma: true, ..LLAMA },
];

impl Gguf {
    /// The network's description; its tensors are all there, in their shapes.
    ///
    /// # Errors
    /// When the file lacks a key or a tensor, or asks for what no engine computes.
    pub fn network(&self) -> Result<DecoderOnlySpec> {
        let name = self.need("general.architecture", "text", Value::text)?;
        let known = ARCHITECTURES.iter().find(|known| known.name == name).ok_or_else(|| {
            let remedy = "take a model of llama, smollm3, qwen2, qwen3 or gemma3";
            Fault::unsupported(format!("the architecture `{}`", crate::error::clip(name)), remedy)
        });
        let spec = Reader { file: self, known: known.in_file(&self.path)? }.spec()?;
        let mut left: BTreeSet<&str> = self.names().filter(|name| *name != SLOWER).collect();
        for (name, rows, columns) in spec.tensors() {
            self.expect(&name, rows, columns)?;
            left.remove(&*name);
        }
        match left.first() {
            None => Ok(spec),
            Some(name) => {
                let fault = Fault::unsupported("this tensor", "the network of its architecture has none");
                Err(fault.of(name)).in_file(&self.path)
            }
        }
    }
}

/// Reads the keys of an architecture.
struct Reader<'a> {
    file: &'a Gguf,
    known: &'a Architecture,
}

impl Reader<'_> {
    fn key(&self, end: &str) -> String {
        format!("{}.{end}", self.known.name)
    }

    fn refuse<T>(&self, end: &str, fault: impl Into<Fault>) -> Result<T> {
        Err(fault.into().of(&self.key(end))).in_file(&self.file.path)
    }

    /// A count from 1 to `most`, if the metadata have one.
    fn some(&self, end: &str, most: u64) -> Result<Option<usize>> {
        match self.file.typed(&self.key(end), "whole number", Value::whole)? {
            Some(count) if !(1..=most).contains(&count) => {
                self.refuse(end, format!("is {count}; 1 to {most} are possible"))
            }
            count => Ok(count.map(|count| count as usize)),
        }
    }

    fn count(&self, end: &str, most: u64) -> Result<usize> {
        match self.some(end, most)? {
            Some(count) => Ok(count),
            None => self.refuse(end, "is missing in the metadata; convert the model anew"),
        }
    }

    /// A positive number, or `usual` where the metadata have none.
    fn number(&self, end: &str, usual: f32) -> Result<f32> {
        match self.file.typed(&self.key(end), "number", Value::number)? {
            Some(number) if !(number > 0.0 && number.is_finite()) => {
                self.refuse(end, format!("is {number}, no positive number"))
            }
            number => Ok(number.unwrap_or(usual)),
        }
    }

    fn spec(&self) -> Result<DecoderOnlySpec> {
        self.check()?;
        let Architecture { biases, head_norms, gemma, unrotated_every, .. } = *self.known;
        let width = self.count("embedding_length", MOST)?;
        let heads = self.count("attention.head_count", width as u64)?;
        let head = self.some("attention.key_length", MOST_OF_A_HEAD)?.unwrap_or(width / heads);
        if head as u64 > MOST_OF_A_HEAD {
            return self.refuse("attention.head_count", format!("gives heads of {head} values"));
        }
        if self.some("attention.value_length", MOST)?.is_some_and(|length| length != head) {
            return self.refuse("attention.value_length", "differs from that of keys");
        }
        let key_heads = self.some("attention.head_count_kv", MOST)?.unwrap_or(heads);
        if heads % key_heads != 0 {
            return self.refuse("attention.head_count_kv", format!("is {key_heads}, no divisor of {heads}"));
        }
        let layers = self.count("block_count", MOST_LAYERS)?;
        // Gemma 3 of 27 billion parameters, which llama.cpp knows by its layers, scales by the width.
        let scaled = if gemma && layers == 62 { width / heads } else { head };
        let rotation = self.rotation(head, self.number("rope.freq_base", 10_000.0)?, self.factor()?)?;
        Ok(DecoderOnlySpec {
            words: self.file.tensor("token_embd.weight").map_or(0, |table| table.rows),
            width,
            layers,
            inner: self.count("feed_forward_length", MOST)?,
            heads,
            key_heads,
            head,
            context: self.count("context_length", MOST)?,
            epsilon: self.number("attention.layer_norm_rms_epsilon", 1e-5)?,
            gate: if gemma { Activation::GeluTanh } else { Activation::Swish },
            embedding_scale: if gemma { (width as f32).sqrt() } else { 1.0 },
            attention_scale: self.number("attention.scale", 1.0 / (scaled as f32).sqrt())?,
            biases: biases || self.file.tensor("blk.0.attn_q.bias").is_some(),
            head_norms,
            norms_after: gemma,
            tied: self.file.tensor("output.weight").is_none(),
            rotation,
            unrotated_every,
            windows: self.windows(head)?,
        })
    }

    /// Refuses what no engine computes.
    fn check(&self) -> Result<()> {
        for end in REFUSED {
            match self.file.value(&self.key(end))? {
                None | Some(Value::Whole(0) | Value::Float(0.0) | Value::Bool(false)) => {}
                Some(_) => {
                    return self.refuse(end, Fault::unsupported("this key", "take a model without it"));
                }
            }
        }
        if self.file.typed(&self.key("attention.causal"), "flag", Value::flag)? == Some(false) {
            let fault = Fault::unsupported("an encoder", "take a model that writes text");
            return self.refuse("attention.causal", fault);
        }
        Ok(())
    }

    /// Factor by which positions are scaled down. As in llama.cpp, a file without a type means a linear one, and older
    /// files have another key.
    fn factor(&self) -> Result<f32> {
        match self.file.typed(&self.key("rope.scaling.type"), "text", Value::text)? {
            Some("none") => Ok(1.0),
            None | Some("linear") => {
                self.number("rope.scaling.factor", self.number("rope.scale_linear", 1.0)?)
            }
            Some(other) => {
                let what = format!("the scaling `{}`", crate::error::clip(other));
                self.refuse("rope.scaling.type", Fault::unsupported(what, "take a model without it"))
            }
        }
    }

    fn rotation(&self, head: usize, base: f32, factor: f32) -> Result<Rotation> {
        let turned = self.some("rope.dimension_count", head as u64)?.unwrap_or(head);
        if turned % 2 != 0 {
            return self.refuse("rope.dimension_count", format!("is {turned}, no whole pairs"));
        }
        let angle = |pair| f64::from(base).powf(-2.0 * pair as f64 / turned as f64) / f64::from(factor);
        let mut angles: Vec<f64> = (0..turned / 2).map(angle).collect();
        if self.file.tensor(SLOWER).is_some() {
            let slower = self.file.expect(SLOWER, 1, angles.len())?.to_f32();
            angles.iter_mut().zip(slower).for_each(|(angle, slower)| *angle /= f64::from(slower));
        }
        let angles = angles.into_iter().map(|angle| angle as f32).collect();
        Ok(Rotation { pairs: self.known.pairs, angles })
    }

    /// The windows of Gemma 3. Other families have none here, as in llama.cpp.
    fn windows(&self, head: usize) -> Result<Option<Windows>> {
        let size = self.file.typed(&self.key("attention.sliding_window"), "whole number", Value::whole)?;
        let Some(size) = size.filter(|size| self.known.gemma && *size > 0) else { return Ok(None) };
        let all_every = self.some("attention.sliding_window_pattern", MOST_LAYERS)?.unwrap_or(6);
        let rotation = self.rotation(head, self.number("rope.freq_base_swa", 10_000.0)?, 1.0)?;
        Ok(Some(Windows { size: size.min(MOST) as usize, all_every, rotation }))
    }
}
