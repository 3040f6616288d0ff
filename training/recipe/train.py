"""Stage: trains one network from its TOML file, resuming where an earlier run stopped.

Adam or Muon, linear warm-up, a plateau, a linear fall; gradients averaged over target tokens and clipped; weights averaged
exponentially for validation by greedy BLEU on the validation sets. A killed run loses at most `checkpoint_minutes`.
"""

import argparse
import json
import signal
import time
from pathlib import Path

import torch

from recipe import checkpoint, validation
from recipe import vocab as vocabulary
from recipe.batches import Batch, Corpus
from recipe.config import Config, Training, load
from recipe.files import Places
from recipe.loss import smoothed_cross_entropy
from recipe.models import build
from recipe.optimisers import Optimisers
from recipe.recordings import Recordings, rung
from recipe.search import Settings
from recipe.translating import precision


def learning_rate(training: Training, update: int, progress: float) -> float:
    """Of update 1, 2, …: up over `warmup`, flat, then down a straight line to the floor at the run's end (progress 1)."""
    up = min(1.0, update / training.warmup)
    fallen = max(0.0, (progress - training.decay_from) / max(1e-9, 1.0 - training.decay_from))
    return training.learning_rate * up * (1.0 - (1.0 - training.floor) * min(1.0, fallen))


def fresh_tally() -> dict:
    """What the next line of the log is about. CPU seconds tell the speed on a machine that others use, too."""
    return {"loss": torch.zeros(()), "tokens": 0, "since": time.monotonic(), "cpu_since": time.process_time()}


