"""slimt under the bench's protocol."""

import importlib.util
import os
import re
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from protocol import fail, options, serve  # noqa: E402

# Lines of a call, unless the campaign says otherwise. Those of a call share a shortlist and a greatest length, so that an
# answer depends on the lines beside it.
TOGETHER = 1


def library():
    """slimt's library alone: the package around it asks servers for lists of models when it is imported."""
    (path,) = Path(sysconfig.get_path("purelib"), "slimt").glob("_slimt*.so")
    spec = importlib.util.spec_from_file_location("_slimt", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def file(folder, *patterns):
    found = [path for pattern in patterns for path in sorted(folder.glob(pattern))]
    if not found:
        fail(f"slimt: {folder} lacks {' or '.join(patterns)}: unpack the files of Firefox there")
    return found[0]


def depth(content, key):
    """A number of the configuration, which Marian writes into its binary files as text."""
    found = re.search(rb"\b%s: (\d+)\n" % key.encode(), content)
    if not found:
        fail(f"slimt: the model names no `{key}`: give a file of Firefox Translations or Bergamot")
    return int(found[1])


class Engine:
    def __init__(self, chosen):
        slimt, folder = library(), Path(chosen.model)
        model, vocabulary = file(folder, "model*.bin"), file(folder, "vocab*.spm")
        content, config = model.read_bytes(), slimt.Config()
        config.encoder_layers, config.decoder_layers = depth(content, "enc-depth"), depth(content, "dec-depth")
        config.num_heads = depth(content, "transformer-heads")
        config.split_mode = chosen.settings["split"]
        package = slimt.Package(str(model), str(vocabulary), str(file(folder, "lex*.bin")))
        self.model, self.service = slimt.Model(config, package), slimt.Service(workers=chosen.cores, cache_size=0)
        self.together, self.calls = chosen.batch_lines or TOGETHER, ThreadPoolExecutor(chosen.cores)

    def translate(self, lines):
        """Answers in the order of the lines, `together` of them in a call."""
        parts = [lines[at : at + self.together] for at in range(0, len(lines), self.together)]
        return [answer.target.text for part in self.calls.map(self.call, parts) for answer in part]

    def call(self, lines):
        return list(self.service.translate(self.model, lines))


def main():
    chosen = options()
    engine = Engine(chosen)
    serve(chosen, engine.translate, engine.translate)


main()
