//! Numbers as people read them: with the digits that the interval supports, and no more.

use crate::Estimate;

/// Text with the digits that the interval supports: down to the place of the interval's first digit. One
/// digit more where that first digit is 1 or 2, because rounding would lose too much of it. At most three
/// digits, or four from 1,000 on, since no host is steadier than that.
pub fn supported(estimate: &Estimate) -> String {
    with_commas(estimate.value, decimals(estimate))
}

/// Number of decimals that an estimate supports; negative ones stand left of the decimal point.
fn decimals(estimate: &Estimate) -> i32 {
    let most = if estimate.value.abs() >= 1000.0 { 3 } else { 2 } - magnitude(estimate.value);
    let half = estimate.half();
    if half <= 0.0 || !half.is_finite() {
        return 2 - magnitude(estimate.value);
    }
    let place = magnitude(half);
    let extra = i32::from(half / 10f64.powi(place) < 2.5);
    // However wide the interval is, at least one digit is printed: a figure of zero digits would read as
    // another number.
    (extra - place).min(most).max(-magnitude(estimate.value))
}

/// Power of ten of the first digit.
fn magnitude(value: f64) -> i32 {
    if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 }
}

/// Text of a value with `decimals` places and commas between thousands. Negative `decimals` round to tens,
/// hundreds, and so on.
fn with_commas(value: f64, decimals: i32) -> String {
    let rounded = if decimals < 0 {
        let unit = 10f64.powi(-decimals);
        (value / unit).round() * unit
    } else {
        value
    };
    let mut text = format!("{rounded:.*}", decimals.max(0) as usize);
    let (first, point) = (usize::from(text.starts_with('-')), text.find('.').unwrap_or(text.len()));
    for place in (first + 1..point).rev().filter(|place| (point - place) % 3 == 0) {
        text.insert(place, ',');
    }
    text.replace('-', "−")
}

/// Text with three significant digits.
pub fn plain(value: f64) -> String {
    with_commas(value, (2 - magnitude(value)).min(9))
}

/// Text of a count with its noun.
pub fn counted(items: usize, one: &str, many: &str) -> String {
    format!("{} {}", whole(items as f64), if items == 1 { one } else { many })
}

/// For each text of a column, the number of places by which its decimals are shorter than the column's
/// longest. The point counts as one place. With this padding the points stand below each other. A text that
/// is more than a figure gets 0.
pub fn lacking_decimals<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Vec<usize> {
    let places = |text: &str| text.find('.').map_or(0, |at| text.len() - at);
    let is_figure = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit() || "−>".contains(c)) && !text.contains(' ')
    };
    let most = texts.clone().filter(|text| is_figure(text)).map(places).max().unwrap_or(0);
    texts.map(|text| if is_figure(text) { most - places(text) } else { 0 }).collect()
}

/// Short text of a tick of an axis, exact for round values.
pub fn tick(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        v if v >= 1e12 => (value / 1e12, "\u{a0}T"),
        v if v >= 1e9 => (value / 1e9, "\u{a0}G"),
        v if v >= 1e6 => (value / 1e6, "\u{a0}M"),
        _ => (value, ""),
    };
    let decimals = if scaled.abs() >= 100.0 { 0 } else { (2 - magnitude(scaled)).clamp(0, 6) };
    let text = with_commas(scaled, decimals);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

/// Text of a tick as a percentage.
pub fn percent_tick(value: f64) -> String {
    format!("{}\u{a0}%", tick(value * 100.0))
}

/// Text of a whole number with commas between thousands.
pub fn whole(value: f64) -> String {
    with_commas(value, 0)
}

/// Text of a p value.
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "<0.001".into() } else { format!("{p:.3}") }
}

/// Number of MiB.
pub fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// Text of a factor, with no more precision than its interval allows: "2.3", or "about 2".
pub fn factor(ratio: &Estimate) -> String {
    let spread = ratio.half() / ratio.value;
    if spread > 0.25 {
        format!("about {}", with_commas(ratio.value, i32::from(ratio.value < 3.0)))
    } else {
        with_commas(ratio.value, i32::from(ratio.value < 20.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_interval() {
        for (value, half, text) in [
            (9870.4, 75.0, "9,870"),
            (9874.4, 2.0, "9,874"),
            (36.1234, 1.9, "36.1"),
            (36.1234, 5.0, "36"),
            (1.0412, 0.003, "1.04"),
            (348_123_456.0, 9_000_000.0, "348,000,000"),
            (0.5, 0.2, "0.50"),
            (-3.21, 0.4, "−3.2"),
            (0.0, 0.0, "0.00"),
            (512.0, 4000.0, "500"),
            (12_345_678.0, 0.0, "12,300,000"),
        ] {
            assert_eq!(supported(&Estimate::give_or_take(value, half)), text, "{value} ±{half}");
        }
    }

    #[test]
    fn decimals_are_filled_up_to_the_longest() {
        let column = ["9.25", "12", "–", "1,234.5", "3.1 ±0.2"];
        assert_eq!(lacking_decimals(column.into_iter()), [0, 3, 0, 1, 0]);
    }

    #[test]
    fn thousands_are_set_apart() {
        for (value, text) in
            [(0.0, "0"), (999.4, "999"), (9870.0, "9,870"), (1234567.0, "1,234,567"), (-1e3, "−1,000")]
        {
            assert_eq!(whole(value), text);
        }
    }

    #[test]
    fn ticks_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (20.0, "20"),
            (1500.0, "1,500"),
            (2e6, "2\u{a0}M"),
            (1.5e9, "1.5\u{a0}G"),
            (0.002, "0.002"),
        ] {
            assert_eq!(tick(value), text);
        }
        assert_eq!(percent_tick(0.95), "95\u{a0}%");
    }

    #[test]
    fn factors_are_hedged_when_they_are_vague() {
        assert_eq!(factor(&Estimate { value: 2.31, low: 2.25, high: 2.4 }), "2.3");
        assert_eq!(factor(&Estimate { value: 4.2, low: 2.0, high: 6.0 }), "about 4");
        assert_eq!(factor(&Estimate { value: 31.4, low: 31.0, high: 32.0 }), "31");
    }
}
