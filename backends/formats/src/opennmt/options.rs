//! The network: from a checkpoint's options and its tensors' shapes to its description.
//!
//! Options say of which kind the network is, shapes how large it is. An option that asks for something
//! the engine lacks is refused by its name. Absent options have OpenNMT-py's defaults (`onmt/opts.py`).

use std::path::Path;

use super::table::{ATTENTIONS, DIRECTIONS, refuse_unfit};
use super::words::Words;
use crate::error::{Located, clip};
use crate::pickle::{Pickle, Place, Value};
use crate::spec::{Cell, ModelSpec, NetworkSpec, OpenNmtSpec, VectorsSpec};
use crate::{Fault, MarianConfig, Result, Weights};

/// Options that must have these values, if they are there at all.
const PLAIN: [(&str, &str); 14] = [
    ("model_task", "seq2seq"),
    ("model_type", "text"),
    ("decoder_type", "rnn"),
    ("global_attention_function", "softmax"),
    ("generator_function", "softmax"),
    ("context_gate", "None"),
    ("bridge", "False"),
    ("copy_attn", "False"),
    ("coverage_attn", "False"),
    ("position_encoding", "False"),
    ("n_src_feats", "0"),
    ("lora_embedding", "False"),
    ("lora_layers", "[]"),
    ("quant_layers", "[]"),
];

/// Remedy for options of other networks.
const REMEDY: &str = "the engine has rnn and brnn with LSTM or GRU cells, input feeding, and one attention by softmax; \
                      measure OpenNMT-py itself as a command";

/// The network of a checkpoint.
pub(super) fn read(pickle: &Pickle<'_>, file: &Path, weights: &Weights, words: &Words) -> Result<ModelSpec> {
    let options = Options::of(pickle).in_file(file)?;
    options.refuse().in_file(file)?;
    let shapes = Shapes(weights);
    let sizes = shapes.sizes().in_file(weights.origin())?;
    let network = options.network(&sizes, words.start).in_file(file)?;
    let vectors = VectorsSpec {
        shared: options.flag("share_embeddings", false).in_file(file)?,
        tied: options.flag("share_decoder_embeddings", false).in_file(file)?,
        bias: true,
    };
    refuse_unfit(&MarianConfig::from_entries(file, Vec::new()), &network, (sizes.words, vectors))?;
    Ok(ModelSpec { origin: file.into(), words: sizes.words, vectors, network: NetworkSpec::OpenNmt(network) })
}

/// The namespace of options.
struct Options<'a> {
    pickle: &'a Pickle<'a>,
    place: Place,
}

impl<'a> Options<'a> {
    fn of(pickle: &'a Pickle<'a>) -> Result<Self, Fault> {
        let place = pickle.find(pickle.root(), "opt");
        place
            .map(|place| Self { pickle, place })
            .ok_or_else(|| "has no `opt`: it is no checkpoint of OpenNMT-py".into())
    }

    /// The value of an option in Python's words; `None` where it is absent.
    fn shown(&self, key: &str) -> Option<String> {
        Some(match self.pickle.get(self.pickle.find(self.place, key)?) {
            Value::None => "None".into(),
            Value::Bool(flag) => if *flag { "True" } else { "False" }.into(),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Text(text) => (*text).to_owned(),
            Value::List(list) if list.is_empty() => "[]".into(),
            _ => "a list or an object".into(),
        })
    }

    fn refuse(&self) -> Result<(), Fault> {
        let other = |(key, plain): (&'static str, &str)| {
            self.shown(key).filter(|value| value != plain).map(|value| (key, value))
        };
        match PLAIN.into_iter().find_map(other) {
            Some((key, value)) => Err(unsupported(key, &value)),
            None => Ok(()),
        }
    }

    fn flag(&self, key: &str, otherwise: bool) -> Result<bool, Fault> {
        match self.shown(key).as_deref() {
            None => Ok(otherwise),
            Some("True" | "1") => Ok(true),
            Some("False" | "0") => Ok(false),
            Some(other) => Err(unsupported(key, other)),
        }
    }

    /// The value of `key` among named ones.
    fn one_of<T: Copy>(&self, key: &str, otherwise: &str, known: &[(&str, T)]) -> Result<T, Fault> {
        let value = self.shown(key).unwrap_or_else(|| otherwise.to_owned());
        let found = known.iter().find(|(name, _)| *name == value).map(|(_, value)| *value);
        found.ok_or_else(|| unsupported(key, &value))
    }

    fn network(&self, sizes: &Sizes, start_word: u32) -> Result<OpenNmtSpec, Fault> {
        Ok(OpenNmtSpec {
            embeddings: sizes.embeddings,
            state: sizes.state,
            cell: self.one_of("rnn_type", "LSTM", &[("LSTM", Cell::Lstm), ("GRU", Cell::Gru)])?,
            depths: sizes.depths,
            directions: self.one_of("encoder_type", "rnn", &DIRECTIONS[..2])?,
            feeds: self.flag("input_feed", true)?,
            attention: self.one_of("global_attention", "general", &ATTENTIONS)?,
            start_word,
        })
    }
}

