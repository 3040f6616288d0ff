//! Words per dollar: prices of instances, the instance most like this host, and the words that a dollar buys
//! there.
//!
//! A run keeps the row of its price, with date and source, so an old figure never changes. Words per dollar
//! follow from speed alone, so any run can be priced again without a measurement.

use std::ops::RangeInclusive;
use std::path::Path;

use dyno_provision::did_you_mean;
use dyno_record::Host;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The price of an instance on a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // the names say it
pub struct Price {
    pub instance: String,
    pub provider: String,
    pub region: String,
    /// Terms: on demand, reserved, spot.
    pub terms: String,
    /// US dollars an hour for the whole instance.
    pub hourly_usd: f64,
    pub vcpus: usize,
    /// Number of vCPUs that share a core.
    pub threads: usize,
    pub date: String,
    pub source: String,
    /// Words of the CPU's name on such instances.
    #[serde(default)]
    pub cpu: Vec<String>,
}

/// Bounds of a price in US dollars an hour: a thousandth of the cheapest vCPU, and far above any instance.
const USD: RangeInclusive<f64> = 1e-6..=1e6;

/// Age in days above which a price should be looked up again: clouds change their lists about once a year.
pub const STALE_DAYS: i64 = 180;

/// Most vCPUs of an instance, as of a host's cores.
const MOST_VCPUS: usize = 65_536;

impl Price {
    /// Fault of a price that can't be.
    pub(crate) fn fault(&self) -> Option<String> {
        let texts = [&self.instance, &self.provider, &self.region, &self.terms, &self.source];
        let day = |date: &str| date.len() == 10 && date.parse::<jiff::civil::Date>().is_ok();
        match () {
            () if !USD.contains(&self.hourly_usd) => {
                Some(format!("`usd` must lie between {} and {} dollars an hour", USD.start(), USD.end()))
            }
            () if ![self.vcpus, self.threads].iter().all(|count| (1..=MOST_VCPUS).contains(count)) => {
                Some(format!("`vcpus` and `threads` must lie between 1 and {MOST_VCPUS}"))
            }
            () if !day(&self.date) => {
                Some(format!("`date` is {:?}, which is no day such as 2026-11-21", self.date))
            }
            () if texts.iter().any(|text| text.contains(char::is_control)) => {
                Some("its texts must have no control characters".into())
            }
            () => None,
        }
    }

    /// Days from the day of the price to `today`.
    fn age_on(&self, today: jiff::civil::Date) -> Option<i64> {
        let then: jiff::civil::Date = self.date.parse().ok()?;
        Some(i64::from(today.since(then).ok()?.get_days()))
    }

    /// Whether the price is older than [`STALE_DAYS`].
    pub fn is_stale(&self) -> bool {
        let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
        self.age_on(today).is_some_and(|days| days > STALE_DAYS)
    }

    /// Whether the instance may have so many cores: a virtual machine often shows a vCPU as one. A speed on more of
    /// them costs more than the instance.
    pub fn has_cores(&self, cores: usize) -> bool {
        cores <= self.vcpus
    }

    /// Words for a dollar at `words_per_second`, if the whole instance is paid for.
    pub fn words_per_dollar(&self, words_per_second: f64) -> f64 {
        words_per_second * 3600.0 / self.hourly_usd
    }

    /// Words for a dollar, if only `cores` of the instance's cores are paid for, since other work can use the
    /// rest.
    pub fn words_per_dollar_pro_rata(&self, words_per_second: f64, cores: usize) -> f64 {
        let share = (cores * self.threads) as f64 / self.vcpus as f64;
        self.words_per_dollar(words_per_second) / share.min(1.0)
    }
}

/// Contents of a price file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePrices {
    list: Vec<WireList>,
}

/// Prices of one provider, place and day.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireList {
    provider: String,
    region: String,
    terms: String,
    date: String,
    source: String,
    instances: Vec<WireInstance>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireInstance {
    name: String,
    vcpus: usize,
    threads: usize,
    usd: f64,
    #[serde(default)]
    cpu: Vec<String>,
}

