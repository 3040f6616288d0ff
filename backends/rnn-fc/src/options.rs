//! Options of a model's configuration, and refusals of unknown or contradicting keys.

use dyno_formats::{Error, Fault, MarianConfig, Result};
use dyno_nn::recurrent::Cell;

/// Shape of a model.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Words of the source vocabulary and of the target vocabulary.
    pub(crate) words: [usize; 2],
    /// Width of embeddings, E.
    pub(crate) embedding: usize,
    /// Whether one matrix serves as the embeddings of both sides and as output layer.
    pub(crate) tied: bool,
    pub(crate) source: Source,
    pub(crate) target: Target,
    /// Number of fully-connected layers, and their width F.
    pub(crate) fc: (usize, usize),
    pub(crate) top: Top,
    /// Whether recurrent layers add their input, from the third layer of a stack on (Wu et al. 2016).
    pub(crate) skip: bool,
}

/// Recurrent layers of the source.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) cell: Cell,
    pub(crate) depth: usize,
    /// Width of one direction, S.
    pub(crate) width: usize,
    /// Whether all layers run in both directions, or the first one alone.
    pub(crate) both: bool,
}

/// Recurrent layer at the bottom of the target, which attends.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) cell: Cell,
    /// Width, R.
    pub(crate) width: usize,
    /// Width of the attention, A.
    pub(crate) attention: usize,
}

/// Layers between the fully-connected layers and the output layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Top {
    None,
    /// A fully-connected layer of this width with tanh.
    Tanh(usize),
    Recurrent {
        cell: Cell,
        depth: usize,
        width: usize,
    },
}

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

impl Options {
    pub(crate) fn read(config: &MarianConfig) -> Result<Self> {
        refuse_unknown(config)?;
        let table = Table(config);
        let options = Self {
            words: config.vocabulary_sizes()?,
            embedding: table.positive("dim-emb")?,
            tied: table.flag("tied-embeddings-all", true)?,
            source: Source {
                cell: table.cell("source-cell")?,
                depth: table.positive("source-depth")?,
                width: table.positive("dim-source")?,
                both: both(table)?,
            },
            target: Target {
                cell: table.cell("target-cell")?,
                width: table.positive("dim-target")?,
                attention: table.positive("dim-attention")?,
            },
            fc: fully_connected(table)?,
            top: top(table)?,
            skip: table.flag("skip", false)?,
        };
        options.refuse_untieable(config)?;
        Ok(options)
    }

    /// Width of the source words that attention reads, C.
    pub(crate) fn context(&self) -> usize {
        self.source.ways(self.source.depth) * self.source.width
    }

    /// Width of the output layer's input, H.
    pub(crate) fn hidden(&self) -> usize {
        match self.top {
            Top::None => self.below_top(),
            Top::Tanh(width) | Top::Recurrent { width, .. } => width,
        }
    }

    /// Width of the top's input.
    pub(crate) fn below_top(&self) -> usize {
        if self.fc.0 > 0 { self.fc.1 } else { self.target.width }
    }

    /// Refuses tied embeddings that can't be: one matrix needs one width and one vocabulary.
    fn refuse_untieable(&self, config: &MarianConfig) -> Result<()> {
        const KEY: &str = "tied-embeddings-all";
        if self.tied && self.hidden() != self.embedding {
            let (hidden, embedding) = (self.hidden(), self.embedding);
            let what = format!("asks for a top as wide as the embeddings; {hidden} isn't {embedding}");
            return Err(config.fault(KEY, what));
        }
        if self.tied && self.words[0] != self.words[1] {
            return Err(config.fault(KEY, "asks for one vocabulary; `dim-vocabs` has two sizes"));
        }
        Ok(())
    }
}

impl Source {
    /// Number of directions in which a layer runs; layers count from 1.
    pub(crate) fn ways(&self, layer: usize) -> usize {
        if self.both || layer == 1 { 2 } else { 1 }
    }
}

