//! Attention of a sentence's positions to each other, as products whose operands are packed on the spot.

mod heads;
mod operand;

pub use heads::SelfAttention;
