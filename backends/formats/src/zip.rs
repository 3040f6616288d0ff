//! Zip archives, as far as an npz and a checkpoint of PyTorch need them.
//!
//! The central directory is authoritative. Each local header must agree with it, and no two entries may share
//! bytes. Entries must be stored: inflating could cost a thousand times the memory of the file, and neither
//! Marian nor `numpy.savez` nor `torch.save` compress. Zip64 and data descriptors are read, because numpy always writes
//! the former, and the latter into pipes. Layouts: PKWARE's APPNOTE 6.3, sections 4.3 and 4.5.

use std::ops::Range;

use crate::Fault;
use crate::bytes::Cursor;
use crate::error::Located;

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;

/// Sizes of the fixed parts of headers.
const LOCAL_BYTES: usize = 30;
const CENTRAL_BYTES: u64 = 46;
const END_BYTES: usize = 22;
const LOCATOR_64_BYTES: usize = 20;

/// Flags of an entry.
const ENCRYPTED: u16 = 1;
const DESCRIPTOR: u16 = 1 << 3;

/// Value of a 32-bit field whose real value is in the zip64 field.
const SEE_64: u64 = u32::MAX as u64;

/// A stored entry, whose bytes lie in the archive as they are.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
    pub(crate) crc: u32,
    /// Start of the local header.
    start: usize,
}

/// Range of the central directory, and its number of entries.
struct Central {
    span: Range<usize>,
    count: u64,
}

/// An entry in a header.
struct WireEntry<'a> {
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    unpacked: u64,
    offset: u64,
    name: &'a [u8],
}

/// All entries, in the order of the central directory.
pub(crate) fn entries(bytes: &[u8]) -> Result<Vec<Entry>, Fault> {
    let central = central(bytes)?;
    let mut cursor = Cursor::new(&bytes[..central.span.end], central.span.start);
    let mut entries = Vec::new(); // grows with the entries that exist: the count is only a claim
    for _ in 0..central.count {
        let wire = central_entry(&mut cursor)?;
        let name = std::str::from_utf8(wire.name).map_err(|_| "has an entry whose name isn't UTF-8")?;
        entries.push(entry(&bytes[..central.span.start], name, &wire).of(name)?);
    }
    if cursor.left() != 0 {
        return Err("has a central directory longer than its entries".into());
    }
    no_overlaps(&entries)?;
    Ok(entries)
}

fn no_overlaps(entries: &[Entry]) -> Result<(), Fault> {
    let mut order: Vec<&Entry> = entries.iter().collect();
    order.sort_by_key(|entry| entry.start);
    match order.windows(2).find(|pair| pair[1].start < pair[0].span.end) {
        Some(pair) => Err(Fault::from("overlaps another entry").of(&pair[1].name)),
        None => Ok(()),
    }
}

fn signature(cursor: &mut Cursor<'_>, wanted: u32, what: &'static str) -> Result<(), Fault> {
    match cursor.u32(what)? {
        found if found == wanted => Ok(()),
        found => Err(format!("has {found:#010x} where {what} should begin").into()),
    }
}

/// Finds the central directory through the end record, which only a comment may follow.
fn central(bytes: &[u8]) -> Result<Central, Fault> {
    let last = bytes.len().checked_sub(END_BYTES).ok_or("too short for a zip archive")?;
    let earliest = last.saturating_sub(usize::from(u16::MAX)); // the longest comment
    let at = (earliest..=last).rev().find(|at| is_end(bytes, *at));
    let at = at.ok_or("no end of a zip archive: cut short, or no npz and no checkpoint")?;
    let mut cursor = Cursor::new(bytes, at + 4);
    let disks = (cursor.u16("the end record")?, cursor.u16("the end record")?);
    let counts = (cursor.u16("the end record")?, cursor.u16("the end record")?);
    let (size, offset) = (cursor.u32("the end record")?, cursor.u32("the end record")?);
    if let Some(central) = central_64(bytes, at)? {
        return Ok(central);
    }
    if disks != (0, 0) || counts.0 != counts.1 {
        return Err("is one part of a split archive".into());
    }
    central_span(u64::from(offset), u64::from(size), at).map(|span| Central { span, count: counts.0.into() })
}

