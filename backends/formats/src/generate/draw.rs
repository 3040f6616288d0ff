//! Values of a generated model's tensors, drawn from a seed. Their size lets recurrent state, attention and
//! lower layers influence the result. Speed doesn't depend on the values. Translations of drawn Transformers
//! still tend to repeat words, so that shares of identical lines say little about such models.

use std::collections::BTreeMap;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::Recipe;
use super::shapes::{Kind, Shape};
use crate::safetensors::Stored;
use crate::{DType, Result};

/// Id of the end of the sentence in generated vocabularies.
const END: usize = 0;

/// Bias with which no sentence ends before its greatest length.
const NEVER: f32 = -1e4;

/// For recurrent networks: the factor of a product's reach, because gates make values smaller, and the reach
/// of word vectors. With these values, drawn rnn-fc networks give varied translations.
const RECURRENT: (f32, f32) = (1.6, 1.0);

/// For Transformers: the factor of products around attention to the source, with which the vectors of words
/// stay distinct in deep encoders. And the factor of that attention, which must choose words and outweigh the
/// last word.
const AROUND: f32 = 0.3;
const TO_SOURCE: f32 = 4.0;

/// Reach of biases on both sides of zero.
const BIAS: f32 = 0.1;

/// Greatest weight: the paper of rnn-fc clips weights to [-1, 1].
const MOST: f32 = 1.0;

/// Draws all tensors of the model.
pub(super) fn tensors(recipe: &Recipe) -> Result<BTreeMap<String, Stored>> {
    let transformer = recipe.config().text("type").is_ok_and(|kind| kind == "transformer");
    let drawn = |shape: Shape| {
        let bytes = values(&shape, reach(&shape, transformer), recipe.seed);
        let flat = recipe.is_encoder() && matches!(shape.kind, Kind::Bias | Kind::Scale);
        let shape_in_file = if flat { vec![shape.columns] } else { vec![shape.rows, shape.columns] };
        (shape.name, Stored { dtype: DType::F32, shape: shape_in_file, bytes })
    };
    Ok(recipe.shapes()?.into_iter().map(drawn).collect())
}

/// The reach of a tensor's values on both sides of zero. With √(3/inputs), a product keeps the size of its
/// operand.
fn reach(shape: &Shape, transformer: bool) -> f32 {
    let keeps = |inputs: usize| (3.0 / inputs as f32).sqrt();
    match shape.kind {
        Kind::Scale => 0.0,
        Kind::Bias | Kind::WordBias => BIAS,
        // In the output layer, a word's vector is a column.
        Kind::Words if transformer => keeps(shape.columns),
        Kind::Words => RECURRENT.1,
        Kind::Transposed => keeps(shape.columns),
        Kind::Product if !transformer => (RECURRENT.0 * keeps(shape.rows)).min(MOST),
        Kind::Product if shape.name.contains("_context_") => TO_SOURCE * keeps(shape.rows),
        Kind::Product => AROUND * keeps(shape.rows),
    }
}

fn values(shape: &Shape, reach: f32, seed: u64) -> Vec<u8> {
    let count = shape.rows * shape.columns;
    if shape.kind == Kind::Scale {
        return 1f32.to_le_bytes().repeat(count);
    }
    let mut draw = Draw::new(seed, &shape.name);
    let mut bytes = Vec::with_capacity(4 * count);
    (0..count).for_each(|_| bytes.extend((reach * draw.between()).to_le_bytes()));
    if shape.kind == Kind::WordBias {
        bytes[4 * END..][..4].copy_from_slice(&NEVER.to_le_bytes());
    }
    bytes
}

/// A sequence of random numbers that is the same on every host: SplitMix64 (Steele, Lea, Flood 2014).
pub(super) struct Draw(SplitMix64);

impl Draw {
    /// The sequence of a seed and a purpose; FNV-1a makes one state of both.
    pub(super) fn new(seed: u64, purpose: &str) -> Self {
        let hash = |h: u64, byte: u8| (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        let state = purpose.bytes().fold(0xcbf2_9ce4_8422_2325 ^ seed, hash);
        Self(SplitMix64::seed_from_u64(state))
    }

    /// A number between -1 and 1, in steps that f32 holds exactly.
    fn between(&mut self) -> f32 {
        const STEPS: f32 = (1u32 << 23) as f32;
        (self.0.next_u64() >> 40) as f32 / STEPS - 1.0
    }

    /// A number in [0, 1).
    pub(super) fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other numbers would change every drawn model.
    #[test]
    fn the_sequence_of_a_state_is_split_mix_64() {
        let mut random = SplitMix64::seed_from_u64(1_234_567);
        let drawn = [(); 3].map(|()| random.next_u64());
        assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_purpose_has_a_sequence_of_its_own() {
        let first = |seed, purpose| Draw::new(seed, purpose).0.next_u64();
        assert_eq!(first(0, ""), SplitMix64::seed_from_u64(0xcbf2_9ce4_8422_2325).next_u64());
        assert_ne!(first(1, "Wemb"), first(2, "Wemb"));
        assert_ne!(first(1, "Wemb"), first(1, "Wpos"));
    }
}