/// Prices in `file`, or those that ship with dyno.
pub fn load(file: Option<&Path>) -> Result<Vec<Price>> {
    let Some(path) = file else { return parse(SHIPPED, "the shipped prices") };
    let remedy = "name another file with --prices";
    let unreadable = |error| Error::Input(format!("can't read prices {}: {error}; {remedy}", path.display()));
    let text = dyno_api::files::read_to_string(path).map_err(unreadable)?;
    parse(&text, &path.display().to_string())
}

const SHIPPED: &str = include_str!("prices.toml");

fn parse(text: &str, name: &str) -> Result<Vec<Price>> {
    let wire: WirePrices = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        Error::Input(format!("{name}:{line}: {}; docs/FORMAT.md, Prices, shows the form", error.message()))
    })?;
    let prices: Vec<Price> = wire.list.into_iter().flat_map(WireList::prices).collect();
    match prices.iter().find_map(|price| Some((price, price.fault()?))) {
        Some((Price { instance, .. }, fault)) => {
            Err(Error::Input(format!("{name}: {instance:?}: {fault}; correct it in the file")))
        }
        None => Ok(prices),
    }
}

impl WireList {
    fn prices(self) -> Vec<Price> {
        let Self { provider, region, terms, date, source, instances } = self;
        let price = |instance: WireInstance| Price {
            instance: instance.name,
            provider: provider.clone(),
            region: region.clone(),
            terms: terms.clone(),
            hourly_usd: instance.usd,
            vcpus: instance.vcpus,
            threads: instance.threads,
            date: date.clone(),
            source: source.clone(),
            cpu: instance.cpu,
        };
        instances.into_iter().map(price).collect()
    }
}

/// The price of that name.
pub fn named<'a>(prices: &'a [Price], name: &str) -> Result<&'a Price> {
    let hint = did_you_mean(name, prices.iter().map(|price| price.instance.as_str()));
    let unknown = || Error::Input(format!("no price for {name:?}{hint}; `dyno list prices` names them"));
    prices.iter().find(|price| price.instance == name).ok_or_else(unknown)
}