/// Whether an end record begins at `at` whose comment ends with the file.
fn is_end(bytes: &[u8], at: usize) -> bool {
    let comment =
        bytes.get(at + END_BYTES - 2..at + END_BYTES).map(|b| usize::from(b[0]) | usize::from(b[1]) << 8);
    bytes[at..].starts_with(&END.to_le_bytes()) && comment == Some(bytes.len() - at - END_BYTES)
}

/// The central directory according to the zip64 records, if the archive has them.
fn central_64(bytes: &[u8], end: usize) -> Result<Option<Central>, Fault> {
    let Some(locator) = end.checked_sub(LOCATOR_64_BYTES) else { return Ok(None) };
    if !bytes[locator..].starts_with(&LOCATOR_64.to_le_bytes()) {
        return Ok(None);
    }
    let record = Cursor::new(bytes, locator + 8).u64("the zip64 locator")?;
    let at = usize::try_from(record).ok().filter(|at| *at < locator);
    let at = at
        .ok_or_else(|| Fault::from(format!("has its zip64 end record at byte {record}, outside the file")))?;
    let mut cursor = Cursor::new(&bytes[..locator], at);
    signature(&mut cursor, END_64, "the zip64 end record")?;
    cursor.take(20, "the zip64 end record")?; // its size, versions, disks
    let counts = (cursor.u64("the zip64 end record")?, cursor.u64("the zip64 end record")?);
    let (size, offset) = (cursor.u64("the zip64 end record")?, cursor.u64("the zip64 end record")?);
    if counts.0 != counts.1 {
        return Err("is one part of a split archive".into());
    }
    central_span(offset, size, at).map(|span| Some(Central { span, count: counts.0 }))
}

/// Checks that the central directory ends at the end record: otherwise the offsets of all entries are wrong.
fn central_span(offset: u64, size: u64, end: usize) -> Result<Range<usize>, Fault> {
    if offset.checked_add(size) != Some(end as u64) {
        let fault =
            format!("has {size} bytes of central directory at byte {offset}, but its end at byte {end}");
        return Err(fault.into());
    }
    Ok(offset as usize..end) // both are at most `end`
}

fn central_entry<'a>(cursor: &mut Cursor<'a>) -> Result<WireEntry<'a>, Fault> {
    const WHAT: &str = "an entry of the central directory";
    cursor.clone().take(CENTRAL_BYTES, WHAT)?;
    signature(cursor, CENTRAL, WHAT)?;
    cursor.take(4, WHAT)?; // versions
    let (flags, method) = (cursor.u16(WHAT)?, cursor.u16(WHAT)?);
    cursor.take(4, WHAT)?; // time and date
    let crc = cursor.u32(WHAT)?;
    let (mut packed, mut unpacked) = (u64::from(cursor.u32(WHAT)?), u64::from(cursor.u32(WHAT)?));
    let (name, extra, comment) = (cursor.u16(WHAT)?, cursor.u16(WHAT)?, cursor.u16(WHAT)?);
    cursor.take(8, WHAT)?; // disk and attributes
    let mut offset = u64::from(cursor.u32(WHAT)?);
    let name = cursor.take(name.into(), WHAT)?;
    widen(cursor.take(extra.into(), WHAT)?, &mut [&mut unpacked, &mut packed, &mut offset])?;
    cursor.take(comment.into(), WHAT)?;
    Ok(WireEntry { flags, method, crc, packed, unpacked, offset, name })
}

/// Replaces those `fields` that are [`SEE_64`] by their values in the zip64 part of `extra`.
fn widen(extra: &[u8], fields: &mut [&mut u64]) -> Result<(), Fault> {
    const WHAT: &str = "an entry's extra field";
    let mut cursor = Cursor::new(extra, 0);
    while cursor.left() >= 4 {
        let (id, length) = (cursor.u16(WHAT)?, cursor.u16(WHAT)?);
        let content = cursor.take(length.into(), WHAT)?;
        if id == 1 {
            let mut content = Cursor::new(content, 0);
            for field in fields.iter_mut().filter(|field| ***field == SEE_64) {
                **field = content.u64(WHAT)?;
            }
        }
    }
    Ok(())
}

