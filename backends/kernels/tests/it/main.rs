//! Every instruction set that this processor has, held to plain loops and to the bits of the plain code.

#![allow(clippy::unwrap_used)] // helpers of tests, too, fail by panicking

mod allocator;
mod attention;
mod candidates;
mod cells;
mod crew;
mod heads;
mod isa;
mod oracle;
mod outputs;
mod panels;
mod products;
mod properties;
mod scaled;
mod tuning;
mod vector;
