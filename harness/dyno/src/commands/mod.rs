//! The commands, a file or folder each: what their arguments do, and what they print. No command calls another;
//! `hosting` serves several.

pub mod adapters;
pub mod breakdown;
pub mod bundle;
pub mod cluster;
pub mod compare;
pub mod completions;
pub mod convert;
pub mod doctor;
pub mod explain;
pub mod export;
pub mod gate;
mod hosting;
pub mod leaderboard;
pub mod list;
pub mod merge;
pub mod publish;
pub mod report;
pub mod run;
pub mod score;
pub mod tokenize;
pub mod translate;
pub mod verify;
