//! Models that a campaign describes instead of naming: drawn on demand into the user's cache, and kept there for every
//! campaign with the same description.

use std::fs;
use std::path::{Path, PathBuf};

use dyno_formats::Recipe;

use super::Campaign;
use crate::cache;
use crate::exit::{OrBadInput, Outcome};
use crate::say::say;

/// A model that is drawn when it is needed.
#[derive(Clone, Debug)]
pub struct Generated {
    /// What the campaign calls it.
    pub name: String,
    /// What it is.
    pub recipe: Recipe,
    /// Where it is, or will be.
    pub path: PathBuf,
}

impl Generated {
    /// The model of `recipe`: its place tells it from all others.
    pub(super) fn new(name: String, recipe: Recipe) -> anyhow::Result<Self> {
        let folder = format!("{name}-{}", recipe.key()?);
        Ok(Self { path: cache::folder()?.join("models").join(folder), name, recipe })
    }

    fn make(&self) -> Outcome<()> {
        if self.path.is_dir() {
            return Ok(());
        }
        let parent = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent)?;
        let mebibytes = (self.recipe.parameters() * size_of::<f32>() as u64) >> 20;
        say(format_args!("drawing the model {} ({mebibytes} MiB) into {}", self.name, parent.display()));
        match dyno_formats::generate(&self.recipe, &self.path) {
            Err(_) if self.path.is_dir() => Ok(()), // somebody else was faster
            made => made.or_bad_input(),
        }
    }
}

impl Campaign {
    /// Draws the models that its systems need and that aren't there yet.
    pub fn make_models(&self) -> Outcome<()> {
        let used = |model: &&Generated| self.systems.iter().any(|system| system.models.contains(&model.path));
        self.generated.iter().filter(used).try_for_each(Generated::make)
    }
}
