//! Latencies of a cell as a percentile distribution in HdrHistogram's text form, which its plotter opens.

use std::fmt::Write;

use hdrhistogram::Histogram;

use crate::error::{Error, Result};

/// Significant digits of a latency: finer than any host repeats.
const DIGITS: u8 = 3;
/// Lines for each halving of the remaining share, as HdrHistogram's own tools print.
const TICKS_PER_HALF: u32 = 5;

/// The distribution of `latency_ns`, in milliseconds.
pub(crate) fn percentile_text(latency_ns: impl Iterator<Item = u64>) -> Result<String> {
    let fault = |fault: String| Error::Encoding("a histogram", fault);
    let mut histogram = Histogram::<u64>::new(DIGITS).map_err(|error| fault(error.to_string()))?;
    for ns in latency_ns {
        histogram.record(ns.max(1)).map_err(|error| fault(error.to_string()))?;
    }
    let mut text = String::from("       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
    let ms = |ns: f64| ns / 1e6;
    let mut reached = 0;
    for step in histogram.iter_quantiles(TICKS_PER_HALF) {
        reached += step.count_since_last_iteration();
        let (value, quantile) = (ms(step.value_iterated_to() as f64), step.quantile_iterated_to());
        let _ = write!(text, "{value:12.6} {quantile:14.12} {reached:10}");
        // The last column is infinite at quantile 1, so the last line lacks it.
        let _ =
            if quantile < 1.0 { writeln!(text, " {:14.2}", 1.0 / (1.0 - quantile)) } else { writeln!(text) };
    }
    let (mean, spread) = (ms(histogram.mean()), ms(histogram.stdev()));
    let (max, count) = (ms(histogram.max() as f64), histogram.len());
    let _ = writeln!(text, "#[Mean    = {mean:12.6}, StdDeviation   = {spread:12.6}]");
    let _ = writeln!(text, "#[Max     = {max:12.6}, Total count    = {count:12}]");
    // 2,048 sub-buckets: the least power of two above twice the three digits.
    let _ = writeln!(text, "#[Buckets = {:12}, SubBuckets     = {:12}]", histogram.buckets(), 2048);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_rises_to_all_values_and_names_its_own_moments() {
        let text = percentile_text((1..=1000).map(|i| i * 1_000_000)).unwrap();
        let rows: Vec<Vec<f64>> = text
            .lines()
            .skip(2)
            .take_while(|line| !line.starts_with('#'))
            .map(|line| line.split_whitespace().map(|field| field.parse().unwrap()).collect())
            .collect();
        assert!(rows.windows(2).all(|pair| pair[0][0] <= pair[1][0] && pair[0][1] <= pair[1][1]), "{text}");
        let median = rows.iter().find(|row| row[1] >= 0.5).unwrap();
        assert!((median[0] - 500.0).abs() < 1.0 && (median[3] - 2.0).abs() < 0.1, "{median:?}");
        let last = rows.last().unwrap();
        assert_eq!((last[1], last[2], last.len()), (1.0, 1000.0, 3));
        assert!((last[0] - 1000.0).abs() < 1.0, "{last:?}");
        assert!(text.contains("#[Mean    =   500."), "{text}");
    }
}
