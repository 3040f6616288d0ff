//! States of hypotheses in the target's recurrent layers. Hypotheses of one parent differ in their last word
//! alone and have the same state. The state is stored once, so that its products are computed once (paper,
//! 4.5). In the paper only the first layer gains; here a recurrent layer above it gains as much.

use dyno_nn::recurrent::State;

/// States of all layers.
pub(crate) struct States {
    layers: Vec<Layer>,
    /// Index of each row's state, the same in all layers.
    owners: Vec<usize>,
    merged: bool,
    /// Buffers of `reorder`: rows whose state is kept, and the new index of their state.
    distinct: Vec<usize>,
    places: Vec<usize>,
}

struct Layer {
    /// Present states, [states, S].
    now: State,
    /// Next states, [rows, S].
    next: State,
    width: usize,
}

/// No index yet.
const NONE: usize = usize::MAX;

impl States {
    /// States of layers with these `widths`, from the bottom up.
    pub(crate) fn new(widths: impl Iterator<Item = usize>, merged: bool) -> Self {
        let layer = |width| Layer { now: State::new(width), next: State::new(width), width };
        let (owners, distinct, places) = (Vec::new(), Vec::new(), Vec::new());
        Self { layers: widths.map(layer).collect(), owners, merged, distinct, places }
    }

    /// Appends a row for each state `first` [rows, S] of the bottom layer; all other states are zero.
    pub(crate) fn admit(&mut self, first: &[f32]) {
        let (rows, before) = (first.len() / self.layers[0].width, self.layers[0].now.output.len());
        let (bottom, above) = self.layers.split_first_mut().expect("the bottom layer and those above it");
        bottom.now.output.append(first);
        bottom.now.cell.grow(rows);
        above.iter_mut().for_each(|layer| layer.now.grow(rows));
        self.owners.extend(before..before + rows);
    }

    /// Gives each row a state of its own.
    fn own(&mut self, rows: usize) {
        self.owners.clear();
        self.owners.extend(0..rows);
    }

    /// Outputs of a layer, [states, S].
    pub(crate) fn outputs(&self, layer: usize) -> &[f32] {
        self.layers[layer].now.output.values()
    }

    /// Number of rows, and of their states.
    pub(crate) fn merging(&self) -> (usize, usize) {
        let bottom = &self.layers[0];
        (self.owners.len(), bottom.now.output.values().len() / bottom.width.max(1))
    }

    /// Index of a row's state.
    pub(crate) fn owner(&self, row: usize) -> usize {
        self.owners[row]
    }

    /// Takes one step of all rows in a layer. `step` receives a row, the index of its state, and its output
    /// and cell, which it replaces by the next ones. Gives all new outputs, [rows, S].
    pub(crate) fn advance(
        &mut self,
        layer: usize,
        mut step: impl FnMut(usize, usize, &mut [f32], &mut [f32]),
    ) -> &[f32] {
        let Layer { now, next, width } = &mut self.layers[layer];
        next.reset(self.owners.len());
        let outputs = next.output.values_mut().chunks_exact_mut(*width);
        let rows = outputs.zip(next.cell.values_mut().chunks_exact_mut(*width)).zip(&self.owners);
        for (row, ((output, cell), owner)) in rows.enumerate() {
            output.copy_from_slice(now.output.row(*owner));
            cell.copy_from_slice(now.cell.row(*owner));
            step(row, *owner, output, cell);
        }
        next.output.values()
    }

    /// Makes the next states the present ones, after all layers have advanced.
    pub(crate) fn settle(&mut self) {
        self.layers.iter_mut().for_each(|layer| std::mem::swap(&mut layer.now, &mut layer.next));
        self.own(self.owners.len());
    }

    /// Reorders the rows: the new row i continues the old row `kept[i]`.
    pub(crate) fn reorder(&mut self, kept: &[usize]) {
        if !self.merged {
            self.layers.iter_mut().for_each(|layer| layer.now.reorder(kept));
            return self.own(kept.len());
        }
        self.places.clear();
        self.places.resize(self.owners.len(), NONE);
        self.owners.clear();
        self.distinct.clear();
        for row in kept {
            if self.places[*row] == NONE {
                self.places[*row] = self.distinct.len();
                self.distinct.push(*row);
            }
            self.owners.push(self.places[*row]);
        }
        self.layers.iter_mut().for_each(|layer| layer.now.reorder(&self.distinct));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outputs of each step, where a row adds its number to its state, and the numbers of states.
    fn run(merged: bool) -> Vec<(Vec<f32>, usize)> {
        let mut states = States::new([1].into_iter(), merged);
        states.admit(&[10.0]);
        states.admit(&[20.0]);
        let mut seen = Vec::new();
        for kept in [&[1, 0, 1, 1][..], &[3, 3, 0], &[2]] {
            assert_eq!(states.merging(), (states.owners.len(), states.outputs(0).len()));
            let outputs = states.advance(0, |row, _, output, _| output[0] += row as f32).to_vec();
            seen.push((outputs, states.outputs(0).len()));
            states.settle();
            states.reorder(kept);
        }
        seen
    }

    #[test]
    fn merged_states_are_fewer_and_the_same() {
        let (merged, apart) = (run(true), run(false));
        let outputs =
            |seen: &[(Vec<f32>, usize)]| seen.iter().map(|(outputs, _)| outputs.clone()).collect::<Vec<_>>();
        assert_eq!(outputs(&merged), outputs(&apart));
        assert_eq!(
            outputs(&merged),
            [vec![10.0, 21.0], vec![21.0, 11.0, 23.0, 24.0], vec![24.0, 25.0, 23.0]]
        );
        let states = |seen: &[(Vec<f32>, usize)]| seen.iter().map(|(_, states)| *states).collect::<Vec<_>>();
        assert_eq!((states(&merged), states(&apart)), (vec![2, 2, 2], vec![2, 4, 3]));
    }
}
