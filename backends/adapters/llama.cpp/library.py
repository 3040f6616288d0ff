"""llama.cpp's library by ctypes: vocabulary, sequences of tokens, likeliest tokens.

`prepare.py` puts the library's files into this Python; LLAMA_CPP names another folder. Structures of parameters are
passed as they come from the library's own defaults, with the counts changed that stand at known places.
"""

import ctypes as c
import os
import sysconfig
from pathlib import Path

FOLDER = Path(os.environ.get("LLAMA_CPP") or Path(sysconfig.get_path("purelib")) / "llama_cpp_library")
# Places of 32-bit numbers in `llama_context_params`: positions of all sequences, tokens of a batch, sequences.
CONTEXT, BATCH, SEQUENCES = 0, 1, 3
# Tokens that go through the network in one call.
TOKENS = 512


class Parameters(c.Structure):
    """Parameters of a model or a context, which are smaller than this."""

    _fields_ = [("bytes", c.c_uint8 * 512)]


class Batch(c.Structure):
    _fields_ = [("count", c.c_int32), ("token", c.POINTER(c.c_int32)), ("embedding", c.c_void_p),
                ("position", c.POINTER(c.c_int32)), ("sequences", c.POINTER(c.c_int32)),
                ("sequence", c.POINTER(c.POINTER(c.c_int32))), ("wanted", c.POINTER(c.c_int8))]


FUNCTIONS = [
    ("llama_model_default_params", Parameters, []),
    ("llama_context_default_params", Parameters, []),
    ("llama_model_load_from_file", c.c_void_p, [c.c_char_p, Parameters]),
    ("llama_init_from_model", c.c_void_p, [c.c_void_p, Parameters]),
    ("llama_set_n_threads", None, [c.c_void_p, c.c_int32, c.c_int32]),
    ("llama_model_get_vocab", c.c_void_p, [c.c_void_p]),
    ("llama_model_chat_template", c.c_char_p, [c.c_void_p, c.c_char_p]),
    ("llama_model_n_ctx_train", c.c_int32, [c.c_void_p]),
    ("llama_model_size", c.c_uint64, [c.c_void_p]),
    ("llama_vocab_n_tokens", c.c_int32, [c.c_void_p]),
    ("llama_vocab_bos", c.c_int32, [c.c_void_p]),
    ("llama_vocab_get_add_bos", c.c_bool, [c.c_void_p]),
    ("llama_vocab_is_eog", c.c_bool, [c.c_void_p, c.c_int32]),
    ("llama_tokenize", c.c_int32,
     [c.c_void_p, c.c_char_p, c.c_int32, c.POINTER(c.c_int32), c.c_int32, c.c_bool, c.c_bool]),
    ("llama_token_to_piece", c.c_int32, [c.c_void_p, c.c_int32, c.c_char_p, c.c_int32, c.c_int32, c.c_bool]),
    ("llama_batch_init", Batch, [c.c_int32, c.c_int32, c.c_int32]),
    ("llama_decode", c.c_int32, [c.c_void_p, Batch]),
    ("llama_get_logits_ith", c.POINTER(c.c_float), [c.c_void_p, c.c_int32]),
    ("llama_get_memory", c.c_void_p, [c.c_void_p]),
    ("llama_memory_seq_rm", c.c_bool, [c.c_void_p, c.c_int32, c.c_int32, c.c_int32]),
    ("llama_sampler_init_greedy", c.c_void_p, []),
    ("llama_sampler_sample", c.c_int32, [c.c_void_p, c.c_void_p, c.c_int32]),
]


