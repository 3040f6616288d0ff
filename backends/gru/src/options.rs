//! Options of a recurrent model's configuration, and refusals of values that the engine lacks.

use dyno_formats::{Fault, MarianConfig, Result};

/// Directions of the encoder's layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EncoderKind {
    /// Two stacks, one for each direction, joined at the top.
    Bidirectional,
    /// Two stacks, each of which changes its direction at each layer.
    Alternating,
    /// One layer in both directions, and above it layers in reading order.
    BiUnidirectional,
}

/// A kind of cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// Gated recurrent unit.
    Gru,
    /// Gated recurrent unit with the norms of Nematus, where the model has norms.
    GruNematus,
    /// Long short-term memory.
    Lstm,
}

/// Position of layer normalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NormStyle {
    /// No normalisation.
    None,
    /// Norm of products, with a scale; the bias follows the norm.
    Gamma,
    /// Norm of products with their bias; the norm has its own scale and bias.
    Nematus,
}

/// Shape of a model.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) kind: String,
    /// Words of the source vocabulary and of the target vocabulary.
    pub(crate) words: [usize; 2],
    pub(crate) embedding: usize,
    pub(crate) state: usize,
    pub(crate) encoder: EncoderKind,
    pub(crate) encoder_cell: CellKind,
    pub(crate) encoder_depth: usize,
    pub(crate) encoder_cells: usize,
    pub(crate) decoder_cell: CellKind,
    pub(crate) decoder_depth: usize,
    /// Number of cells in the decoder's first layer, and in its other layers.
    pub(crate) decoder_cells: [usize; 2],
    pub(crate) normalised: bool,
    /// Style of attention, start state and deep output; cells have the style of their kind.
    pub(crate) style: NormStyle,
    pub(crate) skip: bool,
}

impl Options {
    pub(crate) fn read(config: &MarianConfig) -> Result<Self> {
        let kind = config.text("type")?.to_owned();
        let normalised = config.flag("layer-normalization")?;
        let style = match (normalised, kind.as_str()) {
            (false, _) => NormStyle::None,
            (true, "nematus") => NormStyle::Nematus,
            (true, _) => NormStyle::Gamma,
        };
        let options = Self {
            words: config.vocabulary_sizes()?,
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
            kind,
            normalised,
            style,
        };
        options.refuse_missing_transitions(config)?;
        refuse_attention(config)?;
        Ok(options)
    }

    /// Width of the encoder's output, C: two directions, unless layers in reading order stand above them.
    pub(crate) fn context(&self) -> usize {
        let upper = self.encoder == EncoderKind::BiUnidirectional && self.encoder_depth > 1;
        if upper { self.state } else { 2 * self.state }
    }

    /// Refuses `gru-nematus` as a further layer of the decoder: Marian reads an absent input there, so that
    /// no model can have it.
    fn refuse_missing_transitions(&self, config: &MarianConfig) -> Result<()> {
        let nematus = |cell| cell == CellKind::GruNematus;
        if nematus(self.decoder_cell) && self.decoder_depth > 1 && self.decoder_cells[1] > 1 {
            return Err(unsupported(
                config,
                "dec-cell-high-depth",
                "several cells gru-nematus in a higher layer",
            ));
        }
        let upper = self.encoder == EncoderKind::BiUnidirectional && self.encoder_depth > 1;
        if nematus(self.encoder_cell) && upper && self.encoder_cells > 1 {
            return Err(unsupported(
                config,
                "enc-cell-depth",
                "several cells gru-nematus in a unidirectional layer",
            ));
        }
        Ok(())
    }
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

fn cell(config: &MarianConfig, key: &str) -> Result<CellKind> {
    match config.text(key)? {
        "gru" => Ok(CellKind::Gru),
        "gru-nematus" => Ok(CellKind::GruNematus),
        "lstm" => Ok(CellKind::Lstm),
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

fn unsupported(config: &MarianConfig, key: &str, what: &str) -> dyno_formats::Error {
    let remedy = "this engine has bidirectional, alternating and bi-unidirectional encoders, the cells gru, gru-nematus and \
                  lstm, and attention of one head";
    config.fault(key, Fault::Unsupported { what: what.into(), remedy })
}
