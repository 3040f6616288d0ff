//! Programs of Linux: whether one needs shared libraries of its host.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Type of the segment that names the loader of shared libraries: elf(5), PT_INTERP.
const INTERPRETER: u32 = 3;

/// Whether the program at `path` needs no loader, and so no library of its host. `None` for a file that is no
/// program of 64 bits.
pub fn is_static(path: &Path) -> io::Result<Option<bool>> {
    let mut file = dyno_api::files::open(path)?;
    let mut head = [0; 64];
    if file.read_exact(&mut head).is_err() || head[..6] != *b"\x7fELF\x02\x01" {
        return Ok(None);
    }
    // elf(5), Elf64_Ehdr: e_phoff at 32, e_phentsize at 54, e_phnum at 56.
    let [size, number] = [54, 56].map(|at| u16::from_le_bytes([head[at], head[at + 1]]));
    let offset = head[32..40].iter().rev().fold(0, |offset, &byte| offset << 8 | u64::from(byte));
    file.seek(SeekFrom::Start(offset))?;
    let mut segments = vec![0; usize::from(size) * usize::from(number)];
    file.read_exact(&mut segments)?;
    let mut kinds = segments.chunks(usize::from(size).max(4)).map(|segment| &segment[..4]);
    Ok(Some(!kinds.any(|kind| kind == INTERPRETER.to_le_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with segments of these types.
    fn program(kinds: &[u32]) -> tempfile::NamedTempFile {
        let mut bytes = b"\x7fELF\x02\x01".to_vec();
        bytes.resize(64, 0);
        (bytes[32], bytes[54], bytes[56]) = (64, 56, kinds.len() as u8);
        for kind in kinds {
            bytes.extend(kind.to_le_bytes());
            bytes.extend([0; 52]);
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    #[test]
    fn a_program_without_a_loader_is_static() {
        let told = |kinds: &[u32]| is_static(program(kinds).path()).unwrap();
        assert_eq!((told(&[1, 2]), told(&[6, 3, 1]), told(&[])), (Some(true), Some(false), Some(true)));
        let script = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(script.path(), "#!/bin/sh\n".repeat(20)).unwrap();
        assert_eq!(is_static(script.path()).unwrap(), None);
    }
}
