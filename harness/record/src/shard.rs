//! A shard: a part of a campaign that one job measures.
//!
//! Cells of a test set under a track are compared with each other, so such a group stays together. A campaign
//! of three test sets and two tracks has six groups; shard 2/4 measures the second and the sixth.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Every `of`-th group of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// Number of the shard, from 1.
    number: usize,
    /// Number of shards.
    of: usize,
}

/// More shards than a campaign has groups measure nothing; this bound only catches typing errors.
const MOST_SHARDS: usize = 10_000;

impl Shard {
    /// Whether the shard holds the group with that index.
    pub fn holds(self, group: usize) -> bool {
        group % self.of + 1 == self.number
    }

    /// Number of shards.
    pub fn of(self) -> usize {
        self.of
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) && of <= MOST_SHARDS => Ok(Self { number, of }),
            _ => Err("expected I/N, such as 2/6: the second of six shards".into()),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_lies_in_one_shard() {
        let shards: Vec<Shard> = (1..=4).map(|i| format!("{i}/4").parse().unwrap()).collect();
        for group in 0..10 {
            assert_eq!(shards.iter().filter(|shard| shard.holds(group)).count(), 1);
        }
        assert!(shards[1].holds(1) && shards[1].holds(5));
        assert_eq!(shards[1].to_string(), "2/4");
        for text in ["0/4", "5/4", "1", "a/b", "1/0", "-1/2", "1/99999"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
