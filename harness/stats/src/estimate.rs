//! A value with its interval, and what may be said of two of them.

use serde::Serialize;

use crate::frontier::Order;

/// A value with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Estimate {
    /// A value known exactly.
    pub const fn exactly(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    /// A value with the same doubt on both sides.
    pub fn give_or_take(value: f64, half: f64) -> Self {
        Self { value, low: value - half, high: value + half }
    }

    /// How surely this is more than `other`.
    pub fn order(&self, other: &Self) -> Order {
        match () {
            () if self.low > other.high => Order::Better,
            () if self.high < other.low => Order::Worse,
            () if self == other && self.low == self.high => Order::Equal,
            () => Order::Unclear,
        }
    }

    /// This in another unit.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        Self { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }

    /// How often `other` goes into this.
    pub fn over(&self, other: &Self) -> Self {
        Self {
            value: self.value / other.value,
            low: self.low / other.high,
            high: self.high / other.low.max(f64::MIN_POSITIVE),
        }
    }

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
