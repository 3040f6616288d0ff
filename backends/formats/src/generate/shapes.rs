//! Lists of tensors, and the kinds of their values.

use crate::{Error, Fault, Result};

/// Kind of a tensor's values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Weights of a product, with a row for each input.
    Product,
    /// Weights of a product, with a row for each output.
    Transposed,
    /// Vectors of words, with a row for each word.
    Words,
    /// Bias of a product.
    Bias,
    /// Scale of a norm.
    Scale,
    /// Bias of the output layer, with a value for the end of the sentence.
    WordBias,
}

/// Name, shape and kind of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) name: String,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) kind: Kind,
}

/// Multiply-accumulates of a network's products for each word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Macs {
    /// For a word of the source.
    pub source: u64,
    /// For a word of the target and one hypothesis.
    pub target: u64,
}

/// Multiply-accumulates for each word in a network of these tensors with so many `candidates`. Each weight of
/// a product counts once; the output layer counts its candidates only.
pub(super) fn macs(shapes: &[Shape], candidates: usize) -> Macs {
    // Keys and values of attention are computed once for each word of the source.
    let of_source = |name: &str| {
        ["encoder_", "source_"].iter().any(|prefix| name.starts_with(prefix))
            || [
                "context_Wk",
                "context_Wv",
                "attention_U",
                "decoder_Wc_att",
                "decoder_att_Wk",
                "decoder_att_Wc",
            ]
            .iter()
            .any(|part| name.ends_with(part))
    };
    let products = || shapes.iter().filter(|shape| shape.kind == Kind::Product);
    let size = |shape: &Shape| (shape.rows * shape.columns) as u64;
    let source = products().filter(|shape| of_source(&shape.name)).map(size).sum();
    let target: u64 = products().filter(|shape| !of_source(&shape.name)).map(size).sum();
    // The last matrix of words is the output layer's, even where it is the only one.
    let output = shapes.iter().rfind(|shape| shape.kind == Kind::Words).map_or(0, |shape| shape.columns);
    Macs { source, target: target + (candidates * output) as u64 }
}

/// A list of tensors.
#[derive(Default)]
pub(super) struct Shapes(pub(super) Vec<Shape>);

impl Shapes {
    pub(super) fn add(&mut self, name: impl Into<String>, rows: usize, columns: usize, kind: Kind) {
        self.0.push(Shape { name: name.into(), rows, columns, kind });
    }

    /// Adds weights [rows, columns] of a product.
    pub(super) fn product(&mut self, name: impl Into<String>, rows: usize, columns: usize) {
        self.add(name, rows, columns, Kind::Product);
    }

    /// Adds a bias [1, columns].
    pub(super) fn bias(&mut self, name: impl Into<String>, columns: usize) {
        self.add(name, 1, columns, Kind::Bias);
    }

    /// Adds `{prefix}_W{suffix}` and `{prefix}_b{suffix}`.
    pub(super) fn dense(&mut self, prefix: &str, suffix: &str, rows: usize, columns: usize) {
        self.product(format!("{prefix}_W{suffix}"), rows, columns);
        self.bias(format!("{prefix}_b{suffix}"), columns);
    }

    /// Adds scale and bias of the norm around `name`.
    pub(super) fn norm(&mut self, name: &str, columns: usize) {
        self.norm_with(name, "", columns);
    }

    /// As [`norm`](Self::norm), with names that end in `suffix`.
    pub(super) fn norm_with(&mut self, name: &str, suffix: &str, columns: usize) {
        self.add(format!("{name}_ln_scale{suffix}"), 1, columns, Kind::Scale);
        self.bias(format!("{name}_ln_bias{suffix}"), columns);
    }

    /// Adds vectors [words, width].
    pub(super) fn words(&mut self, name: &str, words: usize, width: usize) {
        self.add(name, words, width, Kind::Words);
    }

    /// Adds the bias of the words.
    pub(super) fn word_bias(&mut self, name: &str, words: usize) {
        self.add(name, 1, words, Kind::WordBias);
    }
}

/// Adds the vectors of words [words, width]: one matrix for both sides and the output layer, or one for each, the
/// output layer's last.
pub(super) fn word_tables(
    config: &crate::MarianConfig,
    output: &str,
    words: usize,
    width: usize,
    to: &mut Shapes,
) -> Result<(), Error> {
    if config.flag("tied-embeddings-all")? {
        to.words("Wemb", words, width);
        return Ok(());
    }
    only(config, "tied-embeddings", "false")?;
    only(config, "tied-embeddings-src", "false")?;
    ["encoder_Wemb", "decoder_Wemb", output].iter().for_each(|name| to.words(name, words, width));
    Ok(())
}

/// Refuses a key whose feature isn't drawn here, even if an engine has it.
pub(super) fn only(config: &crate::MarianConfig, key: &str, value: &str) -> Result<(), Error> {
    match config.text(key)? {
        found if found == value => Ok(()),
        found => {
            let what = format!("generating a model with `{found}`");
            Err(config.fault(key, Fault::unsupported(what, "write the key's plain value, or leave it out")))
        }
    }
}
