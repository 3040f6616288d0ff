//! The table `opennmt` of a model directory, which is dyno's own: it describes OpenNMT's network where no
//! checkpoint does. docs/FORMAT.md lists its keys and the tensors.

use crate::spec::{Cell, Directions, GlobalAttention, ModelSpec, NetworkSpec, OpenNmtSpec, VectorsSpec};
use crate::table::Table;
use crate::yaml::{Entries, Value};
use crate::{MarianConfig, Result};

/// Name of the table.
pub(crate) const TABLE: &str = "opennmt";

/// All keys of the table.
const KEYS: [&str; 13] = [
    "attention",
    "cell",
    "dec-depth",
    "dim-emb",
    "dim-emb-target",
    "dim-state",
    "dim-vocabs",
    "enc-depth",
    "enc-type",
    "input-feed",
    "start-word",
    "tied-embeddings",
    "tied-embeddings-src",
];

/// Directions of the encoder: by OpenNMT-py's names, and `-brnn_merge sum`, the default of OpenNMT in Lua.
pub(super) const DIRECTIONS: [(&str, Directions); 3] =
    [("rnn", Directions::Forward), ("brnn", Directions::Joined), ("brnn-sum", Directions::Summed)];

/// Kinds of attention by OpenNMT-py's names.
pub(super) const ATTENTIONS: [(&str, GlobalAttention); 3] = [
    ("dot", GlobalAttention::Dot),
    ("general", GlobalAttention::General),
    ("mlp", GlobalAttention::Perceptron),
];

/// The network that the table describes.
///
/// # Errors
/// When a key is unknown, has a value that makes no sense, or contradicts another.
pub(crate) fn spec(config: &MarianConfig) -> Result<ModelSpec> {
    let (table, words) = (Table::of(config, TABLE, &KEYS)?, config.vocabulary_sizes()?);
    let source = table.positive("dim-emb")?;
    let target = if config.has("dim-emb-target") { table.positive("dim-emb-target")? } else { source };
    let network = OpenNmtSpec {
        embeddings: [source, target],
        state: table.positive("dim-state")?,
        cell: table.cell("cell")?,
        depths: [table.positive("enc-depth")?, table.positive("dec-depth")?],
        directions: directions(table)?,
        feeds: table.flag("input-feed", true)?,
        attention: attention(table)?,
        start_word: start_word(table, words[1])?,
    };
    let vectors = VectorsSpec {
        shared: table.flag("tied-embeddings-src", false)?,
        tied: table.flag("tied-embeddings", false)?,
        bias: true,
    };
    refuse_unfit(config, &network, (words, vectors))?;
    Ok(ModelSpec { origin: config.origin().into(), words, vectors, network: NetworkSpec::OpenNmt(network) })
}

/// Refuses sizes that contradict each other, as in the file `config`.
pub(super) fn refuse_unfit(
    config: &MarianConfig,
    network: &OpenNmtSpec,
    (words, vectors): ([usize; 2], VectorsSpec),
) -> Result<()> {
    let ([source, target], [encoder, decoder]) = (network.embeddings, network.depths);
    let faults = [
        (
            "dim-state",
            network.directions == Directions::Joined && !network.state.is_multiple_of(2),
            "must be even: two directions share it",
        ),
        ("dec-depth", decoder > encoder, "is more than the encoder's; each layer starts from one of those"),
        (
            "tied-embeddings",
            vectors.tied && target != network.state,
            "asks for embeddings as wide as the state",
        ),
        (
            "tied-embeddings-src",
            vectors.shared && (words[0] != words[1] || source != target),
            "asks for one vocabulary, and for one width",
        ),
    ];
    match faults.into_iter().find(|(_, unfit, _)| *unfit) {
        Some((key, _, fault)) => Err(config.fault(key, fault)),
        None => Ok(()),
    }
}

fn directions(table: Table<'_>) -> Result<Directions> {
    let remedy = "the engine has brnn, rnn and brnn-sum";
    named(table, ("enc-type", "brnn"), &DIRECTIONS, remedy)
}

fn attention(table: Table<'_>) -> Result<GlobalAttention> {
    named(table, ("attention", "general"), &ATTENTIONS, "the engine has general, dot and mlp")
}

