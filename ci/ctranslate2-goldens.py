#!/usr/bin/env python3
"""Makes the goldens of CTranslate2's directories: small drawn models, and CTranslate2's greedy translations by them.

    ci/ctranslate2-goldens.py    # into backends/transformer-aan/tests/goldens/ctranslate2

Needs ctranslate2 4.8 and sentencepiece. `marian` has norms behind sublayers and one vocabulary, and is there in f32,
f16, int16 and int8; `opennmt` has norms before them, two vocabularies and computed positions, in a file of version 5
whose lists of words are texts; `nllb` has words for languages. `greedy.txt` holds translations of the first lines of
`hugging-face/lines.en` with products in f32, `margins.txt` for each line the least margin by which a word was chosen: a
line may differ only where that is next to nothing. `beam.txt` has those of a beam of 4 by the models in f32 and f16, with
scores by the length and then without it.
"""

import json
import math
import shutil
import struct
import tempfile
from pathlib import Path

import ctranslate2
import numpy as np
import sentencepiece
from ctranslate2.specs import common_spec, transformer_spec

HOME = Path(__file__).resolve().parents[1] / "backends/transformer-aan/tests/goldens"
GOLDENS = HOME / "ctranslate2"
LINES = (HOME / "hugging-face/lines.en").read_text(encoding="utf-8").split("\n")[:-1]
SHOWN = LINES[:30] + LINES[-3:]
WIDTH, HEADS, INNER, POSITIONS, PIECES = 16, [2, 4], 16, 96, 120
LANGUAGES = ["eng_Latn", "deu_Latn"]
FORMS = {"marian": ["float32", "float16", "int16", "int8"], "opennmt": ["float16"], "nllb": ["int8_float32"]}
# Where the drawn network's sentences end is chance; this much more weight lets most of them end early.
END = {"marian": 3.0, "opennmt": 5.0, "nllb": 0.5}


def pieces(work, name):
    text = work / "text"
    text.write_text("\n".join(LINES[:100] if name != "target" else LINES[20:100]), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(work / name), vocab_size=PIECES, model_type="unigram", minloglevel=2,
        normalization_rule_name="identity", hard_vocab_limit=False, num_threads=1)
    model = sentencepiece.SentencePieceProcessor(model_file=str(work / f"{name}.model"))
    return work / f"{name}.model", [model.id_to_piece(at) for at in range(len(model))]


class Drawn:
    """Fills a specification with drawn numbers."""

    def __init__(self, seed):
        self.draw = np.random.default_rng(seed)

    def numbers(self, *shape, spread=1.0):
        return self.draw.normal(0, spread, shape).astype(np.float32)

    def linear(self, spec, outputs, inputs):
        spec.weight = self.numbers(outputs, inputs, spread=1.3 / math.sqrt(inputs))
        spec.bias = self.numbers(outputs, spread=0.2)

    def norm(self, spec):
        spec.gamma, spec.beta = 1 + self.numbers(WIDTH, spread=0.2), self.numbers(WIDTH, spread=0.2)

    def attention(self, spec, rows):
        for linear, outputs in zip(spec.linear, rows):
            self.linear(linear, outputs * WIDTH, WIDTH)
        self.norm(spec.layer_norm)

    def side(self, spec):
        for layer in spec.layer:
            self.attention(layer.self_attention, [3, 1])
            if hasattr(layer, "attention"):
                self.attention(layer.attention, [1, 2, 1])
            self.linear(layer.ffn.linear_0, INNER, WIDTH)
            self.linear(layer.ffn.linear_1, WIDTH, INNER)
            self.norm(layer.ffn.layer_norm)
        if hasattr(spec, "layer_norm"):
            self.norm(spec.layer_norm)


