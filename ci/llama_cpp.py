"""llama.cpp's library as its adapter opens it, with logits.

LLAMA_CPP names the folder with the library's files, and LLAMA_CPU the file of its kernels: those for AVX2 unless it
says otherwise, so that goldens don't go by the host.
"""

import os
import pathlib
import sys

import numpy as np

os.environ.setdefault("LLAMA_CPU", "libggml-cpu-haswell.so")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "backends/adapters/llama.cpp"))
import library  # noqa: E402


class Model(library.Model):
    def __init__(self, path, threads=1, context=2048):
        super().__init__(path, threads, context)
        self.count, self.place = self.llama.llama_vocab_n_tokens(self.words), 0

    def clear(self):
        self.cut(0, 0)
        self.place = 0

    def logits(self, ids):
        """Logits after further ids."""
        self.read([(word, self.place + at, 0, at + 1 == len(ids)) for at, word in enumerate(ids)])
        self.place += len(ids)
        found = self.llama.llama_get_logits_ith(self.context, -1)
        return np.ctypeslib.as_array(found, (self.count,)).copy()
