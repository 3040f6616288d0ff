"""Moves weights at random, so that a model uses all its weights after a short training.

Scales begin at one and biases at zero, and hardly move in a few updates. Barely trained models end their sentences at once,
or give the same answer to every line. Neither distinguishes a right implementation from a wrong one.
"""

import numpy

# By how much, as a share of a matrix's own spread and in a vector: more makes recurrent models chaotic, in which the
# last bits of any two implementations grow into different words.
MATRIX, VECTOR = 0.35, 0.2

# Taken off the end of sentence's bias, for longer answers.
END = 4

BIASES = ["decoder_ff_logit_out_b", "decoder_ff_logit_l2_b", "ff_logit_b"]


def shake(path):
    """Moves all weights of the model in the file."""
    draw, tensors = numpy.random.default_rng(1), dict(numpy.load(path))
    for name, values in tensors.items():
        if not name.startswith("special:"):
            by = VECTOR if values.shape[0] == 1 else MATRIX * values.std()
            tensors[name] = (values + draw.normal(0, by, values.shape)).astype(numpy.float32)
    for name in BIASES:
        if name in tensors:
            tensors[name][..., 0] -= END
    numpy.savez(path, **tensors)


def check_variety(outputs, least=10):
    """Complains where a model's answers are too few to tell anything."""
    different = len({line for line in outputs if line.strip()})
    if different < least:
        print(f"only {different} different answers; shake it, or train it longer")