def network(kind, source, target):
    drawn = Drawn(["marian", "opennmt", "nllb"].index(kind) + 12)
    activation = {"marian": "SWISH", "opennmt": "RELU", "nllb": "GELU"}[kind]
    spec = transformer_spec.TransformerSpec(
        transformer_spec.TransformerEncoderSpec(
            1, HEADS[0], pre_norm=kind != "marian", activation=getattr(common_spec.Activation, activation)),
        transformer_spec.TransformerDecoderSpec(
            1, HEADS[1], pre_norm=kind != "marian", activation=getattr(common_spec.Activation, activation)))
    drawn.side(spec.encoder)
    drawn.side(spec.decoder)
    words = drawn.numbers(len(source), WIDTH, spread=0.5)
    spec.encoder.embeddings[0].weight = words
    spec.decoder.embeddings.weight = words if source is target else drawn.numbers(len(target), WIDTH, spread=0.5)
    free = kind == "opennmt"
    spec.decoder.projection.weight = drawn.numbers(len(target), WIDTH, spread=0.6) if free else spec.decoder.embeddings.weight
    bias = drawn.numbers(len(target), spread=0.3)
    bias[target.index("</s>")] += END[kind]
    bias[[target.index(word) for word in ["<unk>", "<s>"] if word in target]] = -20
    spec.decoder.projection.bias = bias
    for side in [spec.encoder, spec.decoder]:
        if kind == "opennmt":
            side.scale_embeddings = False
            continue  # CTranslate2 computes sines
        else:
            drawn_again = Drawn(5)
            side.position_encodings.encodings = drawn_again.numbers(POSITIONS, WIDTH, spread=0.7)
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    spec.config.unk_token, spec.config.eos_token = "<unk>", "</s>"
    spec.config.add_source_eos = kind == "marian"
    spec.config.decoder_start_token = {"marian": "<s>", "opennmt": "<s>", "nllb": "</s>"}[kind]
    if kind == "marian":
        spec.decoder.start_from_zero_embedding = True
    return spec


def older(folder):
    """Version 5, with texts as vocabularies."""
    file = folder / "model.bin"
    data = file.read_bytes()
    file.write_bytes(struct.pack("I", 5) + data[4:])
    for name in ["source", "target"]:
        words = json.loads((folder / f"{name}_vocabulary.json").read_text(encoding="utf-8"))
        (folder / f"{name}_vocabulary.json").unlink()
        (folder / f"{name}_vocabulary.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")


def goldens(folder, kind, files):
    """Translations of each line alone, and their margins."""
    encoder, decoder = (sentencepiece.SentencePieceProcessor(model_file=str(file)) for file in files)
    translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
    lines, margins = [], []

    def translate(line, **options):
        words = encoder.encode(line, out_type=str)
        if kind == "nllb":
            words = [LANGUAGES[0], *words, "</s>"]
        [result] = translator.translate_batch(
            [words], target_prefix=[[LANGUAGES[1]]] if kind == "nllb" else None, max_input_length=0, min_decoding_length=0,
            max_decoding_length=256 if kind == "opennmt" else POSITIONS - (kind == "nllb"), **options)
        return result

    for line in SHOWN:
        result = translate(line, beam_size=1, return_logits_vocab=True)
        steps = np.array([np.array(step, dtype=np.float64).ravel() for step in result.logits[0]])
        best = np.sort(steps, axis=1)[:, -2:]
        margins.append(float((best[:, 1] - best[:, 0]).min()))
        written = [word for word in result.hypotheses[0] if word not in LANGUAGES]
        lines.append(decoder.decode(written).strip())
    (folder / "greedy.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / "margins.txt").write_text("".join(f"{margin:.6f}\n" for margin in margins), encoding="utf-8")
    if not folder.name.startswith(("nllb", "marian-int")):
        beams = [decoder.decode(translate(line, beam_size=4, length_penalty=power).hypotheses[0]).strip()
                 for power in [1, 0] for line in SHOWN]
        (folder / "beam.txt").write_text("".join(f"{line}\n" for line in beams), encoding="utf-8")
    print(folder.name, "letters", sum(map(len, lines)), "least margin", min(margins), "different", len(set(lines)))


def main():
    shutil.rmtree(GOLDENS, ignore_errors=True)
    GOLDENS.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        for kind, forms in FORMS.items():
            file, source = pieces(work, "source")
            files, target = [file, file], source
            if kind == "opennmt":
                other, target = pieces(work, "target")
                files = [file, other]
            if kind == "nllb":
                source = target = ["<s>", "<pad>", "</s>", "<unk>", *source[3:], *LANGUAGES, "<mask>"]
            for form in forms:
                folder = GOLDENS / (kind if form == forms[0] else f"{kind}-{form}")
                folder.mkdir()
                spec = network(kind, source, target)
                spec.validate()
                spec.optimize(quantization=form)
                spec.save(str(folder))
                if kind == "opennmt":
                    older(folder)
                names = ["source.spm", "target.spm"] if kind != "nllb" else ["sentencepiece.bpe.model"]
                for name, file in zip(names, files):
                    shutil.copyfile(file, folder / name)
                goldens(folder, kind, files)


main()
