//! How a product is walked through: the choices that change its speed and none of its bits, and the tuner that makes them.
//!
//! Without a tuning the table built in holds. A tuning measures each shape on the very weights that were packed, the first
//! time such a shape is; its text form is a line a choice, so that a file of it can be read, compared and handed on. This
//! module opens no file: whoever has one reads it, and whoever wants one writes it.

use crate::{Error, Isa, Kernels, Precision, Result, Weights};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::str::FromStr;
use std::sync::Mutex;

mod measure;

/// A way through a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Walk {
    /// Rows of a tile, at most; of even more than a tile's registers hold, those.
    pub tall: u8,
    /// Rows that pass before the next panel of weights is taken; 0 for all.
    pub pass: u16,
    /// How many blocks of weights ahead of those that are multiplied are fetched; 0 leaves it to the processor, and
    /// [`Walk::PANEL`] fetches the next panel, a share of it with each tile of this one.
    pub ahead: u16,
}

impl Walk {
    /// As far ahead as the next panel.
    pub const PANEL: u16 = u16::MAX;
}

impl fmt::Display for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tall, pass, ahead } = self;
        write!(f, "tiles of {tall} rows, passes of {pass}, ")?;
        if *ahead == Self::PANEL { f.write_str("a panel ahead") } else { write!(f, "{ahead} blocks ahead") }
    }
}

/// The last number of rows of each class but the last, which has no end.
const CLASSES: [usize; 5] = [1, 4, 8, 16, 64];

fn class(rows: usize) -> usize {
    CLASSES.iter().take_while(|last| rows > **last).count()
}

/// A walk for each class of numbers of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walks([Walk; CLASSES.len() + 1]);

/// Bytes of weights that don't share a second-level cache of 1 MiB with what else a product needs.
const FAR: usize = 768 << 10;

impl Walks {
    /// What holds without a tuning, as measured on Zen 5. Weights from afar are asked for ahead of time: some blocks where
    /// memory is what takes time, the next panel where multiplying is, and memory would rest meanwhile. Near weights are left
    /// to the processor's own fetching, but for a single row; many rows take them in passes, so that a pass's activations
    /// stay near too.
    pub(crate) fn built_in(bytes: usize) -> Self {
        let walk = |pass, ahead| Walk { tall: 6, pass, ahead };
        let one = walk(0, 32);
        if bytes > FAR {
            let (some, panel) = (walk(0, 128), walk(0, Walk::PANEL));
            Self([one, some, some, some, panel, panel])
        } else {
            let (few, many) = (walk(0, 0), walk(96, 0));
            Self([one, few, few, few, few, many])
        }
    }

    #[inline]
    pub(crate) fn of(&self, rows: usize) -> Walk {
        self.0[class(rows)]
    }

    pub(crate) fn set(&mut self, rows: usize, walk: Walk) {
        self.0[class(rows)] = walk;
    }
}

/// What a choice is for: precision, K, N, and the class of the number of rows.
type Shape = (&'static str, usize, usize, usize);

/// A walk that was chosen, and how many times faster it was than the built-in one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Choice {
    walk: Walk,
    gain: f64,
}

/// The walks that were measured to be fastest on one instruction set; threads may share it.
#[derive(Debug)]
pub struct Tuning {
    isa: Isa,
    /// Whether shapes that are missing are measured when weights are packed.
    measures: bool,
    choices: Mutex<BTreeMap<Shape, Choice>>,
}

impl Tuning {
    /// An empty one, which measures each shape that is packed.
    #[must_use]
    pub fn new(isa: Isa) -> Self {
        Self { isa, measures: true, choices: Mutex::default() }
    }

    /// Whose walks they are.
    #[must_use]
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// From now on measures what is missing; one that was read from text doesn't.
    #[must_use]
    pub fn extended(self) -> Self {
        Self { measures: true, ..self }
    }

