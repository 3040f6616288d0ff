//! Typed getters of a table in `model.toml` that describes a network, with defaults of the table's own.

use crate::spec::Cell;
use crate::{Error, Fault, MarianConfig, Result};

/// A table, whose keys must be known.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a>(pub(crate) &'a MarianConfig);

impl<'a> Table<'a> {
    /// The table `name`, which has no other keys than `keys`.
    pub(crate) fn of(config: &'a MarianConfig, name: &str, keys: &[&str]) -> Result<Self> {
        match config.entries().iter().find(|(key, _)| !keys.contains(&key.as_str())) {
            None => Ok(Self(config)),
            Some((key, _)) => {
                Err(config.fault(key, format!("is no key of an {name}; they are {}", keys.join(", "))))
            }
        }
    }

    pub(crate) fn count(self, key: &str, otherwise: usize) -> Result<usize> {
        if self.0.has(key) { self.0.count(key) } else { Ok(otherwise) }
    }

    pub(crate) fn positive(self, key: &str) -> Result<usize> {
        if !self.0.has(key) {
            return Err(self.0.fault(key, "is missing; a number above 0 was expected"));
        }
        match self.0.count(key)? {
            0 => Err(self.0.fault(key, "is 0; a number above 0 was expected")),
            count => Ok(count),
        }
    }

    pub(crate) fn flag(self, key: &str, otherwise: bool) -> Result<bool> {
        if self.0.has(key) { self.0.flag(key) } else { Ok(otherwise) }
    }

    pub(crate) fn word(self, key: &str, otherwise: &'a str) -> Result<&'a str> {
        if self.0.has(key) { self.0.text(key) } else { Ok(otherwise) }
    }

    pub(crate) fn cell(self, key: &str) -> Result<Cell> {
        match self.word(key, "gru")? {
            "gru" => Ok(Cell::Gru),
            "lstm" => Ok(Cell::Lstm),
            other => Err(self.unsupported(key, other, "the engine has the cells gru and lstm")),
        }
    }

    /// Refuses a key that has no effect beside the others: it must be a mistake.
    pub(crate) fn refuse_idle(self, key: &str, reason: &str) -> Result<()> {
        if self.0.has(key) { Err(self.0.fault(key, format!("says nothing here: {reason}"))) } else { Ok(()) }
    }

    pub(crate) fn unsupported(self, key: &str, value: &str, remedy: &'static str) -> Error {
        self.0.fault(key, Fault::unsupported(format!("`{value}`"), remedy))
    }
}
