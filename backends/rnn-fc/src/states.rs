//! What hypotheses remember in the target's recurrent layers. Hypotheses of one parent, which differ in their last word
//! alone, have the same state: it is kept once, so that whatever depends on it alone is computed once (paper, 4.5,
//! where only the first layer gains; a recurrent layer above it gains as much with the product of its own state).

use dyno_nn::recurrent::State;

/// States of all layers.
pub(crate) struct States {
    layers: Vec<Layer>,
    /// Which state each row has, in all layers alike.
    owners: Vec<usize>,
    merged: bool,
    /// Buffers: rows whose state is kept, and where it goes.
    distinct: Vec<usize>,
    places: Vec<usize>,
}

struct Layer {
    /// [states, S].
    now: State,
    /// [rows, S].
    next: State,
    width: usize,
}

/// No place yet.
const NONE: usize = usize::MAX;

impl States {
    /// Of layers of these `widths`, from the bottom up.
    pub(crate) fn new(widths: impl Iterator<Item = usize>, merged: bool) -> Self {
        let layer = |width| Layer { now: State::new(width), next: State::new(width), width };
        let (owners, distinct, places) = (Vec::new(), Vec::new(), Vec::new());
        Self { layers: widths.map(layer).collect(), owners, merged, distinct, places }
    }

    /// Begins with a row for each of `first` [rows, S], the states of the bottom layer; all else is zero.
    pub(crate) fn start(&mut self, first: &[f32]) {
        let rows = first.len() / self.layers[0].width;
        self.layers.iter_mut().for_each(|layer| layer.now.reset(rows));
        self.layers[0].now.output.set(first);
        self.own(rows);
    }

    /// Each row has a state of its own.
    fn own(&mut self, rows: usize) {
        self.owners.clear();
        self.owners.extend(0..rows);
    }

    /// The states of a layer, [states, S].
    pub(crate) fn outputs(&self, layer: usize) -> &[f32] {
        self.layers[layer].now.output.values()
    }

    /// Which state a row has.
    pub(crate) fn owner(&self, row: usize) -> usize {
        self.owners[row]
    }

    /// Takes one step of all rows in a layer: `step` gets a row, its state's place, and output and cell as they are, to be
    /// replaced by those that follow. Gives all new outputs, [rows, S].
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

    /// All layers have advanced: what follows is what is.
    pub(crate) fn settle(&mut self) {
        self.layers.iter_mut().for_each(|layer| std::mem::swap(&mut layer.now, &mut layer.next));
        self.own(self.owners.len());
    }

    /// The new row i continues what was row `kept[i]`.
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

    /// The outputs of each step when a row adds its number to its state, and how many states there were.
    fn run(merged: bool) -> Vec<(Vec<f32>, usize)> {
        let mut states = States::new([1].into_iter(), merged);
        states.start(&[10.0, 20.0]);
        let mut seen = Vec::new();
        for kept in [&[1, 0, 1, 1][..], &[3, 3, 0], &[2]] {
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
