"""Training and search compute the same function: a forced word sequence gets the same logits from `decode`, which sees
all positions at once, and from `step`, which sees one; and padding never changes a sentence's results."""

import pytest
import torch
from test_marian_parity import CASES

from recipe.batches import padded
from recipe.models import build
from recipe.models.network import Network

RNN_FC = {"type": "rnn-fc", "dim-emb": 24, "source-depth": 3, "dim-source": 16, "dim-target": 20, "dim-attention": 12,
          "dim-fc": 28, "fc-depth": 7}
FAMILIES = CASES | {"rnn-fc": RNN_FC}
VOCAB = 50
SOURCES = [[5, 9, 12, 0], [7, 0], [21, 22, 23, 24, 25, 26, 0]]
TARGETS = [[31, 32, 33, 34, 0], [8, 40, 0], [11, 12, 0]]


def network_of(family: str) -> Network:
    torch.manual_seed(3)
    network = build(FAMILIES[family], VOCAB).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return network


def forced(network: Network, sources: list[list[int]], targets: list[list[int]]) -> torch.Tensor:
    source, mask = padded(sources)
    target, _ = padded(targets)
    return network.logits(network.decode(target, network.encode(source, mask.float())))


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_steps_equal_the_whole(family: str):
    network = network_of(family)
    source, mask = padded(SOURCES)
    target, _ = padded(TARGETS)
    memory = network.encode(source, mask.float())
    state, previous, stepped = network.start(memory), None, []
    for time in range(target.shape[1]):
        hidden, state = network.step(previous, time, state, memory)
        stepped.append(network.logits(hidden))
        previous = target[:, time]
    torch.testing.assert_close(torch.stack(stepped, 1), forced(network, SOURCES, TARGETS), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_padding_changes_nothing(family: str):
    network = network_of(family)
    together = forced(network, SOURCES, TARGETS)
    for index, (source, target) in enumerate(zip(SOURCES, TARGETS)):
        alone = forced(network, [source], [target])[0]
        torch.testing.assert_close(together[index, : len(target)], alone, atol=1e-4, rtol=1e-4)


def test_rnn_fc_weights_stay_in_range():
    network = network_of("rnn-fc")
    with torch.no_grad():
        network.at("fc_W1").mul_(100)
    network.clip_weights()
    assert all(parameter.abs().max() <= 1 for parameter in network.parameters())
