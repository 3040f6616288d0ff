//! Attempts of a system to reach a network that it doesn't have.
//!
//! The kernel keeps counters for each network namespace: of packets and connections without a route (RFC
//! 2011, ipOutNoRoutes), and of messages to a port of its own that has no reader (udpNoPorts). A question to
//! a name server on the loopback device is such a message. A namespace with a loopback device alone has a
//! route to itself and to nothing else. Open files of counters outlive the processes of the namespace.

use std::fs::File;
use std::io::read_to_string;

/// Counters of a network namespace.
pub(super) struct Attempts {
    /// Counters of IPv4, and of IPv6 where the kernel has it.
    files: Vec<File>,
}

impl Attempts {
    /// Counters of the namespace of `process`, a name in /proc. `None` if it has ended.
    pub fn of(process: &str) -> Option<Self> {
        let open = |name: &str| File::open(format!("/proc/{process}/net/{name}"));
        let first = open("snmp").ok()?;
        Some(Self { files: [first].into_iter().chain(open("snmp6")).collect() })
    }

    /// Number of attempts so far.
    pub fn count(self) -> u64 {
        let texts = self.files.into_iter().map(|file| read_to_string(file).unwrap_or_default());
        texts.map(|text| attempts(&text)).sum()
    }
}

/// Attempts in a file of counters. Version 4 has a line of names and one of values for each protocol, version
/// 6 a name and a value in each line.
fn attempts(text: &str) -> u64 {
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let in_tables = lines.windows(2).flat_map(|pair| pair[0].iter().zip(&pair[1]));
    let in_rows = lines.iter().filter_map(|line| Some((line.first()?, line.get(1)?)));
    let is_attempt =
        |name: &str| matches!(name, "OutNoRoutes" | "NoPorts" | "Ip6OutNoRoutes" | "Udp6NoPorts");
    in_tables
        .chain(in_rows)
        .filter(|(name, _)| is_attempt(name))
        .filter_map(|(_, n)| n.parse::<u64>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_counted_in_both_forms() {
        let four = "Ip: Forwarding OutNoRoutes ReasmOKs\nIp: 2 4 0\nTcp: ActiveOpens\nTcp: 9\n\
                    Udp: InDatagrams NoPorts\nUdp: 7 2\n";
        let six =
            "Ip6OutRequests   \t5\nIp6OutNoRoutes                  \t1\nUdp6NoPorts\t0\nUdpLite6NoPorts\t8\n";
        assert_eq!((attempts(four), attempts(six), attempts("")), (6, 1, 0));
    }

    #[test]
    fn the_counters_of_this_process_can_be_read() {
        let own = Attempts::of("self").expect("this process has a network namespace");
        assert!(read_to_string(&own.files[0]).unwrap().contains("OutNoRoutes"));
        let count = || Attempts::of("self").map_or(0, Attempts::count);
        let earlier = count();
        assert!(earlier <= count(), "counters only grow");
        assert!(Attempts::of("0").is_none());
    }
}
