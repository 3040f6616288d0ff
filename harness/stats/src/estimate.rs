//! A value with its interval, and the order of two such values.

use serde::Serialize;

use crate::frontier::Order;

/// A value with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Best estimate of the value.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// An exact value: the interval has no width.
    pub const fn exactly(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    /// A value with an interval of `half` on either side.
    pub fn give_or_take(value: f64, half: f64) -> Self {
        Self { value, low: value - half, high: value + half }
    }

    /// Order of this estimate and `other`, where more is better.
    pub fn order(&self, other: &Self) -> Order {
        match () {
            () if self.low > other.high => Order::Better,
            () if self.high < other.low => Order::Worse,
            () if self == other && self.low == self.high => Order::Equal,
            () => Order::Unclear,
        }
    }

    /// The estimate in another unit.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        Self { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }

    /// Ratio of this estimate to `other`.
    pub fn over(&self, other: &Self) -> Self {
        Self {
            value: self.value / other.value,
            low: self.low / other.high,
            high: self.high / other.low.max(f64::MIN_POSITIVE),
        }
    }

    /// Half the width of the interval.
    pub(crate) fn half(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_meet_or_not() {
        let a = Estimate::give_or_take(10.0, 1.0);
        assert_eq!(a.order(&Estimate::give_or_take(11.5, 1.0)), Order::Unclear);
        assert_eq!(a.order(&Estimate::give_or_take(13.0, 1.0)), Order::Worse);
        assert_eq!(Estimate::exactly(2.0).order(&Estimate::exactly(2.0)), Order::Equal);
        let ratio = a.over(&Estimate::give_or_take(5.0, 1.0));
        assert_eq!((ratio.low, ratio.value, ratio.high), (1.5, 2.0, 2.75));
    }
}
