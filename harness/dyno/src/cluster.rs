//! Kinds of nodes of a cluster, and names that its engine takes.

use std::str::FromStr;

use dyno_record::hash_of;
use serde::Serialize;

use crate::publication;

/// A kind of node, and the instance that prices it.
#[derive(Clone, Debug, Serialize)]
pub struct Kind {
    /// Name of the kind, as the engine knows it.
    pub name: String,
    /// Name for a resource.
    slug: String,
    /// Name of the instance in the table of prices, if it isn't found by the processor.
    price: Option<String>,
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, price) = text.split_once('=').map_or((text, None), |(name, price)| (name, Some(price)));
        let is_plain = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        };
        match is_plain(name) && price.is_none_or(is_plain) {
            true => Ok(Self { name: name.into(), slug: slug(name), price: price.map(Into::into) }),
            false => Err("expected KIND or KIND=INSTANCE, of letters, digits and `-_.`".into()),
        }
    }
}

/// Most characters of a slug. Kubernetes allows 63 for a job's name, which holds two slugs and a shard.
const LONGEST_SLUG: usize = 24;

/// Small letters, digits and hyphens. A name that is too long, or has none of them, is told by its hash.
pub fn slug(name: &str) -> String {
    let slug = publication::slug(name);
    if (1..=LONGEST_SLUG).contains(&slug.len()) {
        return slug;
    }
    let hash = &hash_of(name.as_bytes())[..6];
    let start = slug[..slug.len().min(LONGEST_SLUG - 7)].trim_end_matches('-');
    if start.is_empty() { format!("x{hash}") } else { format!("{start}-{hash}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_makes_a_slug_that_kubernetes_takes() {
        assert_eq!(slug("C7a.2xlarge"), "c7a-2xlarge");
        for name in ["größe", "日本", "", "--", &"a-".repeat(60), &"b".repeat(200)] {
            let slug = slug(name);
            assert!((1..=LONGEST_SLUG).contains(&slug.len()), "{slug}");
            assert!(slug.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()), "{slug}");
            assert!(slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{slug}");
        }
        assert_ne!(slug(&"b".repeat(200)), slug(&"b".repeat(201)));
    }
}
