//! Networks with fully-connected layers: the table `rnn-fc` of a model directory, which is dyno's own, and
//! refusals of unknown or contradicting keys. docs/FORMAT.md lists its keys and the tensors.

use crate::spec::{
    Cell, FullyConnectedSpec, ModelSpec, NetworkSpec, SourceSpec, TargetSpec, TopSpec, VectorsSpec,
};
use crate::table::Table;
use crate::{MarianConfig, Result};

/// Name of the table.
pub(crate) const TABLE: &str = "rnn-fc";

/// All keys of the table.
const KEYS: [&str; 16] = [
    "dim-attention",
    "dim-emb",
    "dim-fc",
    "dim-source",
    "dim-target",
    "dim-top",
    "dim-vocabs",
    "fc-depth",
    "skip",
    "source-cell",
    "source-depth",
    "source-type",
    "target-cell",
    "tied-embeddings-all",
    "top",
    "top-depth",
];

/// The network that the table describes.
///
/// # Errors
/// When a key is unknown, has no effect beside the others, or has a value that makes no sense.
pub(crate) fn spec(config: &MarianConfig) -> Result<ModelSpec> {
    let (table, words) = (Table::of(config, TABLE, &KEYS)?, config.vocabulary_sizes()?);
    let tied = table.flag("tied-embeddings-all", true)?;
    let network = FullyConnectedSpec {
        embedding: table.positive("dim-emb")?,
        source: SourceSpec {
            cell: table.cell("source-cell")?,
            depth: table.positive("source-depth")?,
            width: table.positive("dim-source")?,
            both: both(table)?,
        },
        target: TargetSpec {
            cell: table.cell("target-cell")?,
            width: table.positive("dim-target")?,
            attention: table.positive("dim-attention")?,
        },
        fc: fully_connected(table)?,
        top: top(table)?,
        skip: table.flag("skip", false)?,
    };
    if tied {
        refuse_untieable(config, &network, words)?;
    }
    let (origin, vectors) = (config.origin().into(), VectorsSpec { shared: tied, tied, bias: true });
    Ok(ModelSpec { origin, words, vectors, network: NetworkSpec::FullyConnected(network) })
}

/// Refuses tied embeddings that can't be: one matrix needs one width and one vocabulary.
fn refuse_untieable(config: &MarianConfig, network: &FullyConnectedSpec, words: [usize; 2]) -> Result<()> {
    const KEY: &str = "tied-embeddings-all";
    let (hidden, embedding) = (network.hidden(), network.embedding);
    if hidden != embedding {
        let what = format!("asks for a top as wide as the embeddings; {hidden} isn't {embedding}");
        return Err(config.fault(KEY, what));
    }
    if words[0] != words[1] {
        return Err(config.fault(KEY, "asks for one vocabulary; `dim-vocabs` has two sizes"));
    }
    Ok(())
}

fn both(table: Table<'_>) -> Result<bool> {
    const KEY: &str = "source-type";
    match table.word(KEY, "bidirectional")? {
        "bidirectional" => Ok(true),
        "bi-unidirectional" => Ok(false),
        other => Err(table.unsupported(KEY, other, "the engine has bidirectional and bi-unidirectional")),
    }
}

fn fully_connected(table: Table<'_>) -> Result<(usize, usize)> {
    let depth = table.count("fc-depth", 0)?;
    if depth == 0 {
        table.refuse_idle("dim-fc", "there are no fully-connected layers; `fc-depth` is 0")?;
        return Ok((0, 0));
    }
    Ok((depth, table.positive("dim-fc")?))
}

fn top(table: Table<'_>) -> Result<TopSpec> {
    const KEY: &str = "top";
    let width = || match table.0.has("dim-top") {
        true => table.positive("dim-top"),
        false => table.positive("dim-emb"),
    };
    let cell = match table.word(KEY, "tanh")? {
        "gru" => Cell::Gru,
        "lstm" => Cell::Lstm,
        plain => {
            table.refuse_idle("top-depth", "only a recurrent top has several layers")?;
            return match plain {
                "tanh" => Ok(TopSpec::Tanh(width()?)),
                "none" => table.refuse_idle("dim-top", "there is no top").map(|()| TopSpec::None),
                other => Err(table.unsupported(KEY, other, "the engine has none, tanh, gru and lstm")),
            };
        }
    };
    let depth = if table.0.has("top-depth") { table.positive("top-depth")? } else { 1 };
    Ok(TopSpec::Recurrent { cell, depth, width: width()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: &str = "dim-vocabs: [8, 8]\ndim-emb: 4\nsource-depth: 1\ndim-source: 4\ndim-target: 4\n\
                         dim-attention: 4\n";

    fn refusal(keys: &str) -> String {
        spec(&MarianConfig::from_yaml("model.toml", keys).unwrap()).unwrap_err().to_string()
    }

    #[test]
    fn shapes_that_are_not_known_or_do_not_fit_are_named() {
        for (keys, named) in [
            ("source-cell: sru", "`source-cell`: `sru` is not supported"),
            ("target-cell: mlstm", "`target-cell`: `mlstm` is not supported"),
            ("source-type: alternating", "`source-type`: `alternating` is not supported"),
            ("top: relu", "`top`: `relu` is not supported"),
            ("top-depth: 2", "`top-depth`: says nothing here"),
            ("top: none\ndim-top: 4", "`dim-top`: says nothing here"),
            ("top: gru\ntop-depth: 0", "`top-depth`: is 0"),
            ("dim-fc: 4", "`dim-fc`: says nothing here"),
            ("fc-depth: 3", "`dim-fc`: is missing"),
            ("fc-depth: many", "`fc-depth`: is `many`"),
            ("fc-deptj: 3", "`fc-deptj`: is no key of an rnn-fc"),
            ("dim-top: 5", "`tied-embeddings-all`: asks for a top as wide as the embeddings; 5 isn't 4"),
            ("skip: perhaps", "`skip`: is `perhaps`"),
        ] {
            let refusal = refusal(&format!("{SHAPE}{keys}"));
            assert!(refusal.contains(named), "{keys}: {refusal}");
        }
        for (from, to, named) in [
            ("dim-emb: 4", "", "`dim-emb`: is missing"),
            ("dim-target: 4", "dim-target: 0", "`dim-target`: is 0"),
            ("[8, 8]", "[8, 9]", "`dim-vocabs` has two sizes"),
            ("[8, 8]", "[8]", "`dim-vocabs`: must list"),
        ] {
            let refusal = refusal(&SHAPE.replace(from, to));
            assert!(refusal.contains(named), "{to}: {refusal}");
        }
    }
}
