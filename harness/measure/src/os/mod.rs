//! System calls without a safe wrapper in the standard library. This folder is the only place of the harness
//! with `unsafe`; every function is safe to call.
//!
//! | file | owns |
//! | --- | --- |
//! | `buffers` | what pipes and sockets hold |
//! | `cached` | files in the page cache |
//! | `children` | the bench's own children, and the orphans that it ends |
//! | `clock` | the monotonic clock, CPU time, a fresh seed, exact wake-ups |
//! | `code` | the program's code in memory |
//! | `cores` | the cores that a thread may run on |
//! | `descriptors` | open files by number |
//! | `network` | network namespaces |
//! | `odd_memory` | memory of a process, and what its peak lacks |
//! | `opened` | the files that a process has open or mapped |
//! | `processes` | the start and the end of a child |
//! | `status` | results of system calls, the user's rights, kinds of file systems |
//! | `tree` | the processes below a process |

#![allow(unsafe_code)] // system calls without a safe wrapper in std; each block is one call with its reason

pub mod buffers;
mod cached;
mod children;
mod clock;
mod code;
mod cores;
mod descriptors;
mod network;
pub mod odd_memory;
pub mod opened;
mod processes;
mod status;
pub mod tree;

pub use cached::{cached_bytes, give_up_cached};
pub use children::{end_orphans, forget_child, start_child};
pub use clock::{fresh_seed, monotonic_ns, own_cpu_ns, raw_ns, sharpen_timers};
pub use code::give_back_code;
pub use cores::{MOST_CORES, allowed_cores, core_list, cores_of, pin_thread};
pub use descriptors::{
    Interest, adopt, close_on_exec, inherit, let_go_of_pipes, set_nonblocking, unread_bytes, wait_for,
    watch_process,
};
pub use network::{leave_network, leave_network_before_exec};
pub use processes::{
    Ended, become_subreaper, confine_before_exec, continue_process, die_with_parent, forbid_looks, kill,
    kill_group, reap, reap_any, stop_process,
};
pub use status::user;
