//! Names: the tensors that a network must have in another project's file, with Marian's names for them, which are
//! those of the engines.
//!
//! PyTorch and CTranslate2 store the weights of a product as [outputs, inputs], Marian as [inputs, outputs]. The
//! data stay as they lie in the file; only their order is noted. CTranslate2 joins products of one input, and PyTorch
//! the gates of a cell, so that a tensor may be some rows of a stored one. Some columns of one are copied. Tensors
//! without a name here are left out.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::Located;
use crate::record::{ElementOrder, Scales};
use crate::spec::ModelSpec;
use crate::stored::Item;
use crate::weights::Weights;
use crate::{Fault, MarianConfig, Precision, Result};

/// All tensors of a network, under both names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tensors(Vec<Named>);

/// A tensor under both names.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// Names in the file, of which the first one that exists counts.
    pub(crate) stored: Vec<String>,
    /// Marian's name.
    pub(crate) name: String,
    /// Shape in the file; a vector is one row.
    pub(crate) shape: [usize; 2],
    /// Whether it is the weights of a product, which Marian stores the other way round.
    pub(crate) product: bool,
    /// What it takes of a greater tensor.
    pub(crate) part: Option<Part>,
}

/// Part of a stored tensor.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Rows; of a vector, the elements.
    Rows(Range<usize>),
    /// Columns of a matrix.
    Columns(Range<usize>),
}

/// The words of source and target by their ids.
pub(crate) type WordLists = [Arc<[String]>; 2];

/// Files and configuration of another project's translator, which its reader found.
pub(crate) struct Translator {
    /// Source vocabulary, then target vocabulary.
    pub(crate) vocabularies: Vec<PathBuf>,
    /// Words of both sides, where the vocabularies' files hold more than words.
    pub(crate) words: Option<WordLists>,
    /// Files beside the vocabularies.
    pub(crate) tokens: Vec<PathBuf>,
    pub(crate) weights: BTreeMap<Precision, PathBuf>,
    /// Settings of the search.
    pub(crate) decoder: MarianConfig,
    pub(crate) spec: ModelSpec,
    pub(crate) tensors: Tensors,
}

impl Tensors {
    /// Adds a tensor.
    pub(crate) fn add(&mut self, named: Named) {
        self.0.push(named);
    }

    /// All tensors.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Named> {
        self.0.iter()
    }

    /// Names in the file, of all tensors.
    pub(crate) fn stored(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|named| &named.stored).map(String::as_str)
    }

    /// The weights under Marian's names.
    pub(crate) fn name(&self, mut weights: Weights) -> Result<Weights> {
        let origin = weights.origin().to_owned();
        let mut items = BTreeMap::new();
        for named in &self.0 {
            items.insert(named.name.clone(), named.take(&weights).in_file(&origin)?);
        }
        weights.keep_only(items);
        Ok(weights)
    }
}

impl Named {
    fn take(&self, weights: &Weights) -> Result<Item, Fault> {
        let found = self.stored.iter().find_map(|name| Some((name, weights.copy_of(name)?)));
        let Some((stored, item)) = found else {
            return Err(Fault::from("this tensor is missing; copy the file anew from the model's origin")
                .of(&self.stored[0]));
        };
        let part = match &self.part {
            Some(Part::Rows(rows)) => item.rows(rows.clone()),
            Some(Part::Columns(columns)) => weights.find(stored).and_then(|all| all.columns(columns.clone())),
            None => Some(item),
        };
        let mut item = part.ok_or_else(|| self.misfit(&[]).of(stored))?;
        let [rows, columns] = self.shape;
        let fits = match item.shape[..] {
            [only] => rows == 1 && only == columns,
            [first, second] => [first, second] == self.shape,
            _ => false,
        };
        if !fits {
            return Err(self.misfit(&item.shape).of(stored));
        }
        if self.product {
            item.shape = vec![columns, rows];
            item.layout = ElementOrder::ColumnMajor;
            item.scales = item.scales.map(Scales::transposed);
        } else {
            item.shape = vec![rows, columns];
        }
        Ok(item)
    }

    fn misfit(&self, shape: &[usize]) -> Fault {
        let [rows, columns] = self.shape;
        match &self.part {
            Some(Part::Rows(part)) => format!("has no rows {part:?}, of {columns} columns each").into(),
            Some(Part::Columns(part)) => format!("has no columns {part:?}, of {rows} rows each").into(),
            None => format!("has shape {shape:?}; the network asks for [{rows}, {columns}]").into(),
        }
    }
}
