"""Makes a package of Argos Translate: `argos.py CT2_FOLDER VOCABULARY FOLDER`.

Its splitter of sentences is a graph of one table: a line ends nowhere but at its end.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Classes of a character: inside a word is 0, the end of a token 1.
CLASSES = 5
SPACE = 4

model, vocabulary, folder = map(Path, sys.argv[1:])
package = folder / "translate-en_de-1_0"
shutil.copytree(model, package / "model")
shutil.copyfile(vocabulary, package / "sentencepiece.model")
facts = {"package_version": "1.0", "argos_version": "1.5", "from_code": "en", "from_name": "English",
         "to_code": "de", "to_name": "German"}
(package / "metadata.json").write_text(json.dumps(facts), encoding="utf-8")

table = np.zeros((SPACE + 1, CLASSES), dtype=np.float32)
table[:, 0] = 1
table[SPACE, 1] = 2
graph = helper.make_graph(
    [helper.make_node("Gather", ["table", "units"], ["scores"], axis=0)], "splitter",
    [helper.make_tensor_value_info("units", TensorProto.INT64, ["batch", "length"]),
     helper.make_tensor_value_info("features", TensorProto.FLOAT, ["batch", "length", "features"])],
    [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", "length", CLASSES])],
    [numpy_helper.from_array(table, "table")])
splitter = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
units = ["<PAD>", "<UNK>", "<EMPTY>", "<ROOT>", " "]
vocab = {"lang": "en", "idx": 0, "cutoff": 0, "lower": False, "_id2unit": units,
         "_unit2id": {unit: at for at, unit in enumerate(units)}}
helper.set_model_props(splitter, {"lang_code": "en", "vocab": json.dumps(vocab),
                                  "config": json.dumps({"feat_funcs": ["space_before"]})})
(package / "minisbd").mkdir()
onnx.save(splitter, package / "minisbd" / "en.onnx")
