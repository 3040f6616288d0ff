//! The protocol's words: enumerations whose variants are written the same in records, tables and the command line.
//! serde's attributes define the names.

use serde::Serialize;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{Deserialize, IntoDeserializer};

/// Defines an enumeration of words, its `ALL` in the order of the definition, their names and meanings. The first word
/// is the default. A word may have a text of its own, such as a remedy.
#[macro_export]
macro_rules! words {
    ($(#[$of_all:meta])* pub enum $Words:ident { $(
        $(#[doc = $meaning:literal])+ $(#[serde($($named:tt)*)])? $Word:ident $(=> $text:literal)?,
    )* }) => {
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize
        )]
        $(#[$of_all])*
        pub enum $Words {
            $($(#[doc = $meaning])+ $(#[serde($($named)*)])? $Word,)*
        }

        impl $Words {
            /// All of them, in the order of tables and documents.
            pub const ALL: [Self; [$(stringify!($Word)),*].len()] = [$(Self::$Word),*];
            /// Name in campaigns, records and tables.
            pub fn name(self) -> &'static str {
                $crate::rules::names::name_of(&self)
            }
            /// The word's own text, else its name.
            pub fn text(self) -> &'static str {
                match [$(concat!("" $(, $text)?)),*][self as usize] {
                    "" => self.name(),
                    text => text,
                }
            }
        }

        impl $crate::rules::names::Word for $Words {
            fn meaning(self) -> &'static str {
                [$(concat!($($meaning),+)),*][self as usize].trim().trim_end_matches('.')
            }
        }

        impl Default for $Words {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl std::fmt::Display for $Words {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub use words;

/// What the definition of a word says of it.
pub trait Word {
    /// Meaning of the word, as in its description.
    fn meaning(self) -> &'static str;
}

/// Name of a variant, as in records.
pub fn name_of(word: &impl Serialize) -> &'static str {
    serde_variant::to_variant_name(word).expect("the protocol's terms are variants without fields")
}

/// Term of that name, or serde's message about an unknown name.
pub fn named<'a, T: Deserialize<'a>>(name: &'a str) -> Result<T, String> {
    let deserializer: StrDeserializer<'a, Error> = name.into_deserializer();
    T::deserialize(deserializer).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Code, Probe, Track, Verdict};

    #[test]
    fn names_are_those_of_records_and_lead_back() {
        assert_eq!(name_of(&Track::Throughput1), "throughput-1");
        assert_eq!(name_of(&Code::BlockBuffered), "block_buffered");
        assert_eq!(name_of(&Verdict::Invalid), "INVALID");
        assert_eq!(named::<Probe>("coalescing"), Ok(Probe::Coalescing));
        assert!(named::<Track>("latencies").unwrap_err().contains("expected one of `latency`"));
    }
}
