//! Published results as points under our own charts. Their source fills them in.

use dyno_record::Track;
use dyno_results::contest::Cost;

/// A published point.
#[derive(Clone, Debug)]
pub struct Published {
    /// Short name of the paper: author or system, and year.
    pub paper: String,
    /// BLEU as published.
    pub bleu: f64,
    /// Words a second as published, or computed from what is.
    pub words_per_second: f64,
    /// Price of the hardware, where the paper names one.
    pub dollars_per_hour: Option<f64>,
    /// Lines of the tip: name and figures, test set and hardware, paper and place in it.
    pub tip: Vec<String>,
}

impl Published {
    /// Cost of the point, where the paper gives it.
    pub fn cost(&self, cost: Cost) -> Option<f64> {
        match cost {
            Cost::Dollars => Some(self.words_per_second * 3600.0 / self.dollars_per_hour? / 1e6),
            Cost::Under(Track::Throughput1) => Some(self.words_per_second),
            Cost::Under(_) => None,
        }
    }
}
