//! The crate from outside.
fn main() {}
