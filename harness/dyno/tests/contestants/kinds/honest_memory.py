"""Honest ones that remember words, pieces or code, but no lines; and ones whose speed wanders."""

import os
import sys
import time

from kinds.contract import FILE, LATENCY, OUT, echo, lines, say, translate, work

WORD = 0.0003  # seconds of the core for a word that is new


def remembering_words(saving):
    """A word that came before costs less by this share."""
    known = set()

    def each(n, answer, line):
        words = line.split()
        new = len({word for word in words if word not in known})
        known.update(words)
        work(WORD * ((1 - saving) * len(words) + saving * new))
        say(answer)

    echo(each)


def honest_word_memo_8():
    remembering_words(0.08)


def honest_word_memo_15():
    remembering_words(0.15)


def honest_word_memo_50():
    remembering_words(0.5)


def honest_bpe_cache():
    # A tokeniser of Hugging Face, whose BPE model keeps the pieces of up to 10,000 words.
    try:
        from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    except ImportError:
        return remembering_words(0.3)
    tokenizer = Tokenizer(models.BPE(unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    text = open(FILE, encoding="utf-8") if os.path.exists(FILE) else ["a small dog runs over a green hill"]
    tokenizer.train_from_iterator(text, trainers.BpeTrainer(vocab_size=600, special_tokens=["?"], show_progress=False))

    def each(n, answer, line):
        pieces = tokenizer.encode(line.decode("utf-8", "replace")).tokens
        work(0.0001 * len(pieces))
        say(answer)

    echo(each)


def honest_page_faults():
    # Its first lines touch memory that is not there yet.
    memory = bytearray()

    def each(n, answer, line):
        if len(memory) < 48 << 20:
            memory.extend(bytes(1 << 20))
        work(0.001)
        say(answer)

    echo(each)


def honest_drift():
    # Its core is quicker and slower by turns, by a fifth in some seconds.
    def each(n, answer, line):
        work(0.001 * (1.2 if int(time.monotonic() / 1.7) % 2 else 1.0))
        say(answer)

    echo(each)


def honest_garbage():
    # Python's collector, with cycles to find.
    keep = []

    def each(n, answer, line):
        for _ in range(300):
            cycle = [line.split()]
            cycle.append(cycle)
            keep.append(cycle)
        if len(keep) > 30_000:
            keep.clear()
        say(answer)

    echo(each)


def honest_workers():
    # A pool of processes, each with a memory of words of its own.
    import multiprocessing

    with multiprocessing.Pool(2) as pool:
        if LATENCY:
            return echo(lambda n, answer, line: say(pool.apply(remembering, (line.rstrip(b"\n"),))))
        for answer in pool.imap(remembering, [line.rstrip(b"\n") for line in lines()], 4):
            OUT.write(answer + b"\n")


def remembering(line, known=set()):
    words = line.split()
    new = len({word for word in words if word not in known})
    known.update(words)
    work(WORD * (0.5 * len(words) + 0.5 * new))
    return translate(line)


NODE = """
const upper = line => { let h = 0; for (let k = 0; k < 400; k++) for (let i = 0; i < line.length; i++) h = (h * 31 + line[i]) | 0; return h };
let rest = Buffer.alloc(0);
const say = line => { upper(line); process.stdout.write(Buffer.concat([Buffer.from(line.map(c => c >= 97 && c <= 122 ? c - 32 : c)), Buffer.from("\\n")])) };
process.stdin.on("data", more => {
  rest = Buffer.concat([rest, more]);
  for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1)) say(rest.subarray(0, end));
});
process.stdin.on("end", () => { if (rest.length) say(rest) });
"""

JAVA = """
import java.io.*;
public class Upper {
  public static void main(String[] a) throws IOException {
    InputStream in = new BufferedInputStream(System.in); OutputStream out = new BufferedOutputStream(System.out);
    ByteArrayOutputStream line = new ByteArrayOutputStream(); int c; int h = 0;
    while ((c = in.read()) >= 0) {
      if (c != 10) { line.write(c); continue; }
      h += say(line.toByteArray(), out); line.reset();
    }
    if (line.size() > 0) h += say(line.toByteArray(), out);
    if (h == 42) System.err.print("");
  }
  static int say(byte[] line, OutputStream out) throws IOException {
    int h = 0; Object[] rubbish = new Object[64];
    for (int k = 0; k < 400; k++) { rubbish[k % 64] = new byte[512]; for (byte b : line) h = h * 31 + b; }
    for (int i = 0; i < line.length; i++) if (line[i] >= 97 && line[i] <= 122) line[i] -= 32;
    out.write(line); out.write(10); out.flush();
    return h + rubbish.length;
  }
}
"""


def run_elsewhere(program, source, name, *arguments):
    """Runs `source` by another language's `program`; without it, just answers."""
    import shutil
    import tempfile

    if shutil.which(program) is None:
        return echo()
    folder = os.path.join(tempfile.gettempdir(), f"contestant-{os.getuid()}")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        with open(f"{path}.{os.getpid()}", "w") as file:
            file.write(source)
        os.rename(file.name, path)
    os.execvp(program, [program, *arguments, path])


def honest_node():
    # Compiles while it runs.
    run_elsewhere("node", NODE, "upper.js")


def honest_java():
    # Compiles while it runs, and collects garbage.
    run_elsewhere("java", JAVA, "Upper.java", "-XX:+UseSerialGC", "-Xmx64m", "-XX:TieredStopAtLevel=4")
