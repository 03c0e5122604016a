//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Passes everything on to the system, and adds up [`BYTES`].
pub struct Counting;

/// Bytes asked for since the program began.
pub static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: forwards to the system allocator and counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as asked.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as asked.
        unsafe { System.dealloc(pointer, layout) }
    }
}
