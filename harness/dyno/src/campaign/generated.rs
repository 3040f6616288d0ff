//! Models that a campaign describes by their sizes instead of naming files; their weights are random.
//!
//! dyno draws a model on demand into the user's cache and keeps it there for all campaigns with the same
//! description. The cache holds each precision that a campaign asked for. Otherwise each launch would
//! quantise, which costs time that a trained and converted model doesn't need.

use std::fs;
use std::path::{Path, PathBuf};

use dyno_formats::{ConvertOptions, ModelDir, Precision, Recipe};
use itertools::Itertools;

use dyno_provision::cache_folder;

use crate::exit::{OrBadInput, Outcome};

/// Model that dyno draws when a system needs it.
#[derive(Clone, Debug)]
pub struct Generated {
    pub name: String,
    pub recipe: Recipe,
    /// Folder of the model, drawn or not.
    pub path: PathBuf,
}

impl Generated {
    /// The model of `recipe`, in a folder whose name holds the recipe's key.
    pub(super) fn new(name: String, recipe: Recipe) -> anyhow::Result<Self> {
        let folder = format!("{name}-{}", recipe.key()?);
        Ok(Self { path: cache_folder()?.join("models").join(folder), name, recipe })
    }

    /// Size of the drawn weights, in f32.
    pub fn bytes(&self) -> u64 {
        self.recipe.parameters() * size_of::<f32>() as u64
    }

    /// Draws the model if it is missing, and adds the missing ones of `precisions`.
    pub(super) fn make(&self, precisions: &[Precision]) -> Outcome<()> {
        if !self.path.is_dir() {
            self.draw()?;
        }
        if self.recipe.is_encoder() {
            return Ok(()); // the engine packs f32 weights in any precision while it opens them
        }
        let model = ModelDir::open(&self.path).or_bad_input()?;
        let there = model.weights();
        if precisions.iter().all(|precision| there.contains_key(precision)) {
            return Ok(());
        }
        let wanted = there.keys().chain(precisions).copied().sorted().dedup().collect();
        let options = ConvertOptions { precisions: wanted, overwrite: true, ..ConvertOptions::default() };
        dyno_formats::convert(&model, &self.path, &options).map(drop).or_bad_input()
    }

    fn draw(&self) -> Outcome<()> {
        let parent = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent)?;
        let mebibytes = self.bytes() >> 20;
        say!("drawing the model {} ({mebibytes} MiB) into {}", self.name, parent.display());
        match dyno_formats::generate(&self.recipe, &self.path) {
            Err(_) if self.path.is_dir() => Ok(()), // another process was faster
            made => made.or_bad_input(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    const SMALL: &str = r#"
        words = 40
        [marian]
        type = "transformer"
        tied-embeddings-all = true
        transformer-postprocess = "dan"
        transformer-decoder-autoreg = "rnn"
        dec-cell = "ssru"
        dim-emb = 8
        transformer-heads = 2
        transformer-dim-ffn = 12
    "#;

    #[test]
    fn a_precision_that_is_asked_for_is_kept_as_it_would_be_derived() {
        let folder = tempfile::tempdir().unwrap();
        let recipe = Recipe::of(toml::from_str(SMALL).unwrap(), folder.path()).unwrap();
        let model = Generated { name: "small".into(), recipe, path: folder.path().join("small") };
        model.make(&[]).unwrap();
        let drawn = ModelDir::open(&model.path).unwrap();
        assert_eq!(drawn.weights().keys().collect::<Vec<_>>(), [&Precision::F32]);
        let (derived, floats) =
            (drawn.load(Precision::Int8).unwrap(), fs::read(&drawn.weights()[&Precision::F32]));
        model.make(&[Precision::Int8, Precision::F32]).unwrap();
        let kept = ModelDir::open(&model.path).unwrap();
        kept.verify().unwrap();
        assert_eq!(fs::read(&kept.weights()[&Precision::F32]).unwrap(), floats.unwrap());
        let stored = dyno_formats::Weights::open(&kept.weights()[&Precision::Int8]).unwrap();
        assert_eq!(stored.len(), derived.len());
        for tensor in derived.iter() {
            let twin = stored.get(tensor.name()).unwrap();
            assert_eq!((tensor.dtype(), tensor.scales()), (twin.dtype(), twin.scales()), "{tensor:?}");
            assert_eq!(tensor.to_f32().unwrap(), twin.to_f32().unwrap(), "{tensor:?}");
        }
        let written =
            || -> SystemTime { fs::metadata(&kept.weights()[&Precision::Int8]).unwrap().modified().unwrap() };
        let before = written();
        model.make(&[Precision::Int8]).unwrap();
        assert_eq!(written(), before, "a stored precision is not written again");
    }
}
