//! Normalisation rules of a model: a compiled map from character sequences to their normal forms.
//!
//! The format is the file's: the size of a darts-clone double array in bytes, the array, then the normal
//! forms, each with a NUL at its end. The array is checked once as a whole, so that no lookup can leave it.
//! It is used as it is in the file, because rebuilding it would cost more than it saves.

use crate::{Error, Result};

/// Greatest number of nested rules (rules that are prefixes of each other) that a lookup follows, the
/// shortest first. The format's builder has this limit, and the reference keeps it when reading.
const MAX_NESTED_RULES: usize = 32;

/// Size of the array's blocks: 256 units of 4 bytes.
const BLOCK_BYTES: usize = 1024;

/// Mark of a unit with a value instead of a label.
const LEAF: u32 = 1 << 31;

#[derive(Clone, Copy)]
struct Unit(u32);

impl Unit {
    fn label(self) -> u32 {
        self.0 & (LEAF | 0xFF)
    }

    fn has_leaf(self) -> bool {
        self.0 >> 8 & 1 == 1
    }

    fn offset(self) -> usize {
        ((self.0 >> 10) << ((self.0 & 1 << 9) >> 6)) as usize
    }

    fn value(self) -> usize {
        (self.0 & !LEAF) as usize
    }
}

/// The rules of a model.
pub(crate) struct Charsmap {
    units: Vec<Unit>,
    /// Normal forms; a NUL ends the last one.
    forms: Vec<u8>,
}

impl Charsmap {
    /// Reads and checks `blob`.
    pub fn read(blob: &[u8]) -> Result<Self> {
        let broken = |fault: &str| Error::model("normalisation rules", fault);
        let (size, rest) = blob.split_first_chunk().ok_or_else(|| broken("no size"))?;
        let size = u32::from_le_bytes(*size) as usize;
        if size == 0 || !size.is_multiple_of(BLOCK_BYTES) || size >= rest.len() {
            return Err(broken("an impossible size of the index"));
        }
        let (array, forms) = rest.split_at(size);
        if forms.last() != Some(&0) {
            return Err(broken("the last normal form has no end"));
        }
        let units =
            array.chunks_exact(4).map(|unit| Unit(u32::from_le_bytes([unit[0], unit[1], unit[2], unit[3]])));
        let map = Self { units: units.collect(), forms: forms.to_vec() };
        if map.is_sound() { Ok(map) } else { Err(broken("the index points outside of itself")) }
    }

    /// Whether every step from every unit stays inside the array, and every value points to a normal form.
    fn is_sound(&self) -> bool {
        let root = self.units[0];
        let inside = |i: usize, unit: Unit| (i ^ unit.offset()) | 0xFF < self.units.len();
        root.label() == 0
            && !root.has_leaf()
            && root.offset() != 0
            && self.units.iter().enumerate().all(|(i, &unit)| {
                if unit.label() > 0xFF {
                    return unit.value() < self.forms.len();
                }
                inside(i, unit) && !(unit.has_leaf() && self.units[i ^ unit.offset()].label() <= 0xFF)
            })
    }

    /// The longest rule at the start of `text`: the length that it replaces, and the replacement.
    #[inline]
    pub fn longest(&self, text: &[u8]) -> Option<(usize, &[u8])> {
        let mut at = self.units[0].offset();
        let mut longest = None;
        let mut matches = 0;
        for (i, &byte) in text.iter().enumerate() {
            at ^= usize::from(byte);
            let unit = self.units[at];
            if unit.label() != u32::from(byte) {
                break;
            }
            at ^= unit.offset();
            if unit.has_leaf() && matches < MAX_NESTED_RULES {
                longest = Some((i + 1, self.units[at].value()));
                matches += 1;
            }
        }
        longest.map(|(len, value)| (len, self.form(value)))
    }

    fn form(&self, value: usize) -> &[u8] {
        let form = &self.forms[value..];
        let end = form.iter().position(|&byte| byte == 0).unwrap_or(form.len());
        &form[..end]
    }

    /// Whether a rule begins with `first` alone, or with `first` and an ASCII byte.
    pub fn touches_ascii(&self, first: u8) -> bool {
        let root = self.units[0].offset();
        let Some((unit, children)) = self.step(root, first) else { return false };
        unit.has_leaf() || (0..0x80).any(|next| self.step(children, next).is_some())
    }

    fn step(&self, base: usize, byte: u8) -> Option<(Unit, usize)> {
        let at = base ^ usize::from(byte);
        let unit = self.units[at];
        (unit.label() == u32::from(byte)).then(|| (unit, at ^ unit.offset()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_maps_are_refused() {
        let mut no_root = vec![0, 4, 0, 0];
        no_root.extend([0; 1024]);
        no_root.extend(b"x\0");
        let mut wild_root = no_root.clone();
        wild_root[4..8].copy_from_slice(&(1u32 << 10 | 1 << 20).to_le_bytes());
        for blob in
            [&b""[..], b"\0\0\0\0\0", b"\xff\xff\xff\xff\0", b"\x01\0\0\0\0\0\0", &no_root, &wild_root]
        {
            assert!(Charsmap::read(blob).is_err());
        }
    }
}
