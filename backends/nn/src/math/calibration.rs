//! Calibration: the magnitudes of products' inputs, noted while a text is translated. They give one
//! activation scale for all rows.
//!
//! A product's multiplier is 127/(mean + 1.1·σ) of the greatest magnitudes of its inputs, as in Marian's
//! recipe for `QuantMultA` (`scripts/alphas/extract_stats.py` of browsermt/marian-dev). It cuts rare outliers
//! off, so that all other values keep more levels.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// The calibration of all products of a model. It lives as long as the process, like the products'
/// statistics.
#[derive(Debug, Default)]
pub struct Calibration(Mutex<Vec<&'static Seen>>);

/// Statistics of one product's inputs.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Names of the matrices that stand side by side in the product.
    names: Vec<String>,
    magnitudes: Mutex<Magnitudes>,
}

impl PartialEq for Seen {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// Sums over the greatest magnitudes of the inputs.
#[derive(Debug, Default)]
struct Magnitudes {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Calibration {
    /// Adds a product of the weights `names`.
    pub(crate) fn product(&self, names: Vec<String>) -> &'static Seen {
        let seen: &'static Seen = Box::leak(Box::new(Seen { names, magnitudes: Mutex::default() }));
        self.0.lock().expect(UNPOISONED).push(seen);
        seen
    }

    /// The multipliers of the weights whose inputs weren't only zeros, by the names of the weights.
    ///
    /// # Panics
    /// Never: no holder of a lock panics.
    pub fn multipliers(&self) -> BTreeMap<String, f32> {
        let all = self.0.lock().expect(UNPOISONED);
        let found = all.iter().filter_map(|seen| Some((seen, seen.multiplier()?)));
        found.flat_map(|(seen, one)| seen.names.iter().map(move |name| (name.clone(), one))).collect()
    }
}

/// Reason why the locks aren't poisoned.
const UNPOISONED: &str = "magnitudes are added up without a panic";

impl Seen {
    /// Notes the greatest magnitude of one input.
    pub(crate) fn note(&self, greatest: f32) {
        let mut all = self.magnitudes.lock().expect(UNPOISONED);
        let greatest = f64::from(greatest);
        (all.count, all.sum, all.squares) =
            (all.count + 1.0, all.sum + greatest, all.squares + greatest * greatest);
    }

    fn multiplier(&self) -> Option<f32> {
        let all = self.magnitudes.lock().expect(UNPOISONED);
        let mean = all.sum / all.count;
        let deviation = (all.squares / all.count - mean * mean).max(0.0).sqrt();
        Some((127.0 / (mean + 1.1 * deviation)) as f32).filter(|multiplier| multiplier.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multiplier_is_127_over_the_mean_and_eleven_tenths_of_the_deviation() {
        let calibration = Calibration::default();
        let seen = calibration.product(vec!["a_W".into(), "a_Wx".into()]);
        calibration.product(vec!["never".into()]);
        [1.0, 3.0].into_iter().for_each(|greatest| seen.note(greatest)); // mean 2, deviation 1
        let multipliers = calibration.multipliers();
        let expected = 127.0 / 3.1;
        assert_eq!(multipliers, BTreeMap::from([("a_W".into(), expected), ("a_Wx".into(), expected)]));
    }
}
