//! The tracks: protocols under which a system is measured. All that is a track's own stands here: how its lines are
//! exchanged, on how many cores, and the words of its figures. Other code asks for these, or loops over all tracks.

use super::names::words;

words! {
    /// Protocol under which a system is measured, with what it is in a few words, beside its name.
    #[serde(rename_all = "kebab-case")]
    pub enum Track {
        /// One core; each line is sent after the answer to the line before.
        Latency => "one core, lock-step",
        /// All cores that the campaign allows; each line is sent after the answer to the line before.
        LatencyAll => "all cores, lock-step",
        /// One core; the lines of a page are sent at once, after the answers to the page before.
        Pages => "one core, a page of lines at once; p50 to p99 to its last line",
        /// One core; the whole file is sent at once.
        #[serde(rename = "throughput-1")]
        Throughput1 => "one core, whole file",
        /// All cores that the campaign allows; the whole file is sent at once.
        ThroughputAll => "all cores, whole file",
        /// All cores that the campaign allows; lines arrive at random instants.
        Server => "all cores, lines at random instants",
    }
}

/// How lines and answers are exchanged. Tracks of one exchange differ in their cores alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// Lock-step of lines: each is sent after the answer to the line before.
    Lines,
    /// Lock-step of pages: the lines of each are sent at once, after the answers to the page before.
    Pages,
    /// The whole file is sent at once.
    File,
    /// Lines arrive at random instants, whether or not earlier ones are answered.
    Arrivals,
}

/// Words of a track's cost: the 95th percentile of latency in lock-step, words a second elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct CostWords {
    /// Name in links.
    pub id: &'static str,
    /// Name in a sentence.
    pub noun: &'static str,
    /// Head of its column; `#` marks figures.
    pub head: &'static str,
    /// Name at an axis.
    pub axis: &'static str,
    /// Cost in a sentence, with `{}` for the figure.
    pub told: &'static str,
}

/// What a track is.
struct Terms {
    exchange: Exchange,
    most_cores: Option<usize>,
    cost: CostWords,
    wins: Wins,
}

/// Heads of the columns of beaten systems: by the p95 latency, which lock-step alone has, and by the speed.
type Wins = (Option<&'static str>, &'static str);

impl Track {
    /// Tracks of a campaign that names none. `Server` takes many times as long, and `LatencyAll` tells nothing new
    /// of systems that work on a line with one core, as most translators do.
    pub const USUAL: [Self; 3] = [Self::Latency, Self::Throughput1, Self::ThroughputAll];

    /// Properties and words of each track, one below the other: a table, so it is long.
    const fn terms(self) -> Terms {
        match self {
            Self::Latency => Terms {
                exchange: Exchange::Lines,
                most_cores: Some(1),
                cost: CostWords {
                    id: "latency-p95",
                    noun: "p95 latency",
                    head: "#p95 ms",
                    axis: "p95 latency in ms",
                    told: "p95 latency {} ms",
                },
                wins: (Some("shorter p95 than"), "faster line by line than"),
            },
            Self::LatencyAll => Terms {
                exchange: Exchange::Lines,
                most_cores: None,
                cost: CostWords {
                    id: "latency-all-p95",
                    noun: "p95 latency on all cores",
                    head: "#p95 ms, all cores",
                    axis: "p95 latency on all cores in ms",
                    told: "p95 latency {} ms on all cores",
                },
                wins: (Some("shorter p95 on all cores than"), "faster line by line on all cores than"),
            },
            Self::Pages => Terms {
                exchange: Exchange::Pages,
                most_cores: Some(1),
                cost: CostWords {
                    id: "pages-p95",
                    noun: "p95 time of a page",
                    head: "#page p95 ms",
                    axis: "p95 time to a page's last line in ms",
                    told: "p95 {} ms to the last line of a page",
                },
                wins: (Some("shorter p95 of a page than"), "faster page by page than"),
            },
            Self::Throughput1 => Terms {
                exchange: Exchange::File,
                most_cores: Some(1),
                cost: CostWords {
                    id: "throughput-1",
                    noun: "speed on one core",
                    head: "#words/s, one core",
                    axis: "words/s on one core",
                    told: "{} words/s on one core",
                },
                wins: (None, "faster on one core than"),
            },
            Self::ThroughputAll => Terms {
                exchange: Exchange::File,
                most_cores: None,
                cost: CostWords {
                    id: "throughput-all",
                    noun: "speed on all cores",
                    head: "#words/s, all cores",
                    axis: "words/s on all cores",
                    told: "{} words/s",
                },
                wins: (None, "faster on all cores than"),
            },
            Self::Server => Terms {
                exchange: Exchange::Arrivals,
                most_cores: None,
                cost: CostWords {
                    id: "server",
                    noun: "speed as a server",
                    head: "#words/s, server",
                    axis: "words/s as a server",
                    told: "{} words/s as a server",
                },
                wins: (None, "faster as a server than"),
            },
        }
    }

    /// How lines and answers are exchanged.
    pub const fn exchange(self) -> Exchange {
        self.terms().exchange
    }

    /// Most cores that a system may use; all that the campaign allows if absent.
    pub const fn most_cores(self) -> Option<usize> {
        self.terms().most_cores
    }

    /// Words of the cost.
    pub const fn cost(self) -> CostWords {
        self.terms().cost
    }

    /// Heads of the columns of beaten systems: by the p95 latency, which lock-step alone has, and by the speed.
    pub const fn wins(self) -> Wins {
        self.terms().wins
    }

    /// What a latency belongs to, in the singular: what is sent at once.
    pub const fn unit(self) -> &'static str {
        match self.exchange() {
            Exchange::Pages => "page",
            _ => "line",
        }
    }

    /// Whether nothing is asked before the last answer is there: line by line, or page by page.
    pub const fn is_lockstep(self) -> bool {
        matches!(self.exchange(), Exchange::Lines | Exchange::Pages)
    }

    /// Whether a system has one line at a time: while it works, no line arrives, and the bench waits.
    pub const fn has_one_line(self) -> bool {
        matches!(self.exchange(), Exchange::Lines)
    }

    /// Whether each answer is flushed as soon as it is there. Other tracks pass whole files.
    pub const fn answers_lines(self) -> bool {
        !matches!(self.exchange(), Exchange::File)
    }

    /// Whether lines arrive while earlier ones are unanswered, within a latency limit.
    pub const fn is_served(self) -> bool {
        matches!(self.exchange(), Exchange::Arrivals)
    }

    /// Whether a system may use more than one core: all that the campaign allows.
    pub const fn has_several_cores(self) -> bool {
        self.most_cores().is_none()
    }

    /// The track of the same exchange on one core.
    pub fn on_one_core(self) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.exchange() == self.exchange() && !one.has_several_cores())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_differ_in_exchange_or_cores_and_their_figures_have_names_of_their_own() {
        for (i, one) in Track::ALL.into_iter().enumerate() {
            for other in &Track::ALL[..i] {
                assert!(
                    (one.exchange(), one.most_cores()) != (other.exchange(), other.most_cores()),
                    "{one}"
                );
                let names =
                    |track: Track| [track.cost().id, track.cost().noun, track.cost().head, track.wins().1];
                assert!(names(one).iter().zip(names(*other)).all(|(a, b)| *a != b), "{one} {other}");
            }
            assert_eq!(one.wins().0.is_some(), one.is_lockstep(), "{one}");
            assert!(one.cost().told.contains("{}"), "{one}");
        }
        assert_eq!(Track::Server.on_one_core(), None);
        assert_eq!(Track::ThroughputAll.on_one_core(), Some(Track::Throughput1));
    }
}
