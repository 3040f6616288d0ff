//! Scales from values to pixels, linear and logarithmic, and their ticks.

/// A scale from a range of values to a range of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    pub low: f64,
    pub high: f64,
    from: f64,
    to: f64,
    log: bool,
}

impl Scale {
    /// A scale from the least to the greatest value, with a margin. `from_zero` makes it begin at zero, for
    /// lengths that are compared. A logarithmic scale ignores values that aren't positive.
    pub fn around(values: impl IntoIterator<Item = f64>, log: bool, from_zero: bool) -> Self {
        let values = values.into_iter().filter(|v| v.is_finite() && (!log || *v > 0.0));
        let (mut low, mut high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            (low, high) = (1.0, 2.0);
        }
        let air = 0.06;
        if log {
            let pad = ((high / low).log10() * air).max(0.06);
            (low, high) = (low * 10f64.powf(-pad), high * 10f64.powf(pad));
        } else if from_zero {
            (low, high) = (0.0, if high > 0.0 { high * (1.0 + air) } else { 1.0 });
        } else {
            let pad = ((high - low) * air).max(high.abs() * 1e-3).max(1e-9);
            (low, high) = (low - pad, high + pad);
        }
        Self { low, high, from: 0.0, to: 1.0, log }
    }

    /// A scale without a margin.
    pub const fn exactly(low: f64, high: f64) -> Self {
        Self { low, high, from: 0.0, to: 1.0, log: false }
    }

    /// The same scale on these pixels.
    #[must_use]
    pub const fn over(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    /// Pixel of a value. Values outside of the scale land on its edge.
    pub fn at(&self, value: f64) -> f64 {
        let part = if self.log {
            (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + part.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Round values as ticks, about `most` at most. Linear scales have 1-2-5 steps; logarithmic scales have
    /// powers of ten, with 1-2-5 steps between them where these fit.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        if self.log { self.log_ticks(most) } else { self.linear_ticks(most) }
    }

    fn linear_ticks(&self, most: usize) -> Vec<f64> {
        let step = round_step((self.high - self.low) / most.max(1) as f64);
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|i| i as f64 * step).collect()
    }

    fn log_ticks(&self, most: usize) -> Vec<f64> {
        let decades = self.high.log10() - self.low.log10();
        let within = |digits: &[f64], every: usize| -> Vec<f64> {
            let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
            let powers = (first..=last).filter(|p| p.rem_euclid(every as i32) == 0);
            let all = powers.flat_map(|p| digits.iter().map(move |d| d * 10f64.powi(p)));
            all.filter(|v| (self.low * 0.999..=self.high * 1.001).contains(v)).collect()
        };
        let fine = within(&[1.0, 2.0, 5.0], 1);
        if fine.len() < 3 && decades < 0.8 {
            // Less than a decade with hardly a round value: ticks as on a linear scale.
            return self.linear_ticks(most);
        }
        let choices = [fine, within(&[1.0], 1), within(&[1.0], 2), within(&[1.0], 3)];
        let last = choices.len() - 1;
        let fitting = choices.iter().position(|ticks| ticks.len() <= most.max(2)).unwrap_or(last);
        choices[fitting].clone()
    }
}

/// The least of 1, 2, 5 times a power of ten that is no less than `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-300).log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0].into_iter().find(|d| d * power >= least * (1.0 - 1e-9));
    digit.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_ticks_are_round_and_inside() {
        assert_eq!(Scale::exactly(31.0, 37.2).ticks(5), [32.0, 34.0, 36.0]);
        assert_eq!(Scale::exactly(0.0, 1.0).ticks(5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(Scale::exactly(-3.0, 3.0).ticks(3), [-2.0, 0.0, 2.0]);
    }

    #[test]
    fn log_ticks_are_powers_and_get_fewer() {
        let scale = Scale::around([1.0, 1e6], true, false);
        assert_eq!(scale.ticks(8), [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6]);
        assert_eq!(scale.ticks(4), [1.0, 100.0, 1e4, 1e6]);
        let narrow = Scale::around([1200.0, 9000.0], true, false);
        assert_eq!(narrow.ticks(6), [2000.0, 5000.0, 10000.0]);
    }

    #[test]
    fn values_land_in_order_and_never_outside() {
        let scale = Scale::around([10.0, 1000.0], true, false).over(0.0, 100.0);
        assert!((scale.at(100.0) - 50.0).abs() < 1e-9);
        assert_eq!(scale.at(0.0), 0.0);
        assert_eq!(scale.at(1e9), 100.0);
        let equal = Scale::around([5.0, 5.0], false, false).over(0.0, 10.0);
        assert!((equal.at(5.0) - 5.0).abs() < 1e-6);
        let nothing = Scale::around([], true, false).over(0.0, 10.0);
        assert!(nothing.at(1.5).is_finite());
    }
}