def opened():
    """The library, with the kernels that it chooses for this processor."""

    def load(name):
        path = next(FOLDER.glob(name), None)
        if path is None:
            raise SystemExit(
                f"llama.cpp: no {name} in {FOLDER}; `dyno adapters llama.cpp --build` brings it, into"
                " adapters/llama.cpp-*/lib/python*/site-packages/llama_cpp_library of the user's cache"
            )
        return c.CDLL(str(path), mode=c.RTLD_GLOBAL)

    load("libggml-base.so")
    ggml, llama = load("libggml.v*.so"), load("libllama.v*.so")
    for name, result, arguments in FUNCTIONS:
        getattr(llama, name).restype, getattr(llama, name).argtypes = result, arguments
    llama.quiet = c.CFUNCTYPE(None, c.c_int, c.c_char_p, c.c_void_p)(lambda *_: None)
    llama.llama_log_set(llama.quiet, None)
    kernels = os.environ.get("LLAMA_CPU")
    if kernels:
        ggml.ggml_backend_load.restype = c.c_void_p
        assert ggml.ggml_backend_load(str(FOLDER / kernels).encode()), f"no {kernels} for this processor"
    else:
        ggml.ggml_backend_load_all_from_path(str(FOLDER).encode())
    return llama


class Model:
    """A model with room for some sequences of so many positions each."""

    def __init__(self, path, threads=1, positions=2048, sequences=1):
        self.llama = opened()
        self.model = self.llama.llama_model_load_from_file(str(path).encode(), self.llama.llama_model_default_params())
        if not self.model:
            raise ValueError(f"llama.cpp refuses {path}")
        self.words = self.llama.llama_model_get_vocab(self.model)
        self.positions = min(positions, self.llama.llama_model_n_ctx_train(self.model))
        parameters = self.llama.llama_context_default_params()
        numbers = c.cast(c.byref(parameters), c.POINTER(c.c_uint32))
        numbers[CONTEXT], numbers[BATCH], numbers[SEQUENCES] = self.positions * sequences, TOKENS, sequences
        self.context = self.llama.llama_init_from_model(self.model, parameters)
        if not self.context:
            raise ValueError(f"no room for {sequences} sequences of {self.positions} positions")
        self.llama.llama_set_n_threads(self.context, threads, threads)
        self.memory = self.llama.llama_get_memory(self.context)
        self.greedy = self.llama.llama_sampler_init_greedy()
        self.batch = self.llama.llama_batch_init(TOKENS, 0, 1)

    def weight_bytes(self):
        return self.llama.llama_model_size(self.model)

    def chat(self):
        """The file's chat template; None without one."""
        template = self.llama.llama_model_chat_template(self.model, None)
        return template.decode() if template else None

    def tokens(self, text, control=True):
        """Ids of a text, with control words where they stand in it."""
        text = text.encode("utf-8", "replace")
        ids = (c.c_int32 * (len(text) + 16))()
        count = self.llama.llama_tokenize(self.words, text, len(text), ids, len(ids), False, control)
        return list(ids[:count])

    def start(self):
        """The word that begins each text; None where none does."""
        return self.llama.llama_vocab_bos(self.words) if self.llama.llama_vocab_get_add_bos(self.words) else None

    def piece(self, word, control=False):
        """Bytes of a word."""
        text = c.create_string_buffer(256)
        length = self.llama.llama_token_to_piece(self.words, word, text, 256, 0, control)
        return text.raw[: max(length, 0)]

    def ends(self, word):
        return self.llama.llama_vocab_is_eog(self.words, word)

    def cut(self, sequence, positions):
        """Leaves a sequence its first positions."""
        self.llama.llama_memory_seq_rm(self.memory, sequence, positions, -1)

    def read(self, rows):
        """Takes rows (word, position, sequence, whether its successor is wanted) through the network, and returns the
        likeliest successors of those that want one, in order."""
        found = []
        for start in range(0, len(rows), TOKENS):
            part = rows[start : start + TOKENS]
            for at, (word, position, sequence, wanted) in enumerate(part):
                batch = self.batch
                batch.token[at], batch.position[at], batch.wanted[at] = word, position, wanted
                batch.sequences[at], batch.sequence[at][0] = 1, sequence
            self.batch.count = len(part)
            told = self.llama.llama_decode(self.context, self.batch)
            if told != 0:
                raise ValueError(f"llama_decode fails ({told})")
            wanted = [at for at, row in enumerate(part) if row[3]]
            found += [self.llama.llama_sampler_sample(self.greedy, self.context, at) for at in wanted]
        return found
