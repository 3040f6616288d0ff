"""Instruction sets to which all systems of a comparison are held, each by its own means."""

import json
from fnmatch import fnmatch

# Environment variables by instruction set and adapter. Marian's int8 products are intgemm's, its f32 products MKL's;
# CTranslate2 has a variable of its own, and one for each of its libraries. MKL obeys its variable on Intel alone, and
# takes AVX2 on AMD by itself.
MKL = {"MKL_ENABLE_INSTRUCTIONS": "AVX2"}
VARIABLES = {
    "avx2": {
        "marian": {"INTGEMM_CPUID": "AVX2", **MKL},
        "ctranslate2": {"CT2_FORCE_CPU_ISA": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2", **MKL},
    },
}
# Systems that no variable holds, by pattern.
UNHELD = {"marian-packed8avx512*": "its products (FBGEMM) ask the processor, and no variable holds them"}


def setting(held):
    """The setting of our engines; nothing if all are free."""
    return f', isa = "{held}"' if held else ""


def environment(held, adapter):
    """The variables of an adapter's system, as a table of the campaign; None if all are free."""
    if held is None:
        return None
    return "{ " + ", ".join(f"{name} = {json.dumps(value)}" for name, value in VARIABLES[held][adapter].items()) + " }"


def left_out(held, names):
    """The systems among `names` that can't be held, each with the reason."""
    reasons = {name: reason for name in names for pattern, reason in UNHELD.items() if fnmatch(name, pattern)}
    return reasons if held else {}
