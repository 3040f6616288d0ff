//! Scripts that submit the shards of a campaign to an existing engine: Slurm, Kubernetes or SkyPilot. dyno
//! schedules nothing itself. The scripts are templates that people read and change.

use std::fmt;
use std::str::FromStr;

use dyno_record::hash_of;

use crate::campaign::Campaign;

const SLURM: &str = include_str!("slurm.sh");
const KUBERNETES: &str = include_str!("kubernetes.yaml");
const SKYPILOT: &str = include_str!("skypilot.yaml");

/// A kind of node, and the instance that prices it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Name of the kind, as the engine knows it.
    name: String,
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
            true => Ok(Self { name: name.into(), price: price.map(Into::into) }),
            false => Err("expected KIND or KIND=INSTANCE, of letters, digits and `-_.`".into()),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Kind {
    /// Name for a resource: small letters, digits and hyphens.
    fn slug(&self) -> String {
        slug(&self.name)
    }
}

/// What all scripts of a campaign share.
pub struct Job<'a> {
    /// Campaign to measure.
    pub campaign: &'a Campaign,
    /// Path of the campaign file where the jobs run.
    pub path: &'a str,
    /// Number of shards for each kind.
    pub shards: usize,
    /// Folder of the runs where the jobs run.
    pub out: &'a str,
    /// Further options of `dyno run`, as words for a shell.
    pub options: &'a str,
}

impl Job<'_> {
    /// The script for Slurm: an array for each kind of node, or one array for all nodes.
    pub fn slurm(&self, dyno: &str, kinds: &[Kind]) -> String {
        let submission = |kind: &Kind| {
            let price = kind.price.as_ref().map(|price| format!("PRICE={price} ")).unwrap_or_default();
            format!("jobs+=(\"$({price}submit {kind} --constraint={kind})\")\n")
        };
        let submissions: String = match kinds {
            [] => "jobs+=(\"$(submit node)\")\n".into(),
            kinds => kinds.iter().map(submission).collect(),
        };
        let priced =
            if kinds.iter().any(|kind| kind.price.is_some()) { " ${PRICE:+--price \"$PRICE\"}" } else { "" };
        let options = format!("{}{priced}", self.options_text());
        self.filled(SLURM)
            .replace("@OPTIONS@", &options)
            .replace("@DYNO@", dyno)
            .replace("@SUBMISSIONS@\n", &submissions)
    }

    /// The Jobs for Kubernetes, one for each kind of node.
    pub fn kubernetes(&self, kinds: &[Kind], image: &str, claim: &str) -> String {
        let job = |kind: &Kind| {
            let text = self.of_kind(KUBERNETES, kind);
            text.replace("@IMAGE@", image).replace("@CLAIM@", claim)
        };
        kinds.iter().map(job).collect::<Vec<_>>().join("---\n")
    }

    /// The task for SkyPilot on one kind of node.
    pub fn skypilot(&self, kind: &Kind) -> String {
        self.of_kind(SKYPILOT, kind)
    }

    fn of_kind(&self, template: &str, kind: &Kind) -> String {
        let price = kind.price.as_ref().map(|price| format!(" --price {price}")).unwrap_or_default();
        let options = format!("{}{price}", self.options_text());
        let text = self.filled(template).replace("@OPTIONS@", &options);
        text.replace("@KIND@", &kind.name).replace("@SLUG@", &kind.slug())
    }

    fn options_text(&self) -> String {
        if self.options.is_empty() { String::new() } else { format!(" {}", self.options) }
    }

    fn filled(&self, template: &str) -> String {
        template
            .replace("@NAME@", &self.campaign.name)
            .replace("@JOB@", &slug(&self.campaign.name))
            .replace("@CAMPAIGN@", self.path)
            .replace("@OUT@", self.out)
            .replace("@SHARDS@", &self.shards.to_string())
    }
}

/// Most characters of a slug. Kubernetes allows 63 for a job's name, which holds two slugs and a shard.
const LONGEST_SLUG: usize = 24;

/// Small letters, digits and hyphens. A name that is too long, or has none of them, is told by its hash.
fn slug(name: &str) -> String {
    let letters = name.to_lowercase();
    let words = letters.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-");
    if (1..=LONGEST_SLUG).contains(&slug.len()) {
        return slug;
    }
    let hash = &hash_of(name.as_bytes())[..6];
    let start = slug[..slug.len().min(LONGEST_SLUG - 7)].trim_end_matches('-');
    if start.is_empty() { format!("x{hash}") } else { format!("{start}-{hash}") }
}

/// Fault of a path or an option that a script would have to quote: the scripts stay plain, for people to
/// read.
pub fn word_fault(word: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@+".contains(c);
    let fine = !word.is_empty() && word.chars().all(is_plain);
    (!fine)
        .then(|| format!("{word:?} would need quotes in the script: use letters, digits and `-_./=:@+` only"))
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
