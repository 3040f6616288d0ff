//! Files in the page cache: what it holds of them, and giving that up.

use std::fs::File;
use std::io::{Error, Result};
use std::os::fd::AsRawFd;
use std::ptr::null_mut;

use rustix::fs::{Advice, fadvise};
use rustix::param::page_size;

use super::status::checked;

/// Asks the kernel to give up what it holds of `file`, which needs no special rights. Pages that a program maps stay,
/// and all of a file system in memory.
pub fn give_up_cached(file: &File) -> Result<()> {
    file.sync_data()?; // pages that aren't on the disk yet can't be given up
    Ok(fadvise(file, 0, None, Advice::DontNeed)?)
}

/// Bytes of `file` that the page cache holds, in whole pages.
pub fn cached_bytes(file: &File) -> Result<u64> {
    let bytes = file.metadata()?.len() as usize;
    if bytes == 0 {
        return Ok(0);
    }
    // SAFETY: a new mapping of an open file, which is unmapped below and never read.
    let address =
        unsafe { libc::mmap(null_mut(), bytes, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    if address == libc::MAP_FAILED {
        return Err(Error::last_os_error());
    }
    let page = page_size();
    let mut held = vec![0_u8; bytes.div_ceil(page)];
    // SAFETY: the mapping has so many pages, and the vector a byte for each.
    let looked = checked(unsafe { libc::mincore(address, bytes, held.as_mut_ptr()) });
    // SAFETY: the mapping is this function's own.
    unsafe { libc::munmap(address, bytes) };
    looked?;
    Ok((held.iter().filter(|page| **page & 1 == 1).count() * page) as u64)
}

#[cfg(test)]
mod tests {
    use super::super::status::is_in_memory;
    use super::*;

    #[test]
    fn a_file_is_held_after_it_is_written_and_given_up_on_request() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![7; 100_000]).unwrap();
        let held = || cached_bytes(file.as_file()).unwrap();
        let all = 100_000_u64.next_multiple_of(4096);
        assert!(held() >= 100_000 && held() % 4096 == 0, "{} of {all}", held());
        give_up_cached(file.as_file()).unwrap();
        if is_in_memory(file.path()) {
            assert!(held() >= 100_000, "a file in memory stays there");
        } else {
            assert_eq!(held(), 0);
        }
        assert_eq!(std::fs::read(file.path()).unwrap(), vec![7; 100_000]);
        assert!(held() > 0, "reading brings it back");
    }

    #[test]
    fn an_empty_file_holds_nothing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(cached_bytes(file.as_file()).unwrap(), 0);
    }
}
