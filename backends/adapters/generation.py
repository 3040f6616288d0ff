"""The search that a directory of Hugging Face asks for, so that engines on one model search alike.

dyno's own engine searches as `generation_config.json` says, else as the older keys of `config.json`. An adapter does the
same where the campaign sets nothing.
"""

import json
from pathlib import Path

# Where a converter writes the search of the model that it read, beside an engine's own files.
KEPT = "search.json"


def search_of(folder):
    """Hypotheses, most words of a translation with its end, suppressed words, whether the last possible word is the
    end, the power of the length, and whether an unknown word may be written. `None` for other directories."""
    kept = Path(folder) / KEPT
    if kept.is_file():
        return json.loads(kept.read_text(encoding="utf-8"))
    config = written(folder, "config.json")
    if "max_position_embeddings" not in config and "decoder_start_token_id" not in config:
        return None
    told = written(folder, "generation_config.json") or config
    positions = config.get("max_position_embeddings")
    # The length counts the word that the decoder begins with.
    length = told.get("max_length") or (positions or MOST) + 1
    most = told.get("max_new_tokens") or length - 1
    never = told.get("suppress_tokens") or []
    never = never + [words[0] for words in told.get("bad_words_ids") or [] if len(words) == 1]
    return {
        "beam": max(1, told.get("num_beams") or 1),
        "most": max(1, min(most, positions or most)),
        "never": never,
        "forced-end": told.get("forced_eos_token_id") is not None,
        "length-power": 1.0 if told.get("length_penalty") is None else told["length_penalty"],
        "unknown": True,
    }


def written(folder, name):
    path = Path(folder) / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def asked(settings, search):
    """Hypotheses and most words: the campaign's, else the model's."""
    beam = settings.get("beam") or (search or {}).get("beam", 1)
    most = int(settings["max-length"]) - 1 if "max-length" in settings else (search or {}).get("most", MOST)
    return int(beam), most


# Most words of a translation where neither the campaign nor the model says how many.
MOST = 512
