//! Two sides of a cell, compared: speeds by their rounds, texts by their quality. `dyno compare` asks it of two
//! runs, the gate of two systems that it measures side by side.

mod quality;
mod speed;

pub use quality::Quality;
pub use speed::{
    Change, Comparison, LEAST_PAIRS, MOST_PAIRS, PAIRS, Question, SIGNIFICANT, Speeds, TOLERATED_SLOW_DOWN,
    judge,
};
