//! Papers on fast translation: their tables as data, and the same tables measured again beside them.
//!
//! Judgements of cells come from `dyno-results`, charts and pages from `dyno-report`. This crate measures nothing and
//! reads no file.

pub mod published;
pub mod reproduction;
mod tables;

pub use tables::{Error, Precision, Product, Quantity, Result, Table, tables};
