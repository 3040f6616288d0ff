//! The closed loop: the length of a run with clients, and the part of it that counts.
//!
//! All clients send their first line at once, and at the end they stop one after another. Between the two, each of
//! them has a line with the system at any time. Only there Little's law holds without a remainder:
//! clients = throughput · mean time (Little 1961; Denning and Buzen 1978, "The operational analysis of queueing
//! network models").

use std::ops::Range;

/// Least answers that count for each client. A system may answer whole batches of them, and a part of a batch at
/// either end is then a sixteenth at most.
const ANSWERS_A_CLIENT: usize = 16;

/// Lines of a run of which at least `counted` count: a multiple of the clients, so that whole batches of them do.
pub(super) fn lines(counted: usize, clients: usize) -> usize {
    counted.max(ANSWERS_A_CLIENT * clients).next_multiple_of(clients) + 2 * clients
}

/// Answers a second while all clients wait, and the answers of that time, from the instants of all answers. A run has
/// the lines that [`lines`] gives.
pub(super) fn steady(answered_ns: &[u64], clients: usize) -> (f64, Range<usize>) {
    let window = clients..answered_ns.len() - clients;
    let ns = answered_ns[window.end - 1] - answered_ns[window.start - 1];
    (window.len() as f64 / (ns.max(1) as f64 / 1e9), window)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instants of the answers, and times of the lines, of servers that take `service` for a line.
    fn closed_queue(lines: usize, clients: usize, servers: usize, service: u64) -> (Vec<u64>, Vec<u64>) {
        let (mut free, mut done) = (vec![0; servers], Vec::<u64>::new());
        let mut times = Vec::new();
        for line in 0..lines {
            let arrival = line.checked_sub(clients).map_or(0, |before| done[before]);
            let server = (0..servers).min_by_key(|&server| free[server]).unwrap();
            free[server] = free[server].max(arrival) + service;
            done.push(free[server]);
            times.push(free[server] - arrival);
        }
        (done, times)
    }

    #[test]
    fn throughput_and_times_of_servers_are_those_of_the_asymptotes() {
        for (clients, servers) in [(1, 1), (3, 1), (16, 1), (1, 4), (2, 4), (4, 4), (7, 4), (16, 4)] {
            let (done, times) = closed_queue(lines(200, clients), clients, servers, 1_000_000);
            let (throughput, window) = steady(&done, clients);
            assert!(window.len() >= 200 && window.len() % clients == 0);
            // X = min(N, servers) / service, and R = N / X (Denning and Buzen 1978).
            let expected = 1e3 * clients.min(servers) as f64;
            assert!((throughput / expected - 1.0).abs() < 0.02, "{clients}, {servers}: {throughput}");
            let mean_s = times[window.clone()].iter().sum::<u64>() as f64 / window.len() as f64 / 1e9;
            let law = throughput * mean_s / clients as f64;
            assert!((law - 1.0).abs() < 0.02, "{clients}, {servers}: {law}");
        }
    }
}
