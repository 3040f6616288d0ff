//! Values of a generated model's tensors, drawn from a seed. Their size lets recurrent state, attention and
//! lower layers influence the result. Speed doesn't depend on the values. Translations of drawn Transformers
//! still tend to repeat words, so that shares of identical lines say little about such models.

use std::collections::BTreeMap;
use std::f32::consts::LN_2;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::Recipe;
use super::shapes::{Kind, Shape};
use crate::safetensors::Stored;
use crate::{DType, Result};

/// First words of a translator's vocabulary: the end of the sentence and the unknown word.
pub(super) const SPECIAL: [&str; 2] = ["</s>", "<unk>"];

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
        let mut values = values(&shape, reach(&shape, transformer), recipe.seed);
        if shape.kind == Kind::WordBias {
            values[END] = NEVER;
            // A Transformer's logits lie so close together that it would repeat the most frequent word.
            if !transformer {
                favour_frequent_words(&mut values);
            }
        }
        let bytes = values.into_iter().flat_map(f32::to_le_bytes).collect();
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

fn values(shape: &Shape, reach: f32, seed: u64) -> Vec<f32> {
    let count = shape.rows * shape.columns;
    if shape.kind == Kind::Scale {
        return vec![1.0; count];
    }
    let mut draw = Draw::new(seed, &shape.name);
    (0..count).map(|_| reach * draw.between()).collect()
}

/// Adds the logarithm of a word's frequency to its bias, as training does; [`Draw::place`] has the law. So a recurrent
/// network's translations are of frequent words, whose products can be computed before. The unknown word is as rare as
/// the last one.
fn favour_frequent_words(bias: &mut [f32]) {
    let last = bias.len().ilog2();
    let octave = |id: usize| (id + 1 - SPECIAL.len()).checked_ilog2().unwrap_or(last);
    bias.iter_mut().enumerate().skip(END + 1).for_each(|(id, bias)| *bias -= LN_2 * octave(id) as f32);
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

    /// A place in a list of `count` words that begins with the most frequent ones. By Zipf's law (Human Behavior and
    /// the Principle of Least Effort, 1949) a word's frequency is the reciprocal of its place, so each doubling of
    /// places has the same share of a text.
    pub(super) fn place(&mut self, count: usize) -> usize {
        loop {
            let first = 1 << (self.share() * f64::from(count.ilog2() + 1)) as u32;
            let place = first + (self.share() * first as f64) as usize;
            if place <= count {
                return place - 1;
            }
        }
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

    #[test]
    fn each_doubling_of_places_is_drawn_as_often() {
        let mut draw = Draw::new(1, "places");
        let mut counts = [0; 10];
        (0..10_000).for_each(|_| counts[(draw.place(1023) + 1).ilog2() as usize] += 1);
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
        assert!((0..100).all(|_| draw.place(5) < 5));
    }

    #[test]
    fn rare_words_and_the_unknown_word_have_a_lower_bias() {
        let mut bias = [0.0; 12];
        favour_frequent_words(&mut bias);
        let octaves = bias.map(|bias| (-bias / LN_2).round() as u32);
        assert_eq!(octaves[1..], [3, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3]);
    }
}
