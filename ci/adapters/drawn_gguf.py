"""Rewrites a drawn GGUF file with all weights in F16, `drawn_gguf.py FROM TO`, and the keys that other readers want."""

import sys

import gguf
from gguf.quants import dequantize

source = gguf.GGUFReader(sys.argv[1])
name = source.fields["general.architecture"].contents()
made = gguf.GGUFWriter(sys.argv[2], name)
made.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
for key, field in source.fields.items():
    if not key.startswith("GGUF.") and key != "general.architecture":
        made.add_key_value(key, field.contents(), field.types[0], field.types[-1] if len(field.types) > 1 else None)
for tensor in source.tensors:
    values = dequantize(tensor.data, tensor.tensor_type)
    made.add_tensor(tensor.name, values if values.ndim == 1 else values.astype("float16"))
made.write_header_to_file()
made.write_kv_data_to_file()
made.write_tensors_to_file()
made.close()
