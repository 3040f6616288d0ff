"""Sockeye as a system: table 4 of Marian's paper of 2018 has it, with a Transformer-base and beam 5.

    sockeye_system.py --model MODEL --track TRACK --cores CORES --batch WORDS    # the bench's protocol for adapters
    sockeye_system.py draw MODEL

The network has drawn weights and never ends a sentence early: translations are as long as their sources. Any python3 may
start it: it goes on in the environment of the sentence encoders, beside which `prepare-encoders` puts Sockeye. Its package
asks for an older PyTorch, but runs on today's.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PREPARED = HERE / "prepared-encoders"
ENVIRONMENT = PREPARED / "environment"
if Path(sys.prefix).resolve() != ENVIRONMENT.resolve():
    python = str(ENVIRONMENT / "bin/python3")
    os.execv(python, [python, *sys.argv])
sys.path += [str(PREPARED / "sockeye"), str(HERE.parents[1] / "backends/adapters")]

from protocol import options, serve

import torch
from sockeye import constants, data_io, encoder, inference, model, transformer

from rows import frequent_words

# As many words as the students of the campaign have, and their dimensions: Transformer-base.
WORDS, LONGEST = 36_000, 512
# So improbable that no sentence ends before its greatest length.
NEVER = -1e4


def network(vocabulary):
    """A Transformer-base with one matrix for both sides' vectors and the output."""
    block = {"model_size": 512, "attention_heads": 8, "feed_forward_num_hidden": 2048, "act_type": "relu",
             "num_layers": 6, "dropout_attention": 0.0, "dropout_act": 0.0, "dropout_prepost": 0.0,
             "positional_embedding_type": "fixed", "preprocess_sequence": "n", "postprocess_sequence": "r",
             "max_seq_len_source": LONGEST, "max_seq_len_target": LONGEST, "depth_key_value": 512}
    vectors = {"vocab_size": len(vocabulary), "num_embed": 512, "dropout": 0.0}
    lengths = data_io.DataStatistics(*[0] * 10, 1.0, 0.0, [], [], [])
    return model.SockeyeModel(model.ModelConfig(
        config_data=data_io.DataConfig(lengths, LONGEST, LONGEST, 1, 1),
        vocab_source_size=len(vocabulary), vocab_target_size=len(vocabulary),
        config_embed_source=encoder.EmbeddingConfig(**vectors), config_embed_target=encoder.EmbeddingConfig(**vectors),
        config_encoder=transformer.TransformerConfig(**block), config_decoder=transformer.TransformerConfig(**block)))


def draw(made, path):
    torch.manual_seed(1)
    made.apply(model.initialize_parameters)
    with torch.no_grad():
        made.output_layer.bias[constants.EOS_ID] = NEVER
    torch.save(made.state_dict(), path)


def translator(chosen, vocabulary, made):
    """A function from a batch of lines to their translations."""
    torch.set_num_threads(chosen.cores)
    made.load_state_dict(torch.load(chosen.model))
    engine = inference.Translator(
        device=torch.device("cpu"), ensemble_mode="linear", scorer=inference.CandidateScorer(1.0, 0.0, 0.0),
        batch_size=chosen.batch, beam_size=5, beam_search_stop="all", models=[made.eval()],
        source_vocabs=[vocabulary], target_vocabs=[vocabulary], max_output_length_num_stds=0)

    def translate(lines):
        inputs = [inference.make_input_from_plain_string(at, line) for at, line in enumerate(lines)]
        return [output.translation for output in engine.translate(inputs, fill_up_batches=False)]

    return translate


def main():
    vocabulary = {word: at for at, word in enumerate(constants.VOCAB_SYMBOLS + frequent_words(WORDS))}
    made = network(vocabulary)
    if sys.argv[1:2] == ["draw"]:
        draw(made, sys.argv[2])
    else:
        chosen = options()
        serve(chosen, translator(chosen, vocabulary, made))


main()
