//! The floor beneath every latency on this host: the time of a line between two processes that do nothing
//! else. Each run measures the floor and prints it beside the null system's latency. It is never subtracted.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::time::Instant;

use dyno_stats::median;

use crate::os;
use crate::supervisor::GIVE_BACK;

/// Number of exchanges, of which the median counts.
const EXCHANGES: usize = 2000;
/// A line of usual length.
const LINE: [u8; 64] = [b'x'; 64];

/// Median time of an exchange with a process that returns its input, both on `core`.
pub fn pipe_floor_ns(core: usize) -> io::Result<u64> {
    let measure = || -> io::Result<u64> {
        os::pin_thread(&[core])?;
        let mut command = Command::new("/proc/self/exe");
        command.arg(GIVE_BACK).stdin(Stdio::piped()).stdout(Stdio::piped());
        os::die_with_parent(&mut command);
        let mut child = command.spawn()?;
        let times = exchange(&mut child);
        drop(child.stdin.take());
        child.wait()?;
        Ok(median(&times?).unwrap_or(0.0) as u64)
    };
    std::thread::scope(|scope| scope.spawn(measure).join()).expect("the exchange doesn't panic")
}

fn exchange(child: &mut std::process::Child) -> io::Result<Vec<f64>> {
    let (Some(stdin), Some(stdout)) = (&mut child.stdin, &mut child.stdout) else {
        unreachable!("both are pipes")
    };
    let mut back = LINE;
    let once = |_| {
        let begin = Instant::now();
        stdin.write_all(&LINE)?;
        stdout.read_exact(&mut back)?;
        Ok(begin.elapsed().as_nanos() as f64)
    };
    (0..EXCHANGES).map(once).collect()
}

/// Body of the other process: returns its input until the end.
pub fn give_back() -> io::Result<()> {
    // The descriptor itself, because the standard library would look for line ends.
    let mut stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let mut stdin = io::stdin().lock();
    let mut buffer = [0; 4096];
    loop {
        match stdin.read(&mut buffer)? {
            0 => return Ok(()),
            n => stdout.write_all(&buffer[..n])?,
        }
    }
}
