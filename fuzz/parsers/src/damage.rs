//! Damage to files, as disks, careless programs and attackers cause it.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Bytes that mean something to JSON, YAML, TOML or an array's header, a NUL, and half a character.
const SYNTAX: &[u8] = b"'\"\\{}[](),:=# \n\t*&!\x00\xC3";

/// A seeded source of damage, the same on every host.
pub struct Random(SplitMix64);

impl Random {
    /// The source of that number.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.0.next_u64() % limit.max(1) as u64) as usize
    }

    /// Lengths and offsets that lie: extremes, and the neighbourhood of the truth.
    fn lie(&mut self, truth: u64, length: usize) -> u64 {
        let length = length as u64;
        let lies = [
            0,
            1,
            2,
            7,
            8,
            255,
            256,
            0x7FFF,
            0xFFFF,
            0x7FFF_FFFF,
            0x8000_0000,
            0xFFFF_FFFF,
            0x1_0000_0000,
            1 << 61,
            1 << 62,
            i64::MAX as u64,
            1 << 63,
            u64::MAX,
            u64::MAX - 7,
            length,
            length + 1,
            length.wrapping_sub(1),
            length / 2,
            truth.wrapping_add(1),
            truth.wrapping_sub(1),
            truth.wrapping_mul(2),
            truth / 2,
            truth ^ 0x10000,
        ];
        if self.below(4) == 0 { self.0.next_u64() } else { lies[self.below(lies.len())] }
    }

    /// A place: anywhere, or where headers and directories are.
    fn place(&mut self, length: usize) -> usize {
        match self.below(3) {
            0 => self.below(length),
            1 => self.below(length.min(600)),
            _ => length.saturating_sub(1 + self.below(700)),
        }
    }
}

/// `original`, damaged in one place or a few.
pub fn mutated(random: &mut Random, original: &[u8]) -> Vec<u8> {
    let mut file = original.to_vec();
    for _ in 0..=random.below(3) {
        mutate(random, &mut file);
    }
    file
}

fn mutate(random: &mut Random, file: &mut Vec<u8>) {
    let at = random.place(file.len());
    let end = file.len().min(at + 1 + random.below(24));
    match random.below(10) {
        0 => file.truncate(at),
        1 => flip(random, file, at),
        2 => file[at.min(end)..end].fill(0xFF),
        3 => file[at.min(end)..end].fill(0),
        4 => drop(file.drain(at.min(end)..end)),
        5 => drop(file.splice(at..at, file[at.min(end)..end].to_vec())),
        6 => digit(random, file, at),
        7 => file.insert(at, SYNTAX[random.below(SYNTAX.len())]),
        _ => number_lies(random, file, at),
    }
}

fn flip(random: &mut Random, file: &mut [u8], at: usize) {
    if let Some(byte) = file.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

/// Another digit in a text's number, or a longer number.
fn digit(random: &mut Random, file: &mut Vec<u8>, at: usize) {
    if let Some(found) = file.iter().skip(at).position(u8::is_ascii_digit) {
        match random.below(3) {
            0 => file[at + found] = b'0' + random.below(10) as u8,
            1 => file.insert(at + found, b'9'),
            _ => drop(file.splice(at + found..=at + found, random.0.next_u64().to_string().bytes())),
        }
    }
}

/// A field of 2, 4 or 8 bytes, mostly where one would stand, becomes a lie.
fn number_lies(random: &mut Random, file: &mut [u8], at: usize) {
    let size = [2, 4, 8][random.below(3)];
    let at = if random.below(4) == 0 { at } else { at / size * size };
    let length = file.len();
    if let Some(field) = file.get_mut(at..at + size) {
        let truth = field.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        field.copy_from_slice(&random.lie(truth, length).to_le_bytes()[..size]);
    }
}
