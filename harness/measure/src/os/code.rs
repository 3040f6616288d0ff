//! The program's code in memory.

use std::ops::Range;

use super::status::text_of;

/// Takes the pages of this program's code out of its memory. The pages that run again come back at once from
/// the file, 64 KiB at a time. A program whose start runs much code needs less memory after it: for
/// `dyno translate` 3 MiB less.
pub fn give_back_code() {
    let Some(range) = code_range(&text_of("/proc/self/maps")) else { return };
    let start = std::ptr::with_exposed_provenance_mut(range.start);
    // SAFETY: the pages are code from a file, which the program doesn't write, so the file has the same bytes.
    // Refused, the pages stay.
    unsafe { libc::madvise(start, range.len(), libc::MADV_DONTNEED) };
}

/// Addresses of the code in the first file that `maps` (proc_pid_maps(5)) names, which is the program.
pub fn code_range(maps: &str) -> Option<Range<usize>> {
    let mut mappings = maps.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).peekable();
    let program = *mappings.peek()?.get(5)?;
    let code = mappings.find(|mapping| mapping.get(5) == Some(&program) && mapping[1] == "r-xp")?;
    addresses(code[0])
}

/// The range in a text such as `55a0-55b0`.
fn addresses(text: &str) -> Option<Range<usize>> {
    let (start, end) = text.split_once('-')?;
    Some(usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_programs_own_code_is_given_back() {
        let maps = "00200000-0055a000 r--p 00000000 fe:00 12 /usr/bin/dyno\n\
            0055a000-0132f000 r-xp 00359000 fe:00 12 /usr/bin/dyno\n\
            0132f000-013ca000 r--p 0112d000 fe:00 12 /usr/bin/dyno\n\
            024a0000-026f0000 rw-p 00000000 00:00 0 [heap]\n\
            7f0000000000-7f0000158000 r-xp 00026000 fe:00 7 /usr/lib/libc.so.6\n";
        assert_eq!(code_range(maps), Some(0x55a000..0x132f000));
        assert_eq!(code_range(""), None);
    }

    #[test]
    fn code_that_was_given_back_runs() {
        give_back_code();
        assert_eq!(addresses("10-2f"), Some(0x10..0x2f));
    }
}