/// The value of `key` among named ones.
fn named<T: Copy>(
    table: Table<'_>,
    (key, otherwise): (&str, &'static str),
    known: &[(&str, T)],
    remedy: &'static str,
) -> Result<T> {
    let name = table.word(key, otherwise)?;
    let found = known.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| table.unsupported(key, name, remedy))
}

/// The name of a value.
fn name_of<T: PartialEq>(value: T, known: &[(&'static str, T)]) -> String {
    known.iter().find(|(_, other)| *other == value).map_or_else(String::new, |(name, _)| (*name).to_owned())
}

/// The word that the decoder reads first: `<s>` of OpenNMT-py's lists, where nothing else is said.
fn start_word(table: Table<'_>, words: usize) -> Result<u32> {
    const KEY: &str = "start-word";
    const BEGIN: usize = 2;
    match table.count(KEY, BEGIN)? {
        word if word < words => Ok(word as u32),
        word => Err(table.0.fault(KEY, format!("is {word}, but the vocabulary has {words} words"))),
    }
}

/// The table of a network: the reverse of [`spec`].
///
/// # Errors
/// When the network is of another kind.
pub(crate) fn entries_of(spec: &ModelSpec) -> Result<Entries> {
    let network = spec.opennmt()?;
    let texts = [
        ("attention", name_of(network.attention, &ATTENTIONS)),
        ("cell", if network.cell == Cell::Lstm { "lstm" } else { "gru" }.to_owned()),
        ("dec-depth", network.depths[1].to_string()),
        ("dim-emb", network.embeddings[0].to_string()),
        ("dim-emb-target", network.embeddings[1].to_string()),
        ("dim-state", network.state.to_string()),
        ("enc-depth", network.depths[0].to_string()),
        ("enc-type", name_of(network.directions, &DIRECTIONS)),
        ("input-feed", network.feeds.to_string()),
        ("start-word", network.start_word.to_string()),
        ("tied-embeddings", spec.vectors.tied.to_string()),
        ("tied-embeddings-src", spec.vectors.shared.to_string()),
    ];
    let sizes = Value::List(spec.words.map(|size| Value::Text(size.to_string())).into());
    let entries = texts.map(|(key, value)| (key.to_owned(), Value::Text(value)));
    Ok(entries.into_iter().chain([("dim-vocabs".to_owned(), sizes)]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: &str = "dim-vocabs: [8, 9]\ndim-emb: 4\ndim-state: 6\nenc-depth: 2\ndec-depth: 1\n";

    fn read(keys: &str) -> Result<ModelSpec> {
        spec(&MarianConfig::from_yaml("model.toml", &format!("{SHAPE}{keys}")).unwrap())
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (keys, named) in [
            ("attention: general2", "`attention`: `general2` is not supported"),
            ("cell: sru", "`cell`: `sru` is not supported"),
            ("enc-type: cnn", "`enc-type`: `cnn` is not supported"),
            ("start-word: 9", "`start-word`: is 9, but the vocabulary has 9 words"),
            ("tied-embeddings: true", "`tied-embeddings`: asks for embeddings as wide as the state"),
            ("tied-embeddings-src: true", "`tied-embeddings-src`: asks for one vocabulary"),
            ("bridge: true", "`bridge`: is no key of an opennmt"),
        ] {
            let told = read(keys).unwrap_err().to_string();
            assert!(told.contains(named), "{keys}: {told}");
        }
        for (from, to, named) in [
            ("dim-state: 6", "dim-state: 5", "`dim-state`: must be even"),
            ("dec-depth: 1", "dec-depth: 3", "`dec-depth`: is more than the encoder's"),
            ("enc-depth: 2", "enc-depth: 0", "`enc-depth`: is 0"),
        ] {
            let config = MarianConfig::from_yaml("model.toml", &SHAPE.replace(from, to)).unwrap();
            let told = spec(&config).unwrap_err().to_string();
            assert!(told.contains(named), "{to}: {told}");
        }
    }

    #[test]
    fn a_written_table_describes_the_same_network() {
        for keys in [
            "",
            "enc-type: brnn-sum",
            "attention: mlp\ncell: lstm\nenc-type: rnn\ninput-feed: false\nstart-word: 3\ndim-emb-target: 5",
        ] {
            let model = read(keys).unwrap();
            let written = MarianConfig::from_entries(model.origin.clone(), entries_of(&model).unwrap());
            assert_eq!(spec(&written).unwrap(), model);
        }
    }
}
