//! Marian's recurrent models, and refusals of values that no engine has.

use super::MarianConfig;
use crate::spec::{Cell, EncoderKind, NormStyle, RecurrentSpec};
use crate::{Error, Fault, Result};

/// The recurrent network of `config`.
pub(super) fn read(config: &MarianConfig) -> Result<RecurrentSpec> {
    let kind = config.text("type")?;
    let normalised = config.flag("layer-normalization")?;
    let style = match (normalised, kind) {
        (false, _) => NormStyle::None,
        (true, "nematus") => NormStyle::Nematus,
        (true, _) => NormStyle::Gamma,
    };
    let network = RecurrentSpec {
        renamed: kind != "s2s",
        embedding: positive(config, "dim-emb", 1)?,
        state: positive(config, "dim-rnn", 1)?,
        encoder: encoder(config)?,
        encoder_cell: cell(config, "enc-cell")?,
        encoder_depth: positive(config, "enc-depth", 1)?,
        encoder_cells: positive(config, "enc-cell-depth", 1)?,
        decoder_cell: cell(config, "dec-cell")?,
        decoder_depth: positive(config, "dec-depth", 1)?,
        decoder_cells: [
            positive(config, "dec-cell-base-depth", 2)?,
            positive(config, "dec-cell-high-depth", 1)?,
        ],
        skip: config.flag("skip")?,
        normalised,
        style,
    };
    refuse_missing_transitions(&network, config)?;
    refuse_attention(config)?;
    Ok(network)
}

/// Refuses `gru-nematus` as a further layer of the decoder: Marian reads an absent input there, so that
/// no model can have it.
fn refuse_missing_transitions(network: &RecurrentSpec, config: &MarianConfig) -> Result<()> {
    let nematus = |cell| cell == Cell::GruNematus;
    if nematus(network.decoder_cell) && network.decoder_depth > 1 && network.decoder_cells[1] > 1 {
        return Err(unsupported(
            config,
            "dec-cell-high-depth",
            "several cells gru-nematus in a higher layer",
        ));
    }
    let upper = network.encoder == EncoderKind::BiUnidirectional && network.encoder_depth > 1;
    if nematus(network.encoder_cell) && upper && network.encoder_cells > 1 {
        return Err(unsupported(
            config,
            "enc-cell-depth",
            "several cells gru-nematus in a unidirectional layer",
        ));
    }
    Ok(())
}

fn positive(config: &MarianConfig, key: &str, least: usize) -> Result<usize> {
    match config.count(key)? {
        count if count >= least => Ok(count),
        count => Err(config.fault(key, format!("is {count}; {least} or more was expected"))),
    }
}

fn encoder(config: &MarianConfig) -> Result<EncoderKind> {
    const KEY: &str = "enc-type";
    match config.text(KEY)? {
        "bidirectional" => Ok(EncoderKind::Bidirectional),
        "alternating" => Ok(EncoderKind::Alternating),
        "bi-unidirectional" => Ok(EncoderKind::BiUnidirectional),
        other => Err(unsupported(config, KEY, &format!("the encoder `{other}`"))),
    }
}

fn cell(config: &MarianConfig, key: &str) -> Result<Cell> {
    match config.text(key)? {
        "gru" => Ok(Cell::Gru),
        "gru-nematus" => Ok(Cell::GruNematus),
        "lstm" => Ok(Cell::Lstm),
        other => Err(unsupported(config, key, &format!("the cell `{other}` in a recurrent model"))),
    }
}

/// Refuses attention with several hops or heads, or with projections. Keys of later versions pass with the
/// value that means none.
fn refuse_attention(config: &MarianConfig) -> Result<()> {
    for (key, plain) in [
        ("dec-attention-hops", "1"),
        ("dec-attention-heads", "1"),
        ("dec-attention-lookup-dim", "-1"),
        ("dec-attention-projection-dim", "-1"),
        ("dec-attention-bilinear-lookup", "false"),
    ] {
        if config.has(key) && config.text(key)? != plain {
            return Err(unsupported(config, key, "this kind of attention"));
        }
    }
    Ok(())
}

fn unsupported(config: &MarianConfig, key: &str, what: &str) -> Error {
    let remedy = "the engines have bidirectional, alternating and bi-unidirectional encoders, the cells gru, gru-nematus and \
                  lstm, and attention of one head";
    config.fault(key, Fault::unsupported(what, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(keys: &str) -> String {
        let text = format!("type: s2s\ndim-vocabs: [8, 8]\n{keys}");
        MarianConfig::from_yaml("model.yml", &text).unwrap().spec().unwrap_err().to_string()
    }

    #[test]
    fn unknown_cells_and_encoders_are_named() {
        for (keys, named) in [
            ("enc-cell: sru", "the cell `sru`"),
            ("dec-cell: mlstm", "the cell `mlstm`"),
            ("enc-type: convolutional", "the encoder `convolutional`"),
            ("dec-attention-heads: 4", "`dec-attention-heads`"),
            ("dec-cell-base-depth: 1", "`dec-cell-base-depth`: is 1; 2 or more was expected"),
            ("dec-cell: gru-nematus\ndec-depth: 2\ndec-cell-high-depth: 2", "`dec-cell-high-depth`"),
            (
                "enc-cell: gru-nematus\nenc-cell-depth: 2\nenc-depth: 2\nenc-type: bi-unidirectional",
                "`enc-cell-depth`",
            ),
        ] {
            let refusal = refusal(keys);
            assert!(refusal.contains(named), "{keys}: {refusal}");
        }
    }
}
