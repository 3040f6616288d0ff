//! A list of tensors in the making, and what kind of values belong into each.

use crate::{Error, Fault, Result};

/// What stands in a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Weights of a product: a row for each input.
    Product,
    /// A row for each word.
    Words,
    /// What is added to a product.
    Bias,
    /// What a norm multiplies by.
    Scale,
    /// The bias of the words, one of which ends the sentence.
    WordBias,
}

/// A tensor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) name: String,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) kind: Kind,
}

/// Multiply-accumulates of a network's products for a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Macs {
    /// Of the source.
    pub source: u64,
    /// Of the target, for each hypothesis.
    pub target: u64,
}

/// What a word costs in a network of these tensors whose next word is one of so many `candidates`: each weight of a product is
/// multiplied once for it, of the output layer those of the candidates.
pub(super) fn macs(shapes: &[Shape], candidates: usize) -> Macs {
    // What the decoder attends to is made ready once for each word of the source.
    let of_source = |name: &str| {
        ["encoder_", "source_"].iter().any(|prefix| name.starts_with(prefix))
            || ["context_Wk", "context_Wv", "attention_U", "decoder_Wc_att"]
                .iter()
                .any(|part| name.ends_with(part))
    };
    let products = || shapes.iter().filter(|shape| shape.kind == Kind::Product);
    let size = |shape: &Shape| (shape.rows * shape.columns) as u64;
    let source = products().filter(|shape| of_source(&shape.name)).map(size).sum();
    let target: u64 = products().filter(|shape| !of_source(&shape.name)).map(size).sum();
    // The last matrix of words is the output layer's, also where it is the only one.
    let output = shapes.iter().rfind(|shape| shape.kind == Kind::Words).map_or(0, |shape| shape.columns);
    Macs { source, target: target + (candidates * output) as u64 }
}

/// A list in the making.
#[derive(Default)]
pub(super) struct Shapes(pub(super) Vec<Shape>);

impl Shapes {
    fn add(&mut self, name: impl Into<String>, rows: usize, columns: usize, kind: Kind) {
        self.0.push(Shape { name: name.into(), rows, columns, kind });
    }

    /// Weights [rows, columns] of a product.
    pub(super) fn product(&mut self, name: impl Into<String>, rows: usize, columns: usize) {
        self.add(name, rows, columns, Kind::Product);
    }

    /// A bias [1, columns].
    pub(super) fn bias(&mut self, name: impl Into<String>, columns: usize) {
        self.add(name, 1, columns, Kind::Bias);
    }

    /// `{prefix}_W{suffix}` and `{prefix}_b{suffix}`.
    pub(super) fn dense(&mut self, prefix: &str, suffix: &str, rows: usize, columns: usize) {
        self.product(format!("{prefix}_W{suffix}"), rows, columns);
        self.bias(format!("{prefix}_b{suffix}"), columns);
    }

    /// Scale and bias of the norm around `name`.
    pub(super) fn norm(&mut self, name: &str, columns: usize) {
        self.add(format!("{name}_ln_scale"), 1, columns, Kind::Scale);
        self.bias(format!("{name}_ln_bias"), columns);
    }

    /// Vectors [words, width].
    pub(super) fn words(&mut self, name: &str, words: usize, width: usize) {
        self.add(name, words, width, Kind::Words);
    }

    /// The bias of the words.
    pub(super) fn word_bias(&mut self, name: &str, words: usize) {
        self.add(name, 1, words, Kind::WordBias);
    }
}

/// Refuses a key that asks for what isn't drawn here, however well an engine might run it.
pub(super) fn only(config: &crate::MarianConfig, key: &str, value: &str) -> Result<(), Error> {
    match config.text(key)? {
        found if found == value => Ok(()),
        found => {
            let what = format!("generating a model with `{found}`");
            Err(config.fault(key, Fault::unsupported(what, "write the key's plain value, or leave it out")))
        }
    }
}
