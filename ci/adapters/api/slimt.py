"""slimt's own way, `MODEL LINES`: a service of one worker that gets one text after another."""

import importlib.util
import sys
import sysconfig
from pathlib import Path

(path,) = Path(sysconfig.get_path("purelib"), "slimt").glob("_slimt*.so")
spec = importlib.util.spec_from_file_location("_slimt", path)
slimt = importlib.util.module_from_spec(spec)
spec.loader.exec_module(slimt)

folder, lines = map(Path, sys.argv[1:])
config = slimt.Config()
config.encoder_layers, config.decoder_layers, config.num_heads = 6, 1, 4  # those of the shipped `ssru`
config.split_mode = "sentence"
package = slimt.Package(*(str(folder / name) for name in ["model.intgemm.alphas.bin", "vocab.spm", "lex.s2t.bin"]))
model, service = slimt.Model(config, package), slimt.Service(workers=1, cache_size=0)
for line in lines.open(encoding="utf-8"):
    print(service.translate(model, [line.rstrip("\n")])[0].target.text)
