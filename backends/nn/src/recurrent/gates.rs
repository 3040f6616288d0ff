//! Gates of recurrent cells over one row, with σ and tanh computed or from tables.

use dyno_formats::spec;
use dyno_kernels::{Activation, Kernels};

use super::state::State;
use crate::watch::Operator;

/// A kind of cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Gated recurrent unit; its pre-activations are in the order r, z, h.
    Gru {
        /// Whether the reset gate scales the candidate's bias too.
        bias_inside: bool,
    },
    /// Long short-term memory; its pre-activations are in the order f, i, c, o.
    Lstm,
}

impl From<spec::Cell> for Cell {
    /// The cell, whose reset gate leaves the candidate's bias alone.
    fn from(cell: spec::Cell) -> Self {
        match cell {
            spec::Cell::Gru | spec::Cell::GruNematus => Self::Gru { bias_inside: false },
            spec::Cell::Lstm => Self::Lstm,
        }
    }
}

/// The functions σ and tanh of a cell.
#[derive(Clone, Copy, Debug)]
pub struct Functions {
    kernels: Kernels,
    /// Whether the functions come from tables with linear interpolation (within 1e-5), or are computed
    /// (within 2e-7).
    table: bool,
}

/// Reason why calls of the kernels succeed.
const SIZED: &str = "gates are as wide as the state, times their number";

impl Functions {
    /// The functions of `kernels`, from tables or computed.
    pub fn new(kernels: Kernels, table: bool) -> Self {
        Self { kernels, table }
    }

    /// The logistic function of each element.
    pub fn sigmoid(self, row: &mut [f32]) {
        if self.table {
            self.kernels.sigmoid_table(row);
        } else {
            self.kernels.activate(Activation::Sigmoid, row);
        }
    }

    /// The hyperbolic tangent of each element.
    pub fn tanh(self, row: &mut [f32]) {
        let _activation = Operator::Activation.span();
        if self.table {
            self.kernels.tanh_table(row);
        } else {
            self.kernels.activate(Activation::Tanh, row);
        }
    }
}

impl Cell {
    /// Number of pre-activations for each element of the state.
    pub fn gates(self) -> usize {
        match self {
            Self::Gru { .. } => 3,
            Self::Lstm => 4,
        }
    }

    /// Takes one step of all rows of `state` [rows, S]. `recurrent` [rows, G] are the products of the states.
    /// `fed` are the products of the inputs: [rows, G], or one row for all.
    pub fn step_all(
        self,
        functions: Functions,
        [fed, recurrent, bias]: [&[f32]; 3],
        state: &mut State,
        scratch: &mut Vec<f32>,
    ) {
        let _gates = Operator::Activation.span();
        let (gates, width) = (bias.len(), bias.len() / self.gates());
        let outputs = state.output.values_mut().chunks_exact_mut(width);
        let states = outputs.zip(state.cell.values_mut().chunks_exact_mut(width));
        let pre = fed.chunks_exact(gates).cycle().zip(recurrent.chunks_exact(gates));
        for ((output, cell), (fed, recurrent)) in states.zip(pre) {
            self.step(functions, [fed, recurrent, bias], output, cell, scratch);
        }
    }

    /// Replaces `output` `[S]`, and an LSTM's `cell` `[S]`, by the next state. Pre-activations are the sum of the
    /// input's product `fed`, the state's product `recurrent`, and `bias`, each `[3S]` or `[4S]`. A GRU's
    /// candidate is tanh(fed + r⊙recurrent + bias), or tanh(fed + r⊙(recurrent + bias)).
    ///
    /// # Panics
    /// When the lengths differ from the cell's width.
    pub fn step(
        self,
        functions: Functions,
        [fed, recurrent, bias]: [&[f32]; 3],
        output: &mut [f32],
        cell: &mut [f32],
        scratch: &mut Vec<f32>,
    ) {
        let kernels = functions.kernels;
        match (self, functions.table) {
            (Self::Gru { bias_inside }, false) => {
                kernels.gru(fed, recurrent, bias, bias_inside, output).expect(SIZED);
            }
            (Self::Lstm, false) => kernels.lstm(fed, recurrent, bias, cell, output).expect(SIZED),
            (Self::Gru { bias_inside }, true) => {
                gru(functions, [fed, recurrent, bias], bias_inside, output, scratch);
            }
            (Self::Lstm, true) => lstm(functions, [fed, recurrent, bias], output, cell, scratch),
        }
    }
}

/// Replaces `sums` by the sums of three rows, element by element.
fn sum([a, b, c]: [&[f32]; 3], sums: &mut Vec<f32>) {
    sums.clear();
    sums.extend(a.iter().zip(b).zip(c).map(|((a, b), c)| a + b + c));
}

