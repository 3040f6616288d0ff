//! A tuning: the blockings that were measured to be fastest, for each shape of weights on one instruction
//! set.
//!
//! A tuning is data. `tuner` measures the missing choices when weights are packed. This module keeps the
//! choices and converts them to text and back, with a line for each choice, so that people can read and
//! compare files of them. The module opens no file: the caller reads and writes it.

use crate::tile::{Blocking, CLASSES};
use crate::{Error, Isa, Precision, Result};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard};

/// Shape that a choice holds for: precision, K, N, and the class of the number of rows.
pub(crate) type Shape = (&'static str, usize, usize, usize);

/// A blocking, and its speed as a multiple of the built-in blocking's speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) blocking: Blocking,
    pub(crate) gain: f64,
}

/// The fastest blockings by shape, on one instruction set; threads may share a tuning.
#[derive(Debug)]
pub struct Tuning {
    isa: Isa,
    /// Whether packing measures the shapes that are missing.
    measures: bool,
    choices: Mutex<BTreeMap<Shape, Choice>>,
}

impl Tuning {
    /// An empty tuning, which measures each shape that is packed.
    #[must_use]
    pub fn new(isa: Isa) -> Self {
        Self { isa, measures: true, choices: Mutex::default() }
    }

    /// Instruction set that the blockings were measured on.
    #[must_use]
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The same tuning, which measures missing shapes from now on. A tuning that was read from text doesn't.
    #[must_use]
    pub fn extended(self) -> Self {
        Self { measures: true, ..self }
    }

    /// Whether packing measures the shapes that are missing.
    pub(crate) fn measures(&self) -> bool {
        self.measures
    }

    /// All choices, locked. A panic can't leave the map half-changed, so that a poisoned one is whole.
    pub(crate) fn choices(&self) -> MutexGuard<'_, BTreeMap<Shape, Choice>> {
        self.choices.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A description for people: each choice and its gain.
    #[must_use]
    pub fn explain(&self) -> String {
        let mut text = format!("blockings of products on {}, against the built-in ones:\n", self.isa);
        for ((precision, k, n, class), Choice { blocking, gain }) in &*self.choices() {
            let rows = CLASSES
                .get(*class)
                .map_or(format!("over {}", CLASSES[CLASSES.len() - 1]), |last| format!("up to {last}"));
            let same = if *gain == 1.0 { " (built in)" } else { "" };
            let _ =
                writeln!(text, "{precision} {k}x{n}, {rows} rows: {blocking}{same}: {gain:.2} times as fast");
        }
        text
    }
}

/// Beginning of a tuning's text: its name and version.
const MARK: &str = "dyno-tuning 1";

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{MARK} {}", self.isa)?;
        for ((precision, k, n, class), Choice { blocking, gain }) in &*self.choices() {
            let Blocking { tile_rows, pass_rows, prefetch } = blocking;
            writeln!(f, "{precision} {k} {n} {class} {tile_rows} {pass_rows} {prefetch} {gain:.3}")?;
        }
        Ok(())
    }
}

impl FromStr for Tuning {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        const NO_MARK: &str = "it doesn't begin with `dyno-tuning 1` and an instruction set, \
             so it is no tuning of this version";
        const NO_CHOICE: &str =
            "it should say precision, K, N, class of rows, tile, pass, blocks ahead, and gain";
        let fault = |line: usize, reason: &str| Error::Tuning { line: line + 1, reason: reason.into() };
        let mut lines = text.lines().enumerate();
        let isa = lines.next().and_then(|(_, first)| first.strip_prefix(MARK));
        let isa = isa.ok_or_else(|| fault(0, NO_MARK))?;
        let mut choices = BTreeMap::new();
        for (line, text) in lines.filter(|(_, text)| !text.is_empty()) {
            let (shape, choice) = choice(text).ok_or_else(|| fault(line, NO_CHOICE))?;
            choices.insert(shape, choice);
        }
        Ok(Self { isa: isa.trim().parse()?, measures: false, choices: Mutex::new(choices) })
    }
}

/// Parses one line of a tuning's text.
fn choice(line: &str) -> Option<(Shape, Choice)> {
    let [precision, k, n, class, tile_rows, pass_rows, prefetch, gain] = *line.split(' ').collect::<Vec<_>>()
    else {
        return None;
    };
    let precision = Precision::ALL.into_iter().find(|known| known.name() == precision)?.name();
    let class: usize = class.parse().ok().filter(|class| *class <= CLASSES.len())?;
    let blocking = Blocking {
        tile_rows: tile_rows.parse().ok().filter(|rows| *rows > 0)?,
        pass_rows: pass_rows.parse().ok()?,
        prefetch: prefetch.parse().ok()?,
    };
    let choice = Choice { blocking, gain: gain.parse().ok()? };
    Some(((precision, k.parse().ok()?, n.parse().ok()?, class), choice))
}
