//! dyno as a person or a script meets it: the built program, its files, its exit codes.
#![allow(clippy::unwrap_used)] // helpers of tests fail like tests

mod answers;
mod bad_input;
mod breakdown;
mod browser;
mod cheats;
mod clusters;
mod comparing;
mod contestants;
mod detectors;
mod exporting;
mod foreign_files;
mod installed;
mod merging;
mod misbehaviour;
mod models;
mod patience;
mod plugins;
mod published;
mod publishing;
mod report;
mod report_shown;
mod reproduce;
mod resume;
mod run;
mod sandbox;
mod schema;
mod scoring;
mod shipped_workers;
mod support;
mod testsets;
mod translate;
mod workers;