/// s ← (1−z)⊙h + z⊙s.
fn gru(
    functions: Functions,
    [fed, recurrent, bias]: [&[f32]; 3],
    bias_inside: bool,
    output: &mut [f32],
    sums: &mut Vec<f32>,
) {
    let width = output.len();
    sum([fed, recurrent, bias], sums);
    let (gates, new) = sums.split_at_mut(2 * width);
    functions.sigmoid(gates);
    let (reset, update) = gates.split_at(width);
    let held = recurrent[2 * width..].iter().zip(&bias[2 * width..]);
    // The sum contains all that the reset gate scales; the share that the gate holds back is subtracted.
    for ((new, reset), (recurrent, bias)) in new.iter_mut().zip(reset).zip(held) {
        *new -= (1.0 - reset) * (recurrent + if bias_inside { *bias } else { 0.0 });
    }
    functions.tanh(new);
    for ((state, update), new) in output.iter_mut().zip(update).zip(new) {
        *state = *new + update * (*state - *new);
    }
}

/// c ← σ(f)⊙c + σ(i)⊙tanh(g), s ← σ(o)⊙tanh(c).
fn lstm(functions: Functions, pre: [&[f32]; 3], output: &mut [f32], cell: &mut [f32], sums: &mut Vec<f32>) {
    let width = output.len();
    sum(pre, sums);
    let (gates, rest) = sums.split_at_mut(2 * width);
    let (new, out) = rest.split_at_mut(width);
    functions.sigmoid(gates);
    functions.tanh(new);
    functions.sigmoid(out);
    let (forget, take) = gates.split_at(width);
    for (((cell, forget), take), new) in cell.iter_mut().zip(forget).zip(take).zip(new) {
        *cell = forget * *cell + take * *new;
    }
    output.copy_from_slice(cell);
    functions.tanh(output);
    output.iter_mut().zip(out).for_each(|(output, gate)| *output *= *gate);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waves(len: usize, step: f32) -> Vec<f32> {
        (0..len).map(|i| 2.0 * (i as f32 * step).sin()).collect()
    }

    fn stepped(cell: Cell, table: bool) -> [Vec<f32>; 2] {
        let width = 21;
        let [fed, recurrent, bias] = [0.3, 0.7, 1.1].map(|step| waves(cell.gates() * width, step));
        let (mut output, mut memory) = (waves(width, 0.5), waves(width, 0.9));
        let functions = Functions::new(Kernels::best(), table);
        cell.step(functions, [&fed, &recurrent, &bias], &mut output, &mut memory, &mut Vec::new());
        [output, memory]
    }

    fn sigmoid(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }

    /// The formulas in 64 bits.
    fn expected(cell: Cell) -> [Vec<f64>; 2] {
        let width = 21;
        let rows = [0.3, 0.7, 1.1].map(|step| waves(cell.gates() * width, step));
        let at = |row: usize, gate: usize, i: usize| f64::from(rows[row][gate * width + i]);
        let pre = |gate, i| at(0, gate, i) + at(1, gate, i) + at(2, gate, i);
        let (old, memory) = (waves(width, 0.5), waves(width, 0.9));
        let next = |i: usize| {
            let (s, c) = (f64::from(old[i]), f64::from(memory[i]));
            if cell == Cell::Lstm {
                let c = sigmoid(pre(0, i)) * c + sigmoid(pre(1, i)) * pre(2, i).tanh();
                return (sigmoid(pre(3, i)) * c.tanh(), c);
            }
            let (r, z) = (sigmoid(pre(0, i)), sigmoid(pre(1, i)));
            let inside = cell == Cell::Gru { bias_inside: true };
            let bias = if inside { r } else { 1.0 } * at(2, 2, i);
            ((1.0 - z) * (at(0, 2, i) + r * at(1, 2, i) + bias).tanh() + z * s, c)
        };
        let (output, memory): (Vec<f64>, Vec<f64>) = (0..width).map(next).unzip();
        [output, memory]
    }

    #[test]
    fn cells_follow_their_formulas_computed_and_looked_up() {
        for (cell, table, tolerance) in [
            (Cell::Gru { bias_inside: false }, false, 2e-6),
            (Cell::Gru { bias_inside: false }, true, 5e-5),
            (Cell::Gru { bias_inside: true }, false, 2e-6),
            (Cell::Gru { bias_inside: true }, true, 5e-5),
            (Cell::Lstm, false, 2e-6),
            (Cell::Lstm, true, 5e-5),
        ] {
            for (found, expected) in stepped(cell, table).concat().iter().zip(expected(cell).concat()) {
                assert!(
                    (f64::from(*found) - expected).abs() < tolerance,
                    "{cell:?} {table} {found} {expected}"
                );
            }
        }
    }
}
