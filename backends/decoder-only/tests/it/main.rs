//! Language models of each family, drawn small, against llama.cpp and against a network in plain loops.

#![allow(clippy::unwrap_used)] // helpers of tests, too, fail by panicking

mod answers;
mod goldens;
mod logits;
mod reference;
mod refusals;
mod tokens;
