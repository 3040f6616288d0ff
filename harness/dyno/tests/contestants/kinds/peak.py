"""Memory of SIZE bytes that a process's peak lacks, or from which the process lowers its peak afterwards."""

import ctypes
import fcntl
import mmap
import os
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time

from kinds.contract import echo

MIB = 1 << 20
SIZE = 200 * MIB
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.shmat.restype = ctypes.c_void_p
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


def hold(content=None):
    # Long enough for some looks.
    time.sleep(0.5)
    return content


def call(name, *arguments):
    if getattr(LIBC, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def touched(size=SIZE):
    content = mmap.mmap(-1, size, flags=PRIVATE)
    for page in range(0, size, 4096):
        content[page] = 7
    return content


def lower_peak(process="self"):
    with open(f"/proc/{process}/clear_refs", "w") as file:
        file.write("5")


def lowered():
    hold(touched()).close()
    lower_peak()


def in_child(work):
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return child


def lowers_peak():
    lowered()
    echo()


def lowers_peak_again_and_again():
    def each():
        while content:
            lower_peak()
            time.sleep(0.01)

    content = [touched()]
    thread = threading.Thread(target=each)
    thread.start()
    hold()
    content.pop().close()
    thread.join()
    lower_peak()
    echo()


def lowers_peak_at_the_end():
    content = hold(touched())
    echo()
    content.close()
    lower_peak()


def lowers_peak_of_child():
    os.waitpid(in_child(lowered), 0)
    echo()


def lowers_peak_of_grandchild():
    # An orphan that ends before the system does.
    os.waitpid(in_child(lambda: in_child(lowered)), 0)
    time.sleep(2)
    echo()


def lowers_peak_of_parent():
    content, parent = hold(touched()), os.getpid()
    content.close()
    os.waitpid(in_child(lambda: lower_peak(parent)), 0)
    echo()


def lowers_peak_behind_a_dead_first_thread():
    def work():
        lowered()
        echo()
        os._exit(0)

    threading.Thread(target=work).start()
    LIBC.syscall(60, 0)  # exit(2) of this thread alone


def lowers_peak_after_exec():
    if "AGAIN" not in os.environ:
        os.execve("/proc/self/exe", ["python3", *os.sys.argv], {**os.environ, "AGAIN": "1"})
    lowers_peak()


def fill(writer, size=SIZE):
    os.set_blocking(writer, False)
    left, part = size, bytes(64 << 10)
    while left > 0:
        try:
            left -= os.write(writer, part[:left])
        except BlockingIOError:
            break
    return size - max(left, 0)


def filled(make):
    """Descriptors that hold SIZE bytes, or as many as they may: `make` gives one to write to, and what stays open."""
    resource.setrlimit(resource.RLIMIT_NOFILE, [min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 1 << 16)] * 2)
    left, kept = SIZE, []
    while left > 0:
        try:
            writer, both = make()
        except OSError:
            break  # no more descriptors
        done = fill(writer, left)
        left -= done
        kept.append(both)
        if done == 0:
            break
    holds(SIZE - left)
    return kept


def holds(size):
    print(f"holds {size}", file=os.sys.stderr, flush=True)


def enlarged(writer):
    # Without root's rights pipes get smaller once they are many.
    try:
        fcntl.fcntl(writer, 1031, MIB)  # F_SETPIPE_SZ
    except OSError:
        pass


def fills_pipes():
    def make():
        reader, writer = os.pipe()
        enlarged(writer)
        return writer, (reader, writer)

    kept = filled(make)
    hold(), echo()
    return kept


def of_sockets(pair, keeps_writer=True):
    def make():
        here, there = pair()
        try:
            here.setsockopt(socket.SOL_SOCKET, 32, 8 * MIB)  # SO_SNDBUFFORCE, which root may set
        except OSError:
            pass
        writer = here.fileno() if keeps_writer else here.detach()
        return writer, (here, there, writer)

    kept = filled(make)
    if not keeps_writer:
        for *_, writer in kept:
            os.close(writer)
    hold(), echo()
    return kept


