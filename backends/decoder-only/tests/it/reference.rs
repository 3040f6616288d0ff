//! The network in plain loops over f32, without quantised activations and without kept keys: the truth for
//! the engine's own. It shares the description and the reader with the engine, and no arithmetic.

use dyno_formats::Gguf;
use dyno_formats::spec::{Activation, DecoderOnlySpec, Pairs};

/// Logits after each of `ids`, [ids, words].
pub fn logits(file: &Gguf, ids: &[u32]) -> Vec<Vec<f32>> {
    let spec = file.network().unwrap();
    let read = |name: &str| file.tensor(name).unwrap().to_f32();
    let table = read("token_embd.weight");
    let vector = |id: &u32| -> Vec<f32> {
        let row = &table[*id as usize * spec.width..][..spec.width];
        row.iter().map(|x| x * spec.embedding_scale).collect()
    };
    let mut rows: Vec<Vec<f32>> = ids.iter().map(vector).collect();
    for layer in 0..spec.layers {
        let read = |end: &str| read(&format!("blk.{layer}.{end}"));
        let after = |name: &str, x: Vec<f32>| if spec.norms_after { norm(&spec, &read(name), &x) } else { x };
        let attended = attend(&spec, layer, &rows, &read);
        for (x, y) in rows.iter_mut().zip(attended) {
            add(x, &after("post_attention_norm.weight", y));
        }
        let (gate, up, down) = (read("ffn_gate.weight"), read("ffn_up.weight"), read("ffn_down.weight"));
        let before = read("ffn_norm.weight");
        for x in &mut rows {
            let normed = norm(&spec, &before, x);
            let gated = product(&gate, &normed).into_iter().zip(product(&up, &normed));
            let inner: Vec<f32> = gated.map(|(gate, up)| activate(spec.gate, gate) * up).collect();
            let y = after("post_ffw_norm.weight", product(&down, &inner));
            add(x, &y);
        }
    }
    let output = if spec.tied { table.clone() } else { read("output.weight") };
    let last = read("output_norm.weight");
    rows.iter().map(|x| product(&output, &norm(&spec, &last, x))).collect()
}

/// Attention of all rows, each of which sees itself and the rows before it.
fn attend(
    spec: &DecoderOnlySpec,
    layer: usize,
    rows: &[Vec<f32>],
    read: &impl Fn(&str) -> Vec<f32>,
) -> Vec<Vec<f32>> {
    let before = read("attn_norm.weight");
    let normed: Vec<Vec<f32>> = rows.iter().map(|x| norm(spec, &before, x)).collect();
    let heads = |letter: &str, is_turned: bool| -> Vec<Vec<f32>> {
        let weights = read(&format!("attn_{letter}.weight"));
        let made = normed.iter().enumerate().map(|(position, x)| {
            let mut y = product(&weights, x);
            if spec.biases {
                add(&mut y, &read(&format!("attn_{letter}.bias")));
            }
            for head in y.chunks_mut(spec.head).filter(|_| is_turned) {
                if spec.head_norms {
                    let normed = norm(spec, &read(&format!("attn_{letter}_norm.weight")), head);
                    head.copy_from_slice(&normed);
                }
                turn(spec, layer, position, head);
            }
            y
        });
        made.collect()
    };
    let (queries, keys, values) = (heads("q", true), heads("k", true), heads("v", false));
    let mixed = read("attn_output.weight");
    let group = spec.heads / spec.key_heads;
    let of_row = |position: usize| {
        let first = spec.window(layer).map_or(0, |window| (position + 1).saturating_sub(window));
        let mut joined = Vec::new();
        for head in 0..spec.heads {
            let query = &queries[position][head * spec.head..][..spec.head];
            let own = head / group * spec.head..(head / group + 1) * spec.head;
            let score = |at: usize| dot(query, &keys[at][own.clone()]) * spec.attention_scale;
            let scores: Vec<f32> = (first..=position).map(score).collect();
            let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let shares: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
            let sum: f32 = shares.iter().sum();
            joined.extend(own.map(|i| {
                shares.iter().enumerate().map(|(at, share)| share / sum * values[first + at][i]).sum::<f32>()
            }));
        }
        product(&mixed, &joined)
    };
    (0..rows.len()).map(of_row).collect()
}

fn turn(spec: &DecoderOnlySpec, layer: usize, position: usize, head: &mut [f32]) {
    let Some(rotation) = spec.rotation(layer) else { return };
    let pairs = rotation.angles.len();
    for (pair, angle) in rotation.angles.iter().enumerate() {
        let (a, b) = match rotation.pairs {
            Pairs::Neighbours => (2 * pair, 2 * pair + 1),
            Pairs::Halves => (pair, pair + pairs),
        };
        let (sine, cosine) = (position as f32 * angle).sin_cos();
        (head[a], head[b]) = (head[a] * cosine - head[b] * sine, head[a] * sine + head[b] * cosine);
    }
}

fn activate(gate: Activation, x: f32) -> f32 {
    match gate {
        Activation::Swish => x / (1.0 + (-x).exp()),
        Activation::GeluTanh => 0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh()),
        other => unreachable!("no language model has {other:?}"),
    }
}

fn norm(spec: &DecoderOnlySpec, scale: &[f32], x: &[f32]) -> Vec<f32> {
    let root = (dot(x, x) / x.len() as f32 + spec.epsilon).sqrt();
    x.iter().zip(scale).map(|(x, scale)| x / root * scale).collect()
}

/// Weights [outputs, inputs] times `x`.
fn product(weights: &[f32], x: &[f32]) -> Vec<f32> {
    weights.chunks(x.len()).map(|row| dot(row, x)).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(x: &mut [f32], y: &[f32]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
}