/// The instance most like `host`: with its kind of CPU, the smallest with at least as many vCPUs, else the
/// largest. The kind whose words fit the CPU's name best counts: "EPYC 9B14" says more than "Zen 4". `None` for
/// a CPU of no instance in the table.
pub fn like<'a>(prices: &'a [Price], host: &Host) -> Option<&'a Price> {
    let fit = |price: &Price| {
        let words = price.cpu.iter().filter(|word| host.cpu.contains(word.as_str()));
        words.map(String::len).max().unwrap_or(0)
    };
    let best = prices.iter().map(fit).max().filter(|&best| best > 0)?;
    let of_kind = || prices.iter().filter(|price| fit(price) == best);
    let enough = of_kind().filter(|price| price.vcpus >= host.cores.len()).min_by_key(|price| price.vcpus);
    enough.or_else(|| of_kind().max_by_key(|price| price.vcpus))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(cpu: &str, cores: usize) -> Host {
        Host { cpu: cpu.into(), cores: (0..cores).collect(), ..dyno_measure::host::detect().unwrap() }
    }

    #[test]
    fn the_shipped_prices_are_whole_and_dated() {
        let prices = load(None).unwrap();
        let of = |word: &str| prices.iter().filter(|price| price.terms.starts_with(word)).count();
        assert!(of("on demand") >= 100 && of("spot") >= 20, "{} prices", prices.len());
        for provider in ["AWS", "Google Cloud", "Azure"] {
            assert!(prices.iter().any(|price| price.provider == provider), "{provider}");
        }
        for (i, price) in prices.iter().enumerate() {
            let per_vcpu = price.hourly_usd / price.vcpus as f64;
            assert!((0.01..0.2).contains(&per_vcpu), "{price:?}");
            assert!(price.date.len() == 10 && price.source.len() > 20, "{price:?}");
            assert!(prices[..i].iter().all(|other| other.instance != price.instance), "two {price:?}");
            let is_spot = price.terms.starts_with("spot");
            assert_eq!(is_spot, price.instance.ends_with(" spot"), "{price:?}");
            assert!(
                !is_spot || price.cpu.is_empty(),
                "no host is priced by a spot market unasked: {price:?}"
            );
        }
    }

    #[test]
    fn the_age_of_a_price_is_counted_in_days() {
        let price = load(None).unwrap().remove(0);
        let on = |date: &str, today: &str| {
            Price { date: date.into(), ..price.clone() }.age_on(today.parse().unwrap()).unwrap()
        };
        assert_eq!(on("2026-01-19", "2026-01-19"), 0);
        assert_eq!(on("2026-01-19", "2026-07-18"), 180);
        assert_eq!(on("2024-02-28", "2025-02-28"), 366, "a leap year");
    }

    #[test]
    fn a_speed_becomes_words_for_a_dollar() {
        let prices = load(None).unwrap();
        let price = named(&prices, "c7a.large").unwrap();
        // 9,870 words/s · 3600 s / $0.10264 = 346.18 million.
        assert!((price.words_per_dollar(9870.0) / 346.18e6 - 1.0).abs() < 1e-4);
        // The same processor with twice the memory: 9,870 · 3600 / $0.11592 = 306.52 million.
        let larger = named(&prices, "m7a.large").unwrap();
        assert!((larger.words_per_dollar(9870.0) / 306.52e6 - 1.0).abs() < 1e-4);
        assert_eq!((larger.vcpus, larger.threads, larger.provider.as_str()), (2, 1, "AWS"));
        // One of two cores is half of the instance; on c6i.large the one core is all of it.
        assert!((price.words_per_dollar_pro_rata(9870.0, 1) / 692.36e6 - 1.0).abs() < 1e-4);
        let price = named(&prices, "c6i.large").unwrap();
        assert_eq!(price.words_per_dollar_pro_rata(1.0, 1), price.words_per_dollar(1.0));
        assert_eq!(price.words_per_dollar_pro_rata(1.0, 2), price.words_per_dollar(1.0));
        assert!(price.has_cores(2) && !price.has_cores(3));
    }

    #[test]
    fn a_host_is_priced_by_its_cpu_and_size() {
        let prices = load(None).unwrap();
        let of = |cpu, cores| like(&prices, &host(cpu, cores)).map(|price| price.instance.as_str());
        assert_eq!(of("AMD EPYC (Zen 5)", 2), Some("c8a.large"));
        assert_eq!(of("AMD EPYC 9R14 (Zen 4)", 3), Some("c7a.xlarge"));
        assert_eq!(of("AMD EPYC 9R14 (Zen 4)", 192), Some("c7a.8xlarge"));
        assert_eq!(of("AMD EPYC 9B14 (Zen 4)", 4), Some("c3d-standard-4"), "another cloud's");
        assert_eq!(of("Intel(R) Xeon(R) Platinum 8573C", 2), Some("D2s_v6"));
        assert_eq!(of("Cyrix 486", 1), None);
    }

    #[test]
    fn a_broken_price_file_is_told_by_line() {
        for (text, part) in [
            ("[[list]]\nprovider = 3\n", "file:2:"),
            (
                "list = [{ provider = \"a\", region = \"\", terms = \"\", date = \"\", source = \"\", instances = [{ name = \"x\", vcpus = 0, threads = 1, usd = 1.0 }] }]",
                "`vcpus` and `threads` must lie between 1 and 65536",
            ),
        ] {
            let failure = parse(text, "file").unwrap_err();
            assert!(failure.to_string().contains(part), "{:?}", failure);
        }
        let prices = load(None).unwrap();
        assert!(named(&prices, "c7a.lrge").unwrap_err().to_string().contains("c7a.large"));
    }
}