fn unsupported(key: &str, value: &str) -> Fault {
    Fault::unsupported(format!("`{}`", clip(value)), REMEDY).of(key)
}

/// Sizes of a network.
struct Sizes {
    words: [usize; 2],
    embeddings: [usize; 2],
    state: usize,
    depths: [usize; 2],
}

/// What the shapes of tensors say.
struct Shapes<'a>(&'a Weights);

impl Shapes<'_> {
    fn sizes(&self) -> Result<Sizes, Fault> {
        let table = |side: &str| self.matrix(&format!("{side}.embeddings.make_embedding.emb_luts.0.weight"));
        let ([source, encoder], [target, decoder]) = (table("encoder")?, table("decoder")?);
        let [_, state] = self.matrix("generator.weight").or_else(|_| self.matrix("generator.0.weight"))?;
        let layers = [self.layers(&["encoder.rnn.weight_ih_l"]), {
            self.layers(&["decoder.rnn.layers.", "decoder.rnn.weight_ih_l"])
        }];
        Ok(Sizes { words: [source, target], embeddings: [encoder, decoder], state, depths: layers })
    }

    /// The shape of a matrix with a value or more.
    fn matrix(&self, name: &str) -> Result<[usize; 2], Fault> {
        let found = self.0.find(name).or_else(|| self.0.find(&format!("model.{name}")));
        let tensor = found.ok_or_else(|| Fault::from("this tensor is missing").of(name))?;
        match *tensor.shape() {
            [rows, columns] if rows > 0 && columns > 0 => Ok([rows, columns]),
            _ => Err(Fault::from(format!("has shape {:?}; a matrix was expected", tensor.shape())).of(name)),
        }
    }

    /// Number of layers whose tensors begin with one of `prefixes` and the layer's number.
    fn layers(&self, prefixes: &[&str]) -> usize {
        let number = |name: &str| -> Option<usize> {
            let name = name.strip_prefix("model.").unwrap_or(name);
            let rest = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix))?;
            rest.split(['.', '_']).next()?.parse().ok()
        };
        let numbers: std::collections::BTreeSet<usize> = self.0.names().filter_map(number).collect();
        (0..).take_while(|layer| numbers.contains(layer)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Directions;

    /// The opcode of a text.
    fn text(text: &str) -> Vec<u8> {
        [b"X", &(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
    }

    /// Reads a pickle of a checkpoint with these options.
    fn read(options: &[(&str, Vec<u8>)]) -> Result<OpenNmtSpec, Fault> {
        let mut bytes = [&b"\x80\x02}"[..], &text("opt"), b"cargparse\nNamespace\n)\x81}"].concat();
        options.iter().for_each(|(key, value)| bytes.extend([&text(key), value, &b"s"[..]].concat()));
        bytes.extend(b"bs.");
        let pickle = Pickle::parse(&bytes)?;
        let options = Options::of(&pickle)?;
        options.refuse()?;
        let sizes = Sizes { words: [8, 9], embeddings: [4, 5], state: 6, depths: [2, 1] };
        options.network(&sizes, 2)
    }

    #[test]
    fn kinds_come_from_options_and_absent_ones_are_opennmts_defaults() {
        let plain = read(&[]).unwrap();
        assert_eq!((plain.cell, plain.directions, plain.feeds), (Cell::Lstm, Directions::Forward, true));
        let other = read(&[
            ("rnn_type", text("GRU")),
            ("encoder_type", text("brnn")),
            ("input_feed", b"K\x00".to_vec()),
            ("global_attention", text("mlp")),
        ]);
        let other = other.unwrap();
        assert_eq!((other.cell, other.directions, other.feeds), (Cell::Gru, Directions::Joined, false));
        assert_eq!((other.embeddings, other.state, other.depths), ([4, 5], 6, [2, 1]));
    }

    #[test]
    fn options_of_other_networks_are_refused_by_name() {
        for (key, value, named) in [
            ("rnn_type", text("SRU"), "`rnn_type`: `SRU` is not supported"),
            ("encoder_type", text("transformer"), "`encoder_type`: `transformer`"),
            ("global_attention", text("none"), "`global_attention`: `none`"),
            ("bridge", b"\x88".to_vec(), "`bridge`: `True`"),
            ("copy_attn", b"\x88".to_vec(), "`copy_attn`: `True`"),
            ("lora_layers", b"]Na".to_vec(), "`lora_layers`: `a list or an object`"),
        ] {
            let told = read(&[(key, value)]).unwrap_err().to_string();
            assert!(told.contains(named), "{key}: {told}");
        }
    }
}
