//! The binary form, Marian's own: header, offsets, ids. Also what `convert` writes.
//!
//! Layout, little-endian: u64 magic, checksum, first, best, number of offsets (source words + 1),
//! number of ids; then the offsets (u64); then the ids (u32).

use super::list::{Cut, Shortlist};
use crate::Fault;
use crate::bytes::Cursor;

/// First bytes of the format; no text begins with them.
const MAGIC: u64 = 0xF11A_48D5_0134_17F5;

/// Start of the bytes that the checksum covers.
const SUMMED_FROM: usize = 16;

const HEADER_BYTES: u64 = 48;

pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// Checks whether `bytes` are a shortlist that the reader accepts with any vocabulary.
///
/// # Errors
/// The first fault.
pub fn check(bytes: &[u8]) -> Result<(), Fault> {
    let offsets = Cursor::new(bytes, 32).u64("the header")?;
    let source_words = usize::try_from(offsets).ok().and_then(|offsets| offsets.checked_sub(1));
    parse(bytes, source_words.ok_or("has no offsets")?, u32::MAX as usize, false).map(drop)
}

pub(super) fn parse(
    bytes: &[u8],
    source_words: usize,
    target_words: usize,
    shared: bool,
) -> Result<Shortlist, Fault> {
    let mut cursor = Cursor::new(bytes, 0);
    if cursor.u64("the header")? != MAGIC {
        return Err("doesn't begin like a binary shortlist".into());
    }
    let sum = cursor.u64("the header")?;
    let (first, best) = (count(&mut cursor)?, count(&mut cursor)?);
    let (offsets, ids) = (cursor.u64("the header")?, cursor.u64("the header")?);
    sizes(bytes.len() as u64, offsets, ids, source_words)?;
    if checksum(&bytes[SUMMED_FROM..]) != sum {
        return Err("fails its checksum: the file is damaged".into());
    }
    let starts = starts(cursor.take(offsets * 8, "the offsets")?, ids)?;
    let ids = targets(cursor.take(ids * 4, "the ids")?, target_words)?;
    let cut = Cut { first, best, threshold: 0.0 };
    Ok(Shortlist::lexical(cut, target_words, shared, starts, ids))
}

fn count(cursor: &mut Cursor<'_>) -> Result<usize, Fault> {
    let count = cursor.u64("the header")?;
    usize::try_from(count).map_err(|_| format!("has a count of {count} in its header").into())
}

/// Checks that the sizes in the header add up to the file and fit the source vocabulary.
fn sizes(length: u64, offsets: u64, ids: u64, source_words: usize) -> Result<(), Fault> {
    let parts = [offsets.checked_mul(8), ids.checked_mul(4)];
    let claimed = parts.into_iter().try_fold(HEADER_BYTES, |sum, part| sum.checked_add(part?));
    if claimed != Some(length) {
        return Err(format!("has {length} bytes, not what {offsets} offsets and {ids} ids take").into());
    }
    if offsets.checked_sub(1) != Some(source_words as u64) {
        let words = offsets.saturating_sub(1);
        let fault = format!("is for {words} source words, but the vocabulary has {source_words}");
        return Err(fault.into());
    }
    Ok(())
}

/// Parses the offsets. They must not decrease, and the last one is the end of the ids.
fn starts(bytes: &[u8], ids: u64) -> Result<Vec<usize>, Fault> {
    let starts: Vec<u64> = bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    if let Some(at) = starts.windows(2).position(|pair| pair[0] > pair[1]) {
        return Err(format!("has offsets that run backwards after source word {at}").into());
    }
    match starts.last() {
        Some(last) if *last == ids => Ok(starts.into_iter().map(|start| start as usize).collect()),
        _ => Err(format!("has offsets that don't end at its {ids} ids").into()),
    }
}

fn targets(bytes: &[u8], target_words: usize) -> Result<Vec<u32>, Fault> {
    let ids: Vec<u32> = bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    match ids.iter().max().filter(|id| **id as usize >= target_words) {
        Some(id) => Err(format!("has the word {id}, but the target vocabulary has {target_words}").into()),
        None => Ok(ids),
    }
}

/// Marian's sum over whole 64-bit words, seeded with 0; an odd 32-bit word at the end is left out.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.as_chunks().0.iter().fold(0u64, |seed, bytes| {
        let mixed = u64::from_le_bytes(*bytes)
            .wrapping_add(0x9e37_79b9) // 2^32 over the golden ratio
            .wrapping_add(seed << 6)
            .wrapping_add(seed >> 2);
        seed ^ mixed
    })
}

impl Shortlist {
    /// This shortlist in Marian's binary form; `None` for a vocabulary map, whose n-grams it can't hold.
    pub fn to_binary(&self) -> Option<Vec<u8>> {
        if !self.always.is_empty() || !self.longer.targets.is_empty() {
            return None;
        }
        let header = [self.first, self.best, self.starts.len(), self.ids.len()];
        let numbers = header.iter().chain(&self.starts).map(|number| *number as u64);
        let mut body: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
        body.extend(self.ids.iter().flat_map(|id| id.to_le_bytes()));
        let mut file = MAGIC.to_le_bytes().to_vec();
        file.extend(checksum(&body).to_le_bytes());
        file.extend(body);
        Some(file)
    }
}