def fills_sockets():
    return of_sockets(socket.socketpair)


def fills_sockets_without_writers():
    return of_sockets(socket.socketpair, keeps_writer=False)


def fills_datagrams():
    return of_sockets(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))


def fills_loopback():
    subprocess.run(["ip", "link", "set", "lo", "up"], stderr=subprocess.DEVNULL, check=False)
    listener = socket.create_server(("127.0.0.1", 0))

    def pair():
        here = socket.create_connection(listener.getsockname())
        return here, listener.accept()[0]

    return of_sockets(pair)


def sends_descriptors():
    # Full pipes that no process has open: they are on their way through a socket.
    (here, there), done = socket.socketpair(), 0
    for _ in range(SIZE // MIB):
        reader, writer = os.pipe()
        enlarged(writer)
        done += fill(writer, MIB)
        socket.send_fds(here, [b"x"], [reader])
        os.close(reader), os.close(writer)
    holds(done), hold(), echo()
    return there


def gives_pages_to_pipes():
    # vmsplice(2): the pages stay with the pipe after they are unmapped.
    class Part(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    kept, done = [], 0
    for _ in range(SIZE // MIB):
        reader, writer = os.pipe()
        enlarged(writer)
        os.set_blocking(writer, False)
        at = LIBC.mmap(None, ctypes.c_size_t(MIB), 3, PRIVATE, -1, 0)
        ctypes.memset(at, 7, MIB)
        given, limit = 0, MIB
        while given < limit:
            part = Part(at + given, limit - given)
            spliced = LIBC.vmsplice(writer, ctypes.byref(part), 1, 3)
            if spliced <= 0:
                break
            given += spliced
        LIBC.munmap(ctypes.c_void_p(at), ctypes.c_size_t(MIB))
        kept.append((reader, writer))
        done += given
    holds(done), hold(), echo()


def writes_memfd():
    file = os.memfd_create("w")
    for _ in range(SIZE // MIB):
        os.write(file, bytes(MIB))
    hold(), echo()


def writes_small_memfds():
    files = [os.memfd_create("w") for _ in range(400)]
    for file in files:
        os.write(file, bytes(SIZE // 400))
    hold(), echo()


def writes_secret_memory():
    # memfd_secret(2): only a map reaches its pages, which stay with the file after it is unmapped.
    resource.setrlimit(resource.RLIMIT_MEMLOCK, [resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]] * 2)
    files, done, part = [], 0, 4 * MIB
    while done < SIZE:
        file = LIBC.syscall(447, 0)
        if file < 0:
            break
        os.ftruncate(file, part)
        with mmap.mmap(file, part) as content:
            content.write(bytes([7]) * part)
        files.append(file)
        done += part
    holds(done), hold(), echo()
    return files


def covers_memfd_by_shared_memory():
    # Touched shared memory of its own must not hide another file.
    shared = mmap.mmap(-1, SIZE)
    for page in range(0, SIZE, 4096):
        shared[page] = 7
    writes_memfd()


def writes_to_tmpfs(folder):
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(SIZE // MIB):
            file.write(bytes(MIB))
        file.flush()
        hold(), echo()


def writes_to_own_tmpfs():
    # A mount that no other process sees.
    folder = tempfile.mkdtemp()
    call("unshare", 0x00020000)  # CLONE_NEWNS
    call("mount", b"none", b"/", None, 0x44000, None)  # private, with all below
    call("mount", b"none", folder.encode(), b"tmpfs", 0, None)
    writes_to_tmpfs(folder)


def writes_to_shm():
    writes_to_tmpfs("/dev/shm")


def writes_to_tmp():
    # A tmpfs in the sandbox, and on some hosts.
    mounts = [line.split()[:3] for line in open("/proc/self/mounts")]
    if not any(mount[1:] == ["/tmp", "tmpfs"] for mount in mounts):
        holds(0)
    writes_to_tmpfs("/tmp")


def in_thread_with_own_files():
    # The files are in no table that /proc/PID/fd shows.
    def work():
        call("unshare", 0x400)  # CLONE_FILES
        file = os.memfd_create("w")
        for _ in range(SIZE // MIB):
            os.write(file, bytes(MIB))
        ready.set(), over.wait()

    ready, over = threading.Event(), threading.Event()
    thread = threading.Thread(target=work)
    thread.start(), ready.wait()
    hold(), echo()
    over.set(), thread.join()


def in_segment():
    part = 10 * MIB
    segments = [LIBC.shmget(0, ctypes.c_size_t(part), 0o600) for _ in range(SIZE // part)]
    for segment in segments:
        at = LIBC.shmat(segment, None, 0)
        ctypes.memset(ctypes.c_void_p(at), 7, part)
        LIBC.shmdt(ctypes.c_void_p(at))
    try:
        hold(), echo()
    finally:
        for segment in segments:
            LIBC.shmctl(segment, 0, None)


def in_messages():
    message = (7).to_bytes(8, "little") + bytes(8000)
    queues, sent = [], 0
    while sent < SIZE:
        queues.append(LIBC.msgget(0, 0o600))
        while LIBC.msgsnd(queues[-1], message, ctypes.c_size_t(8000), 0o4000) == 0:  # IPC_NOWAIT
            sent += 8000
    try:
        hold(), echo()
    finally:
        for queue in queues:
            LIBC.msgctl(queue, 0, None)


def in_registered_buffers():
    # io_uring keeps the pages after they are unmapped.
    ring = LIBC.syscall(425, 4, ctypes.create_string_buffer(120))
    at = LIBC.mmap(None, ctypes.c_size_t(SIZE), 3, PRIVATE, -1, 0)
    ctypes.memset(at, 7, SIZE)
    part = at.to_bytes(8, "little") + SIZE.to_bytes(8, "little")
    if ring < 0 or LIBC.syscall(427, ring, 0, part, 1) < 0:
        raise OSError("no io_uring")
    LIBC.munmap(ctypes.c_void_p(at), ctypes.c_size_t(SIZE))
    lower_peak()
    hold(), echo()


def in_registered_files():
    # A ring of io_uring keeps the file after its descriptor is closed.
    ring = LIBC.syscall(425, 4, ctypes.create_string_buffer(120))
    memory = os.memfd_create("kept")
    os.write(memory, bytes(SIZE))
    if ring < 0 or LIBC.syscall(427, ring, 2, memory.to_bytes(4, "little"), 1) < 0:
        raise OSError("no io_uring")
    os.close(memory)
    lower_peak()
    hold(), echo()


def maps_a_file():
    with tempfile.TemporaryFile(dir="/var/tmp") as file:
        file.truncate(SIZE)
        content = mmap.mmap(file.fileno(), SIZE)
        for page in range(0, SIZE, 4096):
            content[page] = 7
        hold(), echo()


def frees_lazily():
    content = touched()
    content.madvise(mmap.MADV_FREE)
    hold(), echo()


def pages_out():
    # To the swap, where there is one.
    content = touched()
    content.madvise(21)  # MADV_PAGEOUT
    lower_peak()
    hold(), echo()


def in_grandchild_that_ends():
    # No parent waits for it, and none lowers a peak.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    in_child(lambda: hold(touched()))
    time.sleep(1)
    echo()


def in_many_children():
    children = [in_child(lambda: hold(touched(SIZE // 20))) for _ in range(20)]
    for child in children:
        os.waitpid(child, 0)
    echo()


def honest_pipes():
    # Workers that pass some lines through pipes and sockets, and a small temporary file.
    with tempfile.TemporaryFile(dir="/tmp") as file:
        file.write(bytes(MIB // 4))
        kept = [os.pipe() for _ in range(8)]
        for _, writer in kept:
            fill(writer, 4096)
        pairs = [socket.socketpair() for _ in range(8)]
        for here, _ in pairs:
            here.send(bytes(1000))
        hold(), echo()
