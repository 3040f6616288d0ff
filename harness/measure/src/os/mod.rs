//! System calls without a safe wrapper in the standard library, by rustix where it has one. This folder is the only
//! place of the harness with `unsafe`; every function is safe to call.

#![allow(unsafe_code)] // system calls without a safe wrapper in std; each block is one call with its reason

pub mod buffers;
mod cached;
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
pub use clock::{fresh_seed, monotonic_ns, own_cpu_ns, raw_ns, sharpen_timers};
pub use code::{code_range, give_back_code};
pub use cores::{MOST_CORES, allowed_cores, core_list, cores_of, pin_thread};
pub use descriptors::{
    adopt, close_on_exec, inherit, let_go_of_pipes, set_nonblocking, unread_bytes, wait_for, watch_process,
};
pub use network::{leave_network, leave_network_before_exec};
pub use processes::{
    become_subreaper, confine_before_exec, die_with_parent, end_orphans, forbid_looks, forget_child, kill,
    kill_group, reap_any, send_signal, start_child,
};
pub use rustix::event::PollFlags;
pub use rustix::process::Signal;
pub use status::user;
pub(crate) use status::{number_behind, text_of};
