//! State of recurrent layers: GRU, LSTM and SSRU cells, running averages, and gates between two inputs.

/// Writes the functions for one instruction set; `functions!` must stand beside it.
macro_rules! cells {
    ([$(#[$feature:meta])*]) => {
        $(#[$feature])*
        pub(crate) fn gru(xw: &[f32], su: &[f32], b: &[f32], bias_inside: bool, s: &mut [f32]) {
            let size = s.len();
            for (block, s) in s.chunks_mut(LANES).enumerate() {
                let at = |gate: usize| gate * size + block * LANES..gate * size + block * LANES + s.len();
                let gate = |g: usize| [lanes::load(&xw[at(g)]), lanes::load(&su[at(g)]), lanes::load(&b[at(g)])];
                let [x, u, c] = gate(0);
                let r = sigmoid(lanes::add(lanes::add(x, u), c));
                let [x, u, c] = gate(1);
                let z = sigmoid(lanes::add(lanes::add(x, u), c));
                let [x, u, c] = gate(2);
                let h = if bias_inside {
                    tanh(lanes::fma(lanes::add(u, c), r, x))
                } else {
                    tanh(lanes::add(lanes::fma(u, r, x), c))
                };
                let old = lanes::load(s);
                lanes::store(s, lanes::fma(z, lanes::sub(old, h), h));
            }
        }

        $(#[$feature])*
        pub(crate) fn lstm(xw: &[f32], su: &[f32], b: &[f32], c: &mut [f32], h: &mut [f32]) {
            let size = c.len();
            for (block, (c, h)) in c.chunks_mut(LANES).zip(h.chunks_mut(LANES)).enumerate() {
                let at = |gate: usize| gate * size + block * LANES..gate * size + block * LANES + c.len();
                let sum = |g: usize| {
                    lanes::add(lanes::add(lanes::load(&xw[at(g)]), lanes::load(&su[at(g)])), lanes::load(&b[at(g)]))
                };
                let (forget, input, cell, output) = (sigmoid(sum(0)), sigmoid(sum(1)), tanh(sum(2)), sigmoid(sum(3)));
                let new = lanes::fma(forget, lanes::load(c), lanes::mul(input, cell));
                lanes::store(c, new);
                lanes::store(h, lanes::mul(output, tanh(new)));
            }
        }

        $(#[$feature])*
        pub(crate) fn ssru(x: &[f32], forget: &[f32], c: &mut [f32], h: &mut [f32]) {
            let inputs = x.chunks(LANES).zip(forget.chunks(LANES));
            for ((x, forget), (c, h)) in inputs.zip(c.chunks_mut(LANES).zip(h.chunks_mut(LANES))) {
                let x = lanes::load(x);
                let new = lanes::fma(sigmoid(lanes::load(forget)), lanes::sub(lanes::load(c), x), x);
                lanes::store(c, new);
                lanes::store(h, lanes::max(lanes::splat(0.0), new));
            }
        }

        $(#[$feature])*
        pub(crate) fn average(x: &[f32], before: f32, mean: &mut [f32]) {
            for (x, mean) in x.chunks(LANES).zip(mean.chunks_mut(LANES)) {
                let sum = lanes::fma(lanes::load(mean), lanes::splat(before), lanes::load(x));
                lanes::store(mean, lanes::div(sum, lanes::splat(before + 1.0)));
            }
        }

        $(#[$feature])*
        pub(crate) fn mix(x: &[f32], x_gate: &[f32], y: &mut [f32], y_gate: &[f32]) {
            let gates = x_gate.chunks(LANES).zip(y_gate.chunks(LANES));
            for ((x, y), (x_gate, y_gate)) in x.chunks(LANES).zip(y.chunks_mut(LANES)).zip(gates) {
                let kept = lanes::mul(sigmoid(lanes::load(y_gate)), lanes::load(y));
                lanes::store(y, lanes::fma(sigmoid(lanes::load(x_gate)), lanes::load(x), kept));
            }
        }

        $(#[$feature])*
        pub(crate) fn highway(x: &[f32], gate: &[f32], y: &mut [f32]) {
            for ((x, gate), y) in x.chunks(LANES).zip(gate.chunks(LANES)).zip(y.chunks_mut(LANES)) {
                let x = lanes::load(x);
                let mixed = lanes::fma(sigmoid(lanes::load(gate)), lanes::sub(lanes::load(y), x), x);
                lanes::store(y, mixed);
            }
        }
    };
}
pub(crate) use cells;