    /// Sets the walks of freshly packed weights.
    pub(crate) fn apply(&self, weights: &mut Weights) {
        // Nothing that may panic changes the map half-way, so a poisoned one is whole.
        let mut choices = self.choices.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for rows in CLASSES.into_iter().chain([measure::MANY]) {
            let shape = (weights.precision().name(), weights.k(), weights.n(), class(rows));
            if self.measures && !choices.contains_key(&shape) {
                choices.extend(measure::fastest(weights, rows).map(|choice| (shape, choice)));
            }
            if let Some(choice) = choices.get(&shape) {
                weights.set_walk(rows, choice.walk);
            }
        }
    }

    /// What was chosen, and what it gained, for a person to read.
    #[must_use]
    pub fn explain(&self) -> String {
        let choices = self.choices.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut text = format!("walks through products on {}, against the built-in ones:\n", self.isa);
        for ((precision, k, n, class), Choice { walk, gain }) in &*choices {
            let rows = CLASSES
                .get(*class)
                .map_or(format!("over {}", CLASSES[CLASSES.len() - 1]), |last| format!("up to {last}"));
            let same = if *gain == 1.0 { " (built in)" } else { "" };
            let _ = writeln!(text, "{precision} {k}x{n}, {rows} rows: {walk}{same}: {gain:.2} times as fast");
        }
        text
    }
}

/// The first word of a tuning's text, and its version.
const MARK: &str = "dyno-tuning 1";

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{MARK} {}", self.isa)?;
        let choices = self.choices.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for ((precision, k, n, class), Choice { walk: Walk { tall, pass, ahead }, gain }) in &*choices {
            writeln!(f, "{precision} {k} {n} {class} {tall} {pass} {ahead} {gain:.3}")?;
        }
        Ok(())
    }
}

impl FromStr for Tuning {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let fault = |line: usize, reason: &str| Error::Tuning { line: line + 1, reason: reason.into() };
        let mut lines = text.lines().enumerate();
        let isa = lines.next().and_then(|(_, first)| first.strip_prefix(MARK)).ok_or_else(|| {
            fault(0, "it doesn't begin with `dyno-tuning 1` and an instruction set, so it is no tuning of this version")
        })?;
        let mut choices = BTreeMap::new();
        for (line, text) in lines.filter(|(_, text)| !text.is_empty()) {
            let (shape, choice) = choice(text).ok_or_else(|| {
                fault(
                    line,
                    "it should say precision, K, N, class of rows, tile, pass, blocks ahead, and gain",
                )
            })?;
            choices.insert(shape, choice);
        }
        Ok(Self { isa: isa.trim().parse()?, measures: false, choices: Mutex::new(choices) })
    }
}

/// One line of a tuning's text.
fn choice(line: &str) -> Option<(Shape, Choice)> {
    let [precision, k, n, class, tall, pass, ahead, gain] = *line.split(' ').collect::<Vec<_>>() else {
        return None;
    };
    let precision = Precision::ALL.into_iter().find(|known| known.name() == precision)?.name();
    let class: usize = class.parse().ok().filter(|class| *class <= CLASSES.len())?;
    let walk = Walk {
        tall: tall.parse().ok().filter(|tall| *tall > 0)?,
        pass: pass.parse().ok()?,
        ahead: ahead.parse().ok()?,
    };
    Some(((precision, k.parse().ok()?, n.parse().ok()?, class), Choice { walk, gain: gain.parse().ok()? }))
}

impl Kernels {
    /// These, with walks from a tuning for the weights that they pack from now on. A tuning lives as long as the process:
    /// there is one, and every weight would have to keep it.
    pub fn with_tuning(self, tuning: &'static Tuning) -> Result<Self> {
        if tuning.isa != self.isa() {
            return Err(Error::TunedElsewhere { tuned: tuning.isa, isa: self.isa() });
        }
        Ok(Self { tuning: Some(tuning), ..self })
    }
}