impl Target {
    /// Width of the cell's pre-activations: 3R or 4R.
    pub(crate) fn gates(&self) -> usize {
        self.cell.gates() * self.width
    }
}

impl Top {
    /// Widths of the recurrent layers in the top.
    pub(crate) fn states(self) -> impl Iterator<Item = usize> {
        let (depth, width) = match self {
            Self::Recurrent { depth, width, .. } => (depth, width),
            Self::None | Self::Tanh(_) => (0, 0),
        };
        std::iter::repeat_n(width, depth)
    }
}

fn refuse_unknown(config: &MarianConfig) -> Result<()> {
    match config.entries().iter().find(|(key, _)| !KEYS.contains(&key.as_str())) {
        None => Ok(()),
        Some((key, _)) => {
            Err(config.fault(key, format!("is no key of an rnn-fc; they are {}", KEYS.join(", "))))
        }
    }
}

fn both(table: Table<'_>) -> Result<bool> {
    const KEY: &str = "source-type";
    match table.word(KEY, "bidirectional")? {
        "bidirectional" => Ok(true),
        "bi-unidirectional" => Ok(false),
        other => Err(table.unsupported(KEY, other, "this engine has bidirectional and bi-unidirectional")),
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

fn top(table: Table<'_>) -> Result<Top> {
    const KEY: &str = "top";
    let width = || match table.0.has("dim-top") {
        true => table.positive("dim-top"),
        false => table.positive("dim-emb"),
    };
    let cell = match table.word(KEY, "tanh")? {
        "gru" => Cell::Gru { bias_inside: false },
        "lstm" => Cell::Lstm,
        plain => {
            table.refuse_idle("top-depth", "only a recurrent top has several layers")?;
            return match plain {
                "tanh" => Ok(Top::Tanh(width()?)),
                "none" => table.refuse_idle("dim-top", "there is no top").map(|()| Top::None),
                other => Err(table.unsupported(KEY, other, "this engine has none, tanh, gru and lstm")),
            };
        }
    };
    let depth = if table.0.has("top-depth") { table.positive("top-depth")? } else { 1 };
    Ok(Top::Recurrent { cell, depth, width: width()? })
}

/// The table with defaults of its own for absent keys.
#[derive(Clone, Copy)]
struct Table<'a>(&'a MarianConfig);

impl<'a> Table<'a> {
    fn count(self, key: &str, otherwise: usize) -> Result<usize> {
        if self.0.has(key) { self.0.count(key) } else { Ok(otherwise) }
    }

    fn positive(self, key: &str) -> Result<usize> {
        if !self.0.has(key) {
            return Err(self.0.fault(key, "is missing; a number above 0 was expected"));
        }
        match self.0.count(key)? {
            0 => Err(self.0.fault(key, "is 0; a number above 0 was expected")),
            count => Ok(count),
        }
    }

    fn flag(self, key: &str, otherwise: bool) -> Result<bool> {
        if self.0.has(key) { self.0.flag(key) } else { Ok(otherwise) }
    }

    fn word(self, key: &str, otherwise: &'a str) -> Result<&'a str> {
        if self.0.has(key) { self.0.text(key) } else { Ok(otherwise) }
    }

    fn cell(self, key: &str) -> Result<Cell> {
        match self.word(key, "gru")? {
            "gru" => Ok(Cell::Gru { bias_inside: false }),
            "lstm" => Ok(Cell::Lstm),
            other => Err(self.unsupported(key, other, "this engine has the cells gru and lstm")),
        }
    }

    /// Refuses a key that has no effect beside the others: it must be a mistake.
    fn refuse_idle(self, key: &str, reason: &str) -> Result<()> {
        if self.0.has(key) { Err(self.0.fault(key, format!("says nothing here: {reason}"))) } else { Ok(()) }
    }

    fn unsupported(self, key: &str, value: &str, remedy: &'static str) -> Error {
        self.0.fault(key, Fault::Unsupported { what: format!("`{value}`"), remedy })
    }
}
