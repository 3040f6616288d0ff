//! History: keys and values of all steps of each hypothesis, for self-attention in the decoder.
//!
//! Each hypothesis has a slot. Slots stay in place when hypotheses end or are reordered; a slot is copied
//! only where a hypothesis is continued twice.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dyno_kernels::KeyValues;

/// Keys and values for each hypothesis, one pair for each step.
#[derive(Debug)]
pub(super) struct History {
    memories: Vec<KeyValues>,
    width: usize,
    /// The slot of each hypothesis.
    slots: Vec<usize>,
    /// Slots without a hypothesis. The lowest one is taken first, so that few slots grow.
    free: BinaryHeap<Reverse<usize>>,
    spare: Vec<usize>,
    /// Whether the slot of each hypothesis still has no successor.
    waiting: Vec<bool>,
}

impl History {
    /// No hypotheses, with keys and values of `width`.
    pub(super) fn new(width: usize) -> Self {
        Self {
            memories: Vec::new(),
            width,
            slots: Vec::new(),
            free: BinaryHeap::new(),
            spare: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Appends `rows` new hypotheses.
    pub(super) fn admit(&mut self, rows: usize) {
        for _ in 0..rows {
            let slot = self.slot();
            self.memories[slot].clear();
            self.slots.push(slot);
        }
    }

    /// A slot without a hypothesis, with any content.
    fn slot(&mut self) -> usize {
        if let Some(Reverse(slot)) = self.free.pop() {
            return slot;
        }
        self.memories.push(KeyValues::new(self.width));
        self.memories.len() - 1
    }

    /// Appends to each hypothesis its row of `keys` and `values` [hypotheses, width].
    pub(super) fn push(&mut self, keys: &[f32], values: &[f32]) {
        let rows = keys.chunks_exact(self.width).zip(values.chunks_exact(self.width));
        for (slot, (key, value)) in self.slots.iter().zip(rows) {
            self.memories[*slot].push(key, value).expect("keys and values are as wide as the model");
        }
    }

    /// Keys and values of hypothesis `row`.
    pub(super) fn of(&self, row: usize) -> &KeyValues {
        &self.memories[self.slots[row]]
    }

    /// Reorders the hypotheses: the new hypothesis i continues the old hypothesis `kept[i]`.
    pub(super) fn reorder(&mut self, kept: &[usize]) {
        self.waiting.clear();
        self.waiting.resize(self.slots.len(), false);
        kept.iter().for_each(|row| self.waiting[*row] = true);
        let dropped = self.slots.iter().zip(&self.waiting).filter(|(_, waiting)| !**waiting);
        self.free.extend(dropped.map(|(slot, _)| Reverse(*slot)));
        self.spare.clear();
        for row in kept {
            let (slot, first) = (self.slots[*row], std::mem::take(&mut self.waiting[*row]));
            let slot = if first { slot } else { self.copy(slot) };
            self.spare.push(slot);
        }
        std::mem::swap(&mut self.slots, &mut self.spare);
    }

    /// Copies a slot; gives the new slot.
    fn copy(&mut self, slot: usize) -> usize {
        let to = self.slot();
        let mut copy = std::mem::replace(&mut self.memories[to], KeyValues::new(self.width));
        copy.copy_from(&self.memories[slot]);
        self.memories[to] = copy;
        to
    }
}

#[cfg(test)]
mod tests {
    use dyno_kernels::{Kernels, Mat};

    use super::*;

    /// The mean of the values: the result of a query that weighs all positions alike.
    fn mean(attended: &KeyValues) -> f32 {
        let mut out = [0.0];
        let query = Mat::new(&[0.0], 1, 1).unwrap();
        Kernels::best().attend(query, attended, 1, &mut Vec::new(), &mut out).unwrap();
        out[0]
    }

    #[test]
    fn each_hypothesis_keeps_its_own_past() {
        let mut history = History::new(1);
        history.admit(1);
        let mut plain: Vec<Vec<f32>> = vec![Vec::new()];
        let kept: [&[usize]; 5] = [&[0, 0, 0], &[2, 0, 0, 1], &[3, 1], &[0, 1, 1], &[2, 0]];
        for step in 0..40 {
            let rows: Vec<f32> = (0..plain.len()).map(|row| (100 * step + 7 * row) as f32).collect();
            history.push(&rows, &rows);
            plain.iter_mut().zip(rows).for_each(|(past, row)| past.push(row));
            let kept = kept[step % 5].iter().map(|row| row % plain.len()).collect::<Vec<_>>();
            history.reorder(&kept);
            plain = kept.iter().map(|row| plain[*row].clone()).collect();
            if step % 7 == 0 {
                history.admit(2);
                plain.extend([Vec::new(), Vec::new()]);
                continue; // no mean of nothing
            }
            for (row, past) in plain.iter().enumerate() {
                let expected = past.iter().sum::<f32>() / past.len() as f32;
                assert_eq!(history.of(row).len(), past.len());
                assert!((mean(history.of(row)) - expected).abs() < 0.01, "row {row} after step {step}");
            }
        }
        history.reorder(&[]);
        history.admit(2);
        history.push(&[7.0, 8.0], &[7.0, 8.0]);
        assert_eq!([mean(history.of(0)), mean(history.of(1))], [7.0, 8.0]);
    }
}
