//! Files of the kernel: what a process does and holds, and its control group. A process names itself and its files.

use dyno_measure::cgroup::{cached_in, in_version_1, in_version_2};
use dyno_measure::noise::CoreTime;
use dyno_measure::os::code_range;
use dyno_measure::os::odd_memory::{Status, segments_in, touched_in};
use dyno_measure::os::opened::{data_files, registers_memory};
use dyno_measure::os::tree::{Stat, Wait, wait_in};

use crate::parser::Parser;

pub(crate) fn parsers() -> Vec<Parser> {
    vec![
        told("proc-stat", STAT, |text| CoreTime::of(text, &[0, 1]).all > 0),
        told("proc-pid-stat", PROCESS, |text| Stat::read(text).is_some()),
        told("proc-pid-status", STATUS, |text| {
            let status = Status::read(1, 1, text.into());
            status.peak_bytes() > 0
                && status.held_bytes() > 0
                && status.huge_page_bytes() > 0
                && status.ignores_children()
        }),
        told("proc-pid-maps", MAPS, |text| {
            !data_files(text.as_bytes()).is_empty() && code_range(text).is_some()
        }),
        told("proc-pid-smaps", SMAPS, |text| !touched_in(text, |_| true).is_empty()),
        told("proc-pid-syscall", SYSCALL, |text| {
            wait_in(text, "pipe:[7]", |_| Some("pipe:[7]".into())) != Wait::Unknown
        }),
        told("proc-pid-fdinfo", RING, registers_memory),
        told("proc-sysvipc", SEGMENTS, |text| segments_in(text, text, &[77]) > 0),
        told("control-group", GROUP, |text| {
            in_version_1(text, text).is_some() && !in_version_2(text, text).is_empty()
        }),
        told("memory.stat", CACHE, |text| cached_in(text, "total_") > 0),
    ]
}

const STAT: &str = "cpu  9 9 9 9 9 9 9 9\ncpu0 100 1 10 500 3 2 4 7 0 0\ncpu1 1 1 1 1 1 1 1 1 0 0\nintr 5\n";
const PROCESS: &str = "7 (a) R (b) S 3 7 7 0 -1 4194560 100 0 0 0 5 6 70 800 20 0 1 0 12345 1000 200\n";
const STATUS: &str = "VmHWM:\t  900 kB\nVmRSS:\t  300 kB\nHugetlbPages:\t    4096 kB\nVmSwap:\t  500 kB\nVmPin:\t  0 kB\n\
    SigIgn:\t0000000000010000\n";
const MAPS: &str = "5580-5581 r--p 00000000 fe:00 11   /usr/bin/a\n5581-5582 r-xp 00001000 fe:00 11   /usr/bin/a\n\
    7f00-7f01 r--p 00000000 fe:00 12   /home/me/my model.bin\n7f04-7f05 rw-p 00000000 00:00 0    [heap]\n";
const SMAPS: &str = "7f00-7f01 rw-s 00000000 00:1a 13   /dev/shm/weights\nRss:  4096 kB\nPss:  2048 kB\n\
    7f04-7f05 rw-s 00000000 00:01 3    /SYSV00000000 (deleted)\nPss:  64 kB\n";
/// A read of the first descriptor.
const SYSCALL: &str = if cfg!(target_arch = "x86_64") { READ } else { READ_ON_ARM };
const READ: &str = "0 0x0 0x55 0x400 0x0 0x0 0x0 0x7ffe 0x7f00\n";
const READ_ON_ARM: &str = "63 0x0 0x55 0x400 0x0 0x0 0x0 0x7ffe 0x7f00\n";
const RING: &str =
    "SqThread:\t-1\nUserFiles:\t1\n    0: /srv/lines\n    1: /memfd:w\\040(deleted)\nUserBufs:\t0\n";
const SEGMENTS: &str = "key shmid perms\n  0 0  600 4194304 77 77 0 0 0 0 0 0 0 1700000000 1048576 0\n";
/// `mountinfo` and `cgroup` of a process, whose lines have different forms.
const GROUP: &str = "31 23 0:27 /box /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n\
    32 23 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n4:memory:/box/in\n0::/user.slice\n";
const CACHE: &str = "anon 7\ntotal_inactive_file 4096\ntotal_active_file 0\n";

/// A text of the kernel's, which has what is asked for, or has not.
fn told(name: &str, text: &str, holds: fn(&str) -> bool) -> Parser {
    Parser::of(name, vec![text.into()], move |bytes: &[u8]| {
        if holds(&String::from_utf8_lossy(bytes)) { Ok(()) } else { Err("not there") }
    })
}
