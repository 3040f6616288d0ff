//! The allocator for programs that run the kernels.
#![allow(unsafe_code)] // it is asked as a program's own allocator is

use std::alloc::{GlobalAlloc, Layout};

use dyno_kernels::WholeLines;

/// Size of a cache line, and the least size of memory that begins at one, in bytes.
const LINE: usize = 64;
const LEAST: usize = 512;

#[test]
fn memory_keeps_its_content_and_its_line_at_any_size() {
    let sizes = [1, 100, 511, 512, 700, 5_000, 300_000, 40, 900, 3];
    let mut layout = Layout::from_size_align(sizes[0], 4).unwrap();
    // SAFETY: no size is zero.
    let mut memory = unsafe { WholeLines.alloc_zeroed(layout) };
    for size in sizes {
        let kept = layout.size().min(size);
        // SAFETY: the memory has this layout, and the size isn't zero.
        memory = unsafe { WholeLines.realloc(memory, layout, size) };
        layout = Layout::from_size_align(size, 4).unwrap();
        assert!(size < LEAST || memory.addr().is_multiple_of(LINE), "{size}");
        // SAFETY: the memory has this size; zeros are written before anything is read.
        unsafe { memory.wrapping_add(kept).write_bytes(0, size - kept) };
        // SAFETY: all of the memory was written, and nothing else refers to it.
        let bytes = unsafe { std::slice::from_raw_parts_mut(memory, size) };
        assert!((1..kept).all(|at| bytes[at] == at as u8), "{kept} of {size}");
        bytes.iter_mut().enumerate().for_each(|(at, byte)| *byte = at as u8);
    }
    // SAFETY: the memory has this layout, and is freed once.
    unsafe { WholeLines.dealloc(memory, layout) };
}
