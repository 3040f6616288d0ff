//! The crate from outside: against the reference's answers, and against hostile files.

mod fixtures;
mod goldens;
mod hostile;
