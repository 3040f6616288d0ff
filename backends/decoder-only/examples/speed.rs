//! Words a second of a GGUF file: a prompt at once, then words one by one and several lines together.
//!
//! ```sh
//! cargo run --release -p dyno-decoder-only --example speed -- MODEL.gguf [THREADS]
//! ```

use std::path::Path;
use std::time::Instant;

use dyno_decoder_only::{Network, Row};
use dyno_formats::Gguf;
use dyno_kernels::Kernels;

/// Steps of each measurement, of which the fastest is shown: others may use the processor.
const TIMES: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("give the path of a GGUF file")?;
    let threads = arguments.next().map_or(Ok(1), |count| count.parse())?;
    let network = Network::new(Gguf::open(Path::new(&path))?, Kernels::best())?;
    for (lines, words, steps) in [(1, 64, 1), (1, 256, 1), (1, 1, 32), (8, 1, 32)] {
        let mut fastest = f64::INFINITY;
        for _ in 0..TIMES {
            let mut worker = network.worker(threads)?;
            (1..lines).for_each(|slot| worker.begin(slot));
            let (mut logits, start) = (Vec::new(), Instant::now());
            for step in 0..steps {
                let row =
                    |at| Row { id: at as u32 % 100, slot: at / words, position: step * words + at % words };
                let rows: Vec<Row> = (0..lines * words).map(row).collect();
                let wanted: Vec<usize> = (0..lines).map(|line| (line + 1) * words - 1).collect();
                network.forward(&mut worker, &rows, &wanted, &mut logits);
            }
            fastest = fastest.min(start.elapsed().as_secs_f64());
        }
        let rate = (lines * words * steps) as f64 / fastest;
        println!("{lines} lines, {words} words at once: {rate:.0} words/s");
    }
    Ok(())
}
