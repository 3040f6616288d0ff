#!/usr/bin/env python3
"""Makes the goldens of Hugging Face's translators: small trained models, and what `transformers` generates with them.

    ci/hugging-face-goldens.py PAIRS.en PAIRS.de [KIND ...]    # into backends/transformer-aan/tests/goldens/hugging-face

Needs torch, transformers 5 and sentencepiece. PAIRS are parallel captions, which train the models for a thousand
updates, so that translations have an end and margins are those of a trained model. Each folder holds the files of a
model as `save_pretrained` lays them out; `greedy.txt` and `beam.txt` are the translations of `lines.en`, a line at a
time in f32, and `beam.scores` the scores. `margins.txt` holds for each line the least margin by which greedy search
chose a word, `beam.margins` that by which a beam kept a hypothesis: a line may differ only where that is next to
nothing.
"""

import json
import random
import shutil
import sys
import tempfile
from pathlib import Path

import sentencepiece
import torch
import transformers
from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES

ROOT = Path(__file__).resolve().parents[1]
GOLDENS = ROOT / "backends/transformer-aan/tests/goldens/hugging-face"
LINES = ROOT / "testsets/photos-en-de/source.en"  # public domain
SEED, UPDATES, BATCH, SHOWN = 7, 1000, 48, 120
SHAPE = {
    "d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 128, "decoder_ffn_dim": 96, "max_position_embeddings": 128,
    "scale_embedding": True, "dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0,
}
ODD = [
    "  two  blanks and	a tab ", "UPPER Case, naïve café; Straße", "A man 漢字 in a park .", ">>deu<< A dog runs .",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z", "ﬁ ½ … „quotes“ — dash", "don't I'm they've \" ' `",
]


def pieces(texts, folder, name, words, kind="unigram"):
    """Trains SentencePiece on `texts`; gives the file."""
    text = folder / "text"
    text.write_text("\n".join(texts), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / name), vocab_size=words, model_type=kind, minloglevel=2,
        normalization_rule_name="nmt_nfkc", hard_vocab_limit=False, num_threads=1,
    )
    return folder / f"{name}.model"


def names(file):
    model = sentencepiece.SentencePieceProcessor(model_file=str(file))
    return [model.id_to_piece(id) for id in range(model.get_piece_size())]


def marian(english, german, work, kind):
    """A MarianMT model whose ids have an order of their own, and lack some pieces. The free one ties nothing."""
    files = [pieces(english, work, "source", 1000), pieces(german, work, "target", 1000)]
    chance = random.Random(SEED)
    apart, free = kind == "marian-apart", kind == "marian-free"

    def ids(words):
        words = sorted(set(words) - {"<s>", "</s>", "<unk>"})
        words = [word for at, word in enumerate(words) if at % 40] + ["</s>", "<unk>", "<pad>", ">>deu<<"]
        chance.shuffle(words)
        return {word: at for at, word in enumerate(words)}

    source, target = ids(names(files[0])), ids(names(files[1]))
    if apart:
        for word in ("</s>", "<pad>", "<unk>"):  # one configuration names both sides' ids
            swap = next(key for key, at in target.items() if at == source[word])
            target[swap], target[word] = target[word], target[swap]
    else:
        source = target = ids(names(files[0]) + names(files[1]))
    (work / "vocab.json").write_text(json.dumps(source), encoding="utf-8")
    (work / "target_vocab.json").write_text(json.dumps(target), encoding="utf-8")
    tokenizer = transformers.MarianTokenizer(
        *map(str, files), str(work / "vocab.json"), str(work / "target_vocab.json") if apart else None,
        source_lang="en", target_lang="de", separate_vocabs=apart,
    )
    end, pad = source["</s>"], source["<pad>"]
    shape = SHAPE | ({"decoder_attention_heads": 2, "decoder_layers": 1, "tie_word_embeddings": False} if free else {})
    config = transformers.MarianConfig(
        **shape, vocab_size=len(source), decoder_vocab_size=len(target), eos_token_id=end, pad_token_id=pad,
        forced_eos_token_id=end, decoder_start_token_id=pad, activation_function="gelu" if apart else "swish",
        share_encoder_decoder_embeddings=not apart,
    )
    model = transformers.MarianMTModel(config)
    torch.nn.init.normal_(model.final_logits_bias, std=0.4)
    own = {"bad_words_ids": [[target["<pad>"]]], "forced_eos_token_id": end, "max_length": 40}
    if apart:
        own |= {"max_length": 12, "length_penalty": 0.6, "early_stopping": True, "renormalize_logits": True}  # many lines meet the limit
    return tokenizer, model, own, {}, {}


def m2m(english, german, work, _):
    file = pieces(english + german, work, "sentencepiece.bpe", 1200)
    words = ["<s>", "<pad>", "</s>", "<unk>"] + [word for word in names(file) if word not in ("<s>", "</s>", "<unk>")]
    (work / "vocab.json").write_text(json.dumps({word: at for at, word in enumerate(words)}), encoding="utf-8")
    tokenizer = transformers.M2M100Tokenizer(str(work / "vocab.json"), str(file), src_lang="en", tgt_lang="de")
    config = transformers.M2M100Config(**SHAPE, vocab_size=len(words) + 108, decoder_start_token_id=2)
    german = tokenizer.get_lang_id("de")
    return tokenizer, transformers.M2M100ForConditionalGeneration(config), {"max_length": 40}, {"forced_bos_token_id": german}, {"lang": german}


def nllb(english, german, work, _):
    file = pieces(english + german, work, "sentencepiece.bpe", 1200, "bpe")
    tokenizer = transformers.NllbTokenizer.from_pretrained(
        str(work), extra_special_tokens=FAIRSEQ_LANGUAGE_CODES, src_lang="eng_Latn", tgt_lang="deu_Latn",
    )
    config = transformers.M2M100Config(
        **SHAPE, vocab_size=len(tokenizer), decoder_start_token_id=2, activation_function="relu"
    )
    german = tokenizer.convert_tokens_to_ids("deu_Latn")
    return tokenizer, transformers.M2M100ForConditionalGeneration(config), {"max_length": 40}, {"forced_bos_token_id": german}, {"lang": german, "spm": file}


KINDS = {"marian": marian, "marian-apart": marian, "marian-free": marian, "m2m": m2m, "nllb": nllb}


def train(model, tokenizer, english, german, prefix):
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
    pairs = list(zip(english, german))
    chance, pad = random.Random(SEED), model.config.pad_token_id
    for update in range(UPDATES):
        chosen = chance.sample(pairs, BATCH)
        batch = tokenizer([a for a, _ in chosen], return_tensors="pt", padding=True)
        labels = tokenizer(text_target=[b for _, b in chosen], return_tensors="pt", padding=True)["input_ids"]
        labels[labels == pad] = -100
        for group in optimiser.param_groups:
            group["lr"] = 3e-3 * min((update + 1) / 50, 1 - update / UPDATES * 0.8)
        loss = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], labels=labels).loss
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if update % 100 == 99:
            print(f"  update {update + 1}: {loss.item():.3f}", flush=True)


def text(tokenizer, ids, forced):
    """The text of `ids`. The word of the language is no part of it; `transformers` 5 shows M2M-100's."""
    shown = [id for id in ids.tolist() if id not in forced.values()]
    return tokenizer.decode(shown, skip_special_tokens=True)


def margin(steps, end):
    """The least margin by which a beam of four kept a hypothesis, from the scores of all steps."""
    running, least = torch.tensor([0.0, -1e9, -1e9, -1e9]), 9.0
    for step in steps:
        total = (step + running[:, None]).flatten()
        live = (step + running[:, None]).index_fill(1, torch.tensor([end]), -torch.inf).flatten()
        for candidates in (total, live):
            best = candidates.topk(5).values
            if best[4] > -1e8:
                least = min(least, float(best[3] - best[4]))
        running = live.topk(4).values.clamp(min=-1e9)
    return least


def generate(model, tokenizer, lines, forced):
    """Greedy translations and translations by a beam of four, with scores and the least margins."""
    greedy, beam, scores, margins, wide = [], [], [], [], []
    for line in lines:
        given = tokenizer([line], return_tensors="pt")
        one = model.generate(**given, **forced, num_beams=1, do_sample=False, output_scores=True, return_dict_in_generate=True)
        best = [step[0].topk(2).values for step in one.scores]
        margins.append(min((float(pair[0] - pair[1]) for pair in best if torch.isfinite(pair).all()), default=9.0))
        greedy.append(text(tokenizer, one.sequences[0], forced))
        four = model.generate(**given, **forced, num_beams=4, do_sample=False, output_scores=True, return_dict_in_generate=True)
        beam.append(text(tokenizer, four.sequences[0], forced))
        scores.append(float(four.sequences_scores[0]))
        wide.append(margin(four.scores, model.config.eos_token_id))
    return greedy, beam, scores, margins, wide


def make(kind, english, german, lines):
    folder = GOLDENS / kind
    shutil.rmtree(folder, ignore_errors=True)
    torch.manual_seed(SEED)
    with tempfile.TemporaryDirectory() as work:
        tokenizer, model, generation, forced, extra = KINDS[kind](english, german, Path(work), kind)
        train(model, tokenizer, english, german, extra)
        model.eval()
        # The file holds halves, except of one model; the translations are those of the stored values.
        stored = model if kind == "marian" else model.half()
        stored.generation_config = transformers.GenerationConfig(
            pad_token_id=model.config.pad_token_id, eos_token_id=model.config.eos_token_id,
            decoder_start_token_id=model.config.decoder_start_token_id, num_beams=4, **generation,
        )
        stored.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        if "spm" in extra:
            shutil.copy(extra["spm"], folder / "sentencepiece.bpe.model")
        (folder / "model.safetensors").chmod(0o644)
        model = type(model).from_pretrained(folder, dtype=torch.float32).eval()
        outputs = generate(model, tokenizer, lines, forced)
        ids = [tokenizer(line)["input_ids"] for line in lines]
    for name, lines in zip(("greedy.txt", "beam.txt", "beam.scores", "margins.txt", "beam.margins"), outputs):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / "ids.txt").write_text("".join(" ".join(map(str, line)) + "\n" for line in ids), encoding="utf-8")
    print(f"{kind}: {sum(file.stat().st_size for file in folder.iterdir()) // 1024} KiB", flush=True)


def main():
    torch.set_num_threads(1)
    english, german = (Path(path).read_text(encoding="utf-8").splitlines() for path in sys.argv[1:3])
    lines = LINES.read_text(encoding="utf-8").splitlines()[:SHOWN] + ODD
    GOLDENS.mkdir(parents=True, exist_ok=True)
    (GOLDENS / "lines.en").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for kind in sys.argv[3:] or KINDS:
        make(kind, english, german, lines)


if __name__ == "__main__":
    main()