/// Checks an entry against its local header; `bytes` end where the central directory begins.
fn entry(bytes: &[u8], name: &str, wire: &WireEntry<'_>) -> Result<Entry, Fault> {
    if wire.flags & ENCRYPTED != 0 {
        return Err(Fault::unsupported("an encrypted entry", "write the archive without a password"));
    }
    if wire.method != 0 {
        return Err(Fault::unsupported(
            "a compressed array",
            "write it again with numpy.savez, not savez_compressed",
        ));
    }
    if wire.packed != wire.unpacked {
        return Err(format!("is stored, but {} bytes became {}", wire.unpacked, wire.packed).into());
    }
    let start = usize::try_from(wire.offset).ok().filter(|at| *at < bytes.len());
    let start =
        start.ok_or_else(|| Fault::from(format!("begins at byte {}, outside the entries", wire.offset)))?;
    let mut cursor = Cursor::new(bytes, start);
    local_entry(&mut cursor, wire)?;
    let span = cursor.span(wire.packed, "the entry's data")?;
    Ok(Entry { name: name.into(), span, crc: wire.crc, start })
}

/// Steps over the local header, which must agree with the central directory. Where a data descriptor follows
/// the data, the header was written before sizes and checksum were known.
fn local_entry(cursor: &mut Cursor<'_>, wire: &WireEntry<'_>) -> Result<(), Fault> {
    const WHAT: &str = "an entry's local header";
    cursor.clone().take(LOCAL_BYTES as u64, WHAT)?;
    signature(cursor, LOCAL, WHAT)?;
    cursor.take(2, WHAT)?; // version
    let (flags, method) = (cursor.u16(WHAT)?, cursor.u16(WHAT)?);
    cursor.take(4, WHAT)?; // time and date
    let crc = cursor.u32(WHAT)?;
    let (mut packed, mut unpacked) = (u64::from(cursor.u32(WHAT)?), u64::from(cursor.u32(WHAT)?));
    let (name, extra) = (cursor.u16(WHAT)?, cursor.u16(WHAT)?);
    let name = cursor.take(name.into(), WHAT)?;
    widen(cursor.take(extra.into(), WHAT)?, &mut [&mut unpacked, &mut packed])?;
    let later = flags & DESCRIPTOR != 0;
    let agrees = |local: u64, central: u64| local == central || (later && (local == 0 || local == SEE_64));
    if name != wire.name || method != wire.method || (flags ^ wire.flags) & (ENCRYPTED | DESCRIPTOR) != 0 {
        return Err("has a local header of another entry".into());
    }
    if !agrees(packed, wire.packed)
        || !agrees(unpacked, wire.unpacked)
        || !agrees(crc.into(), wire.crc.into())
    {
        return Err("has other sizes or another checksum in its local header than in the directory".into());
    }
    Ok(())
}

/// CRC-32 of zip (reflected 0xEDB88320), eight bytes in each step: a table lookup for each byte would take
/// longer than reading the model.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    let (steps, rest) = bytes.as_chunks::<8>();
    for step in steps {
        let word = u64::from_le_bytes(*step) ^ u64::from(crc);
        crc = (0..8).fold(0, |sum, i| sum ^ CRC_TABLES[7 - i][usize::from((word >> (8 * i)) as u8)]);
    }
    for byte in rest {
        crc = CRC_TABLES[0][usize::from(crc as u8 ^ byte)] ^ (crc >> 8);
    }
    !crc
}

/// Table k has the checksum of a byte that k zero bytes follow.
static CRC_TABLES: [[u32; 256]; 8] = crc_tables();

const fn crc_tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut index = 0;
    while index < 256 {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { 0xEDB8_8320 ^ (crc >> 1) } else { crc >> 1 };
            bit += 1;
        }
        tables[0][index] = crc;
        index += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut index = 0;
        while index < 256 {
            let before = tables[table - 1][index];
            tables[table][index] = tables[0][(before & 0xFF) as usize] ^ (before >> 8);
            index += 1;
        }
        table += 1;
    }
    tables
}
