//! What hypotheses remember that grows by one vector each step, such as keys and values.
//!
//! Each hypothesis has a slot, in which its vectors lie one after the other, as attention reads them. Slots stay where they are
//! when hypotheses end or change places; only where one is continued twice a slot is copied.

/// Vectors of one width for each hypothesis, one a step.
#[derive(Debug)]
pub struct History {
    /// [slots, room, width].
    values: Vec<f32>,
    width: usize,
    /// Steps for which a slot has room.
    room: usize,
    taken: usize,
    /// The slot of each hypothesis.
    slots: Vec<usize>,
    /// Slots that nobody has.
    free: Vec<usize>,
    spare: Vec<usize>,
}

/// Steps for which there is room at first; doubled when it is full.
const ROOM: usize = 32;

impl History {
    /// Of nobody, in vectors of `width`.
    pub fn new(width: usize) -> Self {
        let lists = || Vec::new();
        Self {
            values: Vec::new(),
            width,
            room: ROOM,
            taken: 0,
            slots: lists(),
            free: lists(),
            spare: lists(),
        }
    }

    /// Forgets all: `rows` new hypotheses.
    pub fn start(&mut self, rows: usize) {
        self.taken = 0;
        let slots = rows.max(self.values.len() / (self.room * self.width));
        self.values.resize(slots * self.room * self.width, 0.0);
        self.slots.clear();
        self.slots.extend(0..rows);
        self.free.clear();
        self.free.extend(rows..slots);
    }

    /// Appends to each hypothesis its row of `rows` [hypotheses, width].
    pub fn push(&mut self, rows: &[f32]) {
        if self.taken == self.room {
            self.grow();
        }
        for (slot, row) in self.slots.iter().zip(rows.chunks_exact(self.width)) {
            let at = (slot * self.room + self.taken) * self.width;
            self.values[at..][..self.width].copy_from_slice(row);
        }
        self.taken += 1;
    }

    /// All vectors of hypothesis `row`, [steps, width].
    pub fn of(&self, row: usize) -> &[f32] {
        &self.values[self.slots[row] * self.room * self.width..][..self.taken * self.width]
    }

    /// The new hypothesis i continues what was `kept[i]`.
    pub fn reorder(&mut self, kept: &[usize]) {
        self.spare.clear();
        self.spare.extend(kept.iter().map(|row| self.slots[*row]));
        let dropped = (0..self.slots.len()).filter(|row| !kept.contains(row));
        self.free.extend(dropped.map(|row| self.slots[row]));
        for row in 1..kept.len() {
            if kept[..row].contains(&kept[row]) {
                self.spare[row] = self.copy(self.spare[row]);
            }
        }
        std::mem::swap(&mut self.slots, &mut self.spare);
    }

    /// A slot with the same vectors.
    fn copy(&mut self, slot: usize) -> usize {
        let size = self.room * self.width;
        let to = self.free.pop().unwrap_or_else(|| {
            self.values.resize(self.values.len() + size, 0.0);
            self.values.len() / size - 1
        });
        self.values.copy_within(slot * size..slot * size + self.taken * self.width, to * size);
        to
    }

    /// Twice the room, the last slot moving first.
    fn grow(&mut self) {
        let old = self.room * self.width;
        self.values.resize(2 * self.values.len(), 0.0);
        for slot in (0..self.values.len() / (2 * old)).rev() {
            self.values.copy_within(slot * old..(slot + 1) * old, 2 * slot * old);
        }
        self.room *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hypothesis_keeps_its_own_past() {
        let mut history = History::new(1);
        history.start(1);
        let mut plain: Vec<Vec<f32>> = vec![Vec::new()];
        let kept: [&[usize]; 5] = [&[0, 0, 0], &[2, 0, 0, 1], &[3, 1], &[0, 1, 1], &[2, 0]];
        for step in 0..3 * ROOM {
            let rows: Vec<f32> = (0..plain.len()).map(|row| (100 * step + row) as f32).collect();
            history.push(&rows);
            plain.iter_mut().zip(rows).for_each(|(past, row)| past.push(row));
            let kept = kept[step % 5].iter().map(|row| row % plain.len()).collect::<Vec<_>>();
            history.reorder(&kept);
            plain = kept.iter().map(|row| plain[*row].clone()).collect();
            for (row, past) in plain.iter().enumerate() {
                assert_eq!(history.of(row), past, "row {row} after step {step}");
            }
        }
        history.start(2);
        history.push(&[7.0, 8.0]);
        assert_eq!([history.of(0), history.of(1)], [[7.0], [8.0]]);
    }
}
