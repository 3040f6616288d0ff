//! Blocking: the choices of a product's loops that change its speed and none of its bits.

use std::fmt;

/// The blocking of a product: rows of a tile, rows of a pass, and prefetching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Blocking {
    /// Rows of a tile, at most. A tile takes fewer rows where its registers hold fewer.
    pub tile_rows: u8,
    /// Rows that are multiplied with one panel of weights before the next panel; 0 for all rows.
    pub pass_rows: u16,
    /// Distance of prefetching in blocks of weights; 0 leaves prefetching to the processor.
    /// [`Blocking::NEXT_PANEL`] prefetches the next panel, a share of it with each tile of this panel.
    pub prefetch: u16,
}

impl Blocking {
    /// The value of [`prefetch`](Self::prefetch) that fetches the next panel.
    pub const NEXT_PANEL: u16 = u16::MAX;
}

impl fmt::Display for Blocking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tile_rows, pass_rows, prefetch } = self;
        write!(f, "tiles of {tile_rows} rows, passes of {pass_rows}, ")?;
        match *prefetch {
            Self::NEXT_PANEL => f.write_str("a panel ahead"),
            blocks => write!(f, "{blocks} blocks ahead"),
        }
    }
}

/// Greatest number of rows in each class but the last, which has no limit.
pub(crate) const CLASSES: [usize; 5] = [1, 4, 8, 16, 64];

/// The class of a number of rows; products of one class share a blocking.
pub(crate) fn class(rows: usize) -> usize {
    CLASSES.iter().take_while(|last| rows > **last).count()
}

/// The blocking of each class of numbers of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blockings([Blocking; CLASSES.len() + 1]);

/// Size of weights, in bytes, above which they leave a second-level cache of 1 MiB too little room for
/// activations and results.
const FAR: usize = 768 << 10;

impl Blockings {
    /// The blockings without a tuning, for weights of so many bytes, as measured on Zen 5.
    ///
    /// Weights in a far cache or in memory are prefetched: some blocks ahead where memory limits the speed,
    /// the next panel where multiplication limits it. Near weights of a model are rarely in the near cache
    /// when their turn comes, because the other weights and the activations passed through it. So products
    /// of more than eight rows prefetch their next panel too: translations take 1 to 3 % less time. Products
    /// of few rows leave near weights to the processor's prefetcher, except for a single row.
    pub(crate) fn built_in(bytes: usize) -> Self {
        let blocking = |pass_rows, prefetch| Blocking { tile_rows: 6, pass_rows, prefetch };
        let (one, panel) = (blocking(0, 32), blocking(0, Blocking::NEXT_PANEL));
        if bytes > FAR {
            let some = blocking(0, 128);
            Self([one, some, some, some, panel, panel])
        } else {
            let few = blocking(0, 0);
            Self([one, few, few, panel, panel, panel])
        }
    }

    #[inline]
    pub(crate) fn of(&self, rows: usize) -> Blocking {
        self.0[class(rows)]
    }

    pub(crate) fn set(&mut self, rows: usize, blocking: Blocking) {
        self.0[class(rows)] = blocking;
    }
}