class Run:
    """A training run's whole state, and its loop."""

    def __init__(self, config: Config, places: Places, device: str, bf16: bool, minutes: float, within: float = 0.0):
        self.config, self.places, self.device, self.bf16 = config, places, device, bf16
        self.folder = places.work / config.name
        self.began, self.within = time.monotonic(), 60 * within
        self.deadline = self.began + 60 * minutes
        self.vocab = vocabulary.load(places)
        training = config.training
        torch.manual_seed(training.seed)
        self.network = build(config.marian, len(self.vocab), training.dropout).to(device)
        if training.start_from:
            self.network.load_state_dict(checkpoint.load(places.work / training.start_from)["weights"])
        self.parameters = list(self.network.parameters())
        self.averages = [parameter.detach().clone() for parameter in self.parameters]
        self.optimisers = Optimisers(self.network, training.optimiser)
        on_gpu = torch.device(device).type == "cuda"
        self.recordings = Recordings(self.gradients, self.parameters, training.batch_tokens) if on_gpu else None
        self.updates, self.pass_number, self.batches_done, self.best = 0, 0, 0, 0.0
        self.corpus = Corpus(places, config.corpora, self.vocab, training.sample_alpha)
        self.tally = fresh_tally()
        self.saved_at = time.monotonic()

    def stop_soon(self) -> None:
        """Ends after the update in progress, with everything saved."""
        self.deadline = 0.0

    # Persistence

    def averaged_weights(self) -> dict:
        names = [name for name, _ in self.network.named_parameters()]
        return {name: average.cpu() for name, average in zip(names, self.averages)}

    def save(self) -> None:
        checkpoint.save(self.folder / "last.pt", {
            "network": self.network.state_dict(), "averages": self.averages, "optimisers": self.optimisers.state(),
            "random": torch.get_rng_state(),
            "position": [self.updates, self.pass_number, self.batches_done], "best": self.best,
        })
        self.saved_at = time.monotonic()

    def resume(self) -> None:
        path = self.folder / "last.pt"
        if not path.exists():
            return
        state = checkpoint.load(path)
        self.network.load_state_dict(state["network"])
        self.optimisers.resume(state["optimisers"])
        for average, saved in zip(self.averages, state["averages"]):
            average.copy_(saved)
        torch.set_rng_state(state["random"])
        self.updates, self.pass_number, self.batches_done = state["position"]
        self.best = state["best"]
        self.log(event="resumed")

    def log(self, **facts) -> None:
        line = json.dumps({"time": time.strftime("%H:%M:%S"), "update": self.updates, **facts})
        print(line, flush=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "log.jsonl", "a", encoding="utf-8") as file:
            file.write(line + "\n")

    # The loop

    def progress(self) -> float:
        """From 0 to 1: the part of the updates that is done, or of the time that is to suffice."""
        done = self.updates / self.config.training.updates
        return max(done, (time.monotonic() - self.began) / self.within) if self.within else done

    def go(self) -> None:
        """Until the configured updates are done, or the time is up (then the run can be resumed)."""
        self.resume()
        count = sum(parameter.numel() for parameter in self.parameters)
        self.log(event="start", parameters=count, pairs=len(self.corpus.sources))
        while self.progress() < 1.0:
            training = self.config.training
            for batch in self.corpus.pass_over(training.seed, self.pass_number, training.batch_tokens,
                                               self.batches_done, rung if self.recordings else int):
                self.update(batch)
                self.batches_done += 1
                if self.progress() >= 1.0:
                    break
                if time.monotonic() > self.deadline:
                    self.save()
                    self.log(event="time is up")
                    return
            else:
                self.pass_number, self.batches_done = self.pass_number + 1, 0
        self.validate()
        self.save()
        path = self.folder / "final.pt"
        checkpoint.save_weights(path, self.config.marian, len(self.vocab), self.averaged_weights())
        self.log(event="done", best=self.best)

    def update(self, batch: Batch) -> None:
        training = self.config.training
        self.network.train()
        if self.recordings:
            loss = self.recordings.gradients(batch, self.device)
        else:
            loss = self.gradients(batch.on(self.device))
        tokens = len(batch.real)
        torch.nn.utils.clip_grad_norm_(self.parameters, training.clip_norm, foreach=True)
        self.optimisers.step(learning_rate(training, self.updates + 1, self.progress()))
        self.network.clip_weights()
        self.updates += 1
        # A short memory at first, so that the average is not stuck at the random start.
        decay = min(training.average_decay, (1 + self.updates) / (10 + self.updates))
        torch._foreach_lerp_(self.averages, [p.detach() for p in self.parameters], 1.0 - decay)
        self.tally["loss"] = self.tally["loss"] + tokens * loss.detach()  # not read here: that would wait for the device
        self.tally["tokens"] += tokens
        self.after_update()

    def gradients(self, batch: Batch) -> torch.Tensor:
        """The batch's loss; its gradients are in the parameters afterwards."""
        loss = self.loss(batch)
        loss.backward()
        return loss

    def loss(self, batch: Batch) -> torch.Tensor:
        """The mean over the batch's real target words."""
        with precision(self.device, self.bf16):
            memory = self.network.encode(batch.source, batch.source_mask)
            hidden = self.network.decode(batch.target, memory)                 # [B, T, D]
            logits = self.network.logits(hidden.flatten(0, 1)[batch.real])     # [N, V]: padding costs no softmax
        return smoothed_cross_entropy(logits, batch.labels, self.config.training.label_smoothing)

    def after_update(self) -> None:
        training = self.config.training
        if self.updates % 100 == 0:
            tally = self.tally
            self.log(loss=round(tally["loss"].item() / tally["tokens"], 4), pass_number=self.pass_number, tokens=tally["tokens"],
                     tokens_per_second=round(tally["tokens"] / (time.monotonic() - tally["since"])),
                     tokens_per_cpu_second=round(tally["tokens"] / (time.process_time() - tally["cpu_since"])))
            self.tally = fresh_tally()
        if self.updates % training.snapshot_every == 0:
            checkpoint.snapshot(self.folder / "snapshots", self.updates, self.config.marian, len(self.vocab),
                                self.network.state_dict())
        if self.updates % training.validate_every == 0:
            self.validate()
        if time.monotonic() - self.saved_at > 60 * training.checkpoint_minutes:
            self.save()
        self.places.wait_while_paused()

    def validate(self) -> None:
        """Greedy BLEU of the averaged weights on the validation sets; keeps the weights with the best mean."""
        began, cpu_began = time.monotonic(), time.process_time()
        probe = build(self.config.marian, len(self.vocab)).to(self.device).eval()
        probe.load_state_dict(self.averaged_weights())
        sets = validation.sets_while_training(self.places, self.config)
        found = validation.translated([probe], self.vocab, sets, Settings(), self.bf16)
        scores = validation.bleus(found, sets)
        bleu = validation.mean(scores)
        self.log(event="validated", bleu=round(bleu, 2), seconds=round(time.monotonic() - began, 1),
                 sets={name: round(score, 2) for name, score in scores.items()},
                 samples=[lines[0] for lines in found.values()])
        if bleu > self.best:
            self.best = bleu
            path = self.folder / "best.pt"
            checkpoint.save_weights(path, self.config.marian, len(self.vocab), self.averaged_weights())
        self.tally["since"] += time.monotonic() - began
        self.tally["cpu_since"] += time.process_time() - cpu_began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    Places.add_options(parser)
    parser.add_argument("config", type=Path, help="configs/<model>.toml")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=1, help="one process a core does more than one of many threads")
    parser.add_argument("--float32", action="store_true", help="no bfloat16 products (for CPUs without them: faster)")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop, resumable, after this time")
    parser.add_argument("--within", type=float, default=0.0,
                        help="end after so many minutes, the learning rate fallen, if the updates are not done before")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    run = Run(load(options.config), Places.of(options), options.device, not options.float32, options.minutes,
              options.within)
    signal.signal(signal.SIGTERM, lambda *_: run.stop_soon())
    run.go()


if __name__ == "__main__":
    main()
