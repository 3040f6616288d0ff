//! Words a second of a GGUF file on one thread: a prompt at once, words one by one, and the words of eight lines
//! together. `ci/peers/language-models` compares them with llama.cpp's.
//!
//! ```sh
//! cargo run --release -p dyno-decoder-only --example speed -- MODEL.gguf
//! ```

use std::path::Path;

use dyno_decoder_only::{Network, Row};
use dyno_formats::Gguf;
use dyno_kernels::Kernels;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Lines, words of each that are read at once, and steps.
const CASES: [[usize; 3]; 3] = [[1, 64, 1], [1, 1, 16], [8, 1, 16]];

fn main() -> Outcome<()> {
    let path = std::env::args().nth(1).ok_or("give the path of a GGUF file")?;
    let network = Network::new(Gguf::open(Path::new(&path))?, Kernels::best())?;
    seconds(&network, [1, 1, 1])?; // brings the weights into memory
    for case in CASES {
        let [lines, words, steps] = case;
        let rate = (lines * words * steps) as f64 / seconds(&network, case)?;
        println!("{lines} lines, {words} words at once: {rate:.1} words/s");
    }
    Ok(())
}

/// Time of the processor that a case takes.
fn seconds(network: &Network, [lines, words, steps]: [usize; 3]) -> Outcome<f64> {
    let mut worker = network.worker(1)?;
    (1..lines).for_each(|slot| worker.begin(slot));
    let (mut logits, start) = (Vec::new(), processor_ns()?);
    for step in 0..steps {
        let row = |at| Row { id: at as u32 % 100, slot: at / words, position: step * words + at % words };
        let rows: Vec<Row> = (0..lines * words).map(row).collect();
        let wanted: Vec<usize> = (0..lines).map(|line| (line + 1) * words - 1).collect();
        network.forward(&mut worker, &rows, &wanted, &mut logits);
    }
    Ok((processor_ns()? - start) / 1e9)
}

/// Time that this thread has had the processor, by the kernel's scheduler: others may use it in between.
fn processor_ns() -> Outcome<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(told.split_whitespace().next().ok_or("no time of the scheduler")?.parse()?)
}
