//! The likeliest ids after each line of ids from standard input: what `ci/decoder-only-parity.py` compares.
//!
//! ```sh
//! cargo run --release -p dyno-decoder-only --example greedy -- MODEL.gguf COUNT < IDS
//! ```

use std::path::Path;

use dyno_decoder_only::{Network, Row};
use dyno_formats::Gguf;
use dyno_kernels::Kernels;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, count] = &*arguments else { return Err("give the path of a GGUF file and a count".into()) };
    let network = Network::new(Gguf::open(Path::new(path))?, Kernels::best())?;
    for line in std::io::stdin().lines() {
        let ids: Vec<u32> = line?.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let found: Vec<String> = follow(&network, &ids, count.parse()?)?.iter().map(u32::to_string).collect();
        println!("{}", found.join(" "));
    }
    Ok(())
}

/// The likeliest `count` ids after `ids`.
fn follow(network: &Network, ids: &[u32], count: usize) -> Result<Vec<u32>, dyno_decoder_only::Error> {
    let mut worker = network.worker(1)?;
    let (mut found, mut logits, mut position) = (Vec::new(), Vec::new(), 0);
    let mut next = ids.to_vec();
    while found.len() < count {
        let rows = next.iter().zip(position..).map(|(id, position)| Row { id: *id, slot: 0, position });
        let rows: Vec<Row> = rows.collect();
        network.forward(&mut worker, &rows, &[rows.len() - 1], &mut logits);
        position += rows.len();
        // The first of equal ones, as in the engine's answers.
        let likeliest = logits.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
        next = vec![likeliest.map_or(0, |(id, _)| id as u32)];
        found.extend(&next);
    }
    Ok(found)
}
