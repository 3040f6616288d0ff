"""The models of `check`, one for each adapter, and how the engine's own API translates with them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Most pieces of a translation of `opus`: it doesn't end every line by itself.
MOST = 100
GOLDENS = ROOT / "backends/transformer-aan/tests/goldens/hugging-face"
sys.path.insert(0, str(ROOT / "ci/peers"))


class Case:
    """A model, settings of the adapter, and `api`: from a file of lines to the answers of the engine itself."""

    def __init__(self, model, settings, api):
        self.model, self.settings, self.api = model, settings, api


def answers(command, environment=None, stdin=None):
    """Lines that a command prints."""
    variables = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", **(environment or {})}
    done = subprocess.run([str(word) for word in command], stdin=stdin, stdout=subprocess.PIPE, check=True,
                          env=variables)
    return done.stdout.decode().removesuffix("\n").split("\n")


def opus(check):
    """A trained MarianMT directory of two layers, in OPUS-MT's layout: <pad> is last, and its vector zero."""
    made = check.scratch / "opus-mt"
    if not made.is_dir():
        python = check.python("ctranslate2")
        subprocess.run([python, HERE / "opus.py", GOLDENS / "marian", made], check=True)
    return made


def packages(python):
    """Folder of an environment's packages."""
    return answers([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])[0]


def ctranslate2(check):
    model, python = opus(check), check.python("ctranslate2")

    def api(lines):
        """CTranslate2's own converter needs PyTorch, which the environment of transformers has."""
        converted = check.scratch / "own-ctranslate2"
        command = [check.python("transformers"), HERE / "api/ctranslate2.py", model, lines, converted, MOST]
        return answers(command, {"PYTHONPATH": packages(python)})

    return Case(model, {"precision": "int8", "beam": 1, "max-length": MOST}, api)


def transformers(check):
    model, python = opus(check), check.python("transformers")
    command = [python, HERE / "api/transformers.py", model]
    return Case(model, {"beam": 1, "max-length": MOST}, lambda lines: answers([*command, lines, MOST]))


def marian(check):
    """The shipped translator `ssru` in Marian's int8, with its shortlist; the API is marian-decoder itself."""
    import environment

    shipped, folder, python = ROOT / "models/ssru", check.scratch / "ssru", check.python("marian")
    vocabulary = shipped / "vocab.spm"
    if not folder.is_dir():
        folder.mkdir()
        subprocess.run([environment.python(), ROOT / "ci/peers/shipped.py", shipped, folder], check=True)
    model, shortlist = folder / "model.intgemm8.bin", f"{folder / 'lex.s2t'} 100 50"
    program = "import sys, _pymarian; sys.exit(_pymarian.main(sys.argv[1:]))"
    command = [python, "-c", program, "decode", "--models", model, "--vocabs", vocabulary, vocabulary,
               "--shortlist", *shortlist.split(), "--beam-size", 1, "--mini-batch", 1, "--cpu-threads", 1,
               "--quiet", "--quiet-translation", "--max-length-factor", 3, "--skip-cost"]

    def api(lines):
        with open(lines, encoding="utf-8") as file:
            return answers(command, stdin=file)

    return Case(model, {"vocabulary": str(vocabulary), "shortlist": shortlist}, api)


def fxtranslate(check):
    """The shipped translator `ssru` in the form of Firefox's files."""
    import environment

    model, python = check.scratch / "firefox", check.python("fxtranslate")
    if not model.is_dir():
        subprocess.run([environment.python(), HERE / "firefox.py", ROOT / "models/ssru", model], check=True)
    return Case(model, {}, lambda lines: answers([python, HERE / "api/fxtranslate.py", model, lines]))


def slimt(check):
    """The same files, with a shortlist whose last word has an entry: slimt ends at one without."""
    model, python = check.scratch / "slimt", check.python("slimt")
    if not model.is_dir():
        shutil.copytree(fxtranslate(check).model, model)
        subprocess.run([sys.executable, HERE / "shortlist.py", model / "lex.s2t.bin"], check=True)
    return Case(model, {}, lambda lines: answers([python, HERE / "api/slimt.py", model, lines]))


def apertium(check):
    """Debian's pair of English and Spanish; the API is the command `apertium`, which starts its programs for each line."""
    check.python("apertium")
    model = Path("/usr/share/apertium/apertium-eng-spa")
    if not model.is_dir():
        raise FileNotFoundError(f"{model}: apt install apertium-eng-spa")

    def api(lines):
        texts = lines.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        told = [subprocess.run(["apertium", "-u", "eng-spa"], input=f"{text}\n", capture_output=True, text=True,
                               check=True).stdout for text in texts]
        return [text.removesuffix("\n") for text in told]

    return Case(model, {}, api)


def maker():
    """Python that writes files of models."""
    import environment

    return environment.interpreter(str(HERE / "requirements.txt"), "0.2 GB", ["--no-deps"])


def exporter():
    """Python with Optimum, which exports graphs and is onnxruntime's own way to run them."""
    import environment

    return environment.interpreter(str(HERE / "requirements-optimum.txt"), "4.5 GB", ["--no-deps"])


def graphs(check, merged):
    """`opus` as Optimum exports it, with the merged decoder or with the pair alone."""
    made = check.scratch / ("graphs" if merged else "graphs-pair")
    if not made.is_dir():
        program = "import sys; from optimum.exporters.onnx import main_export as export; " \
                  "export(sys.argv[1], sys.argv[2], task='text2text-generation-with-past', do_validation=False, " \
                  f"no_post_process={not merged})"
        subprocess.run([exporter(), "-c", program, opus(check), made], check=True, stdout=subprocess.DEVNULL)
    return made


def openvino(check):
    model = graphs(check, merged=False)
    command = [check.python("openvino"), HERE / "api/openvino.py", model]
    return Case(model, {"max-length": MOST}, lambda lines: answers([*command, lines, MOST]))


def onnxruntime(check):
    model = graphs(check, merged=True)
    command = [exporter(), HERE / "api/onnxruntime.py", model]
    return Case(model, {"max-length": MOST}, lambda lines: answers([*command, lines, MOST]))


def libretranslate(check):
    """The shipped translator `selfatt` as a package of Argos Translate, whose own API the server calls."""
    import environment

    folder, packages = check.scratch / "selfatt", check.scratch / "argos"
    python = check.python("libretranslate")
    if not packages.is_dir():
        folder.mkdir()
        shipped = ROOT / "models/selfatt"
        subprocess.run([environment.python(), ROOT / "ci/peers/shipped.py", shipped, folder], check=True)
        made = [maker(), HERE / "argos.py", folder / "ct2", shipped / "vocab.spm", packages]
        subprocess.run(made, check=True)
    home = str(check.scratch)
    variables = {"ARGOS_PACKAGES_DIR": str(packages), "ARGOS_BEAM_SIZE": "1", "ARGOS_INTRA_THREADS": "1",
                 "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home}
    return Case(packages, {}, lambda lines: answers([python, HERE / "api/libretranslate.py", lines], variables))


DRAWN = ROOT / "backends/decoder-only/tests/goldens"


def prompted(check, name, model, opened=None, **further):
    """The case of a language model, which the API opens as `opened`; `further` are settings of the adapter alone."""
    message = "Translate this:\n{line}"
    command = [check.python(name), HERE / f"api/{name}.py", opened or model]
    settings = {"prompt": message, "max-length": 20, "max-length-factor": 1000, **further}
    return Case(model, settings, lambda lines: answers([*command, lines, message, 20]))


def llama_cpp(check):
    """A drawn language model of two layers."""
    return prompted(check, "llama.cpp", DRAWN / "qwen3.gguf")


def openvino_genai(check):
    """A drawn language model of two layers, with its weights in F16."""
    model, graphs = check.scratch / "qwen2.gguf", check.scratch / "qwen2-graphs"
    if not model.is_file():
        subprocess.run([maker(), HERE / "drawn_gguf.py", DRAWN / "qwen2.gguf", model], check=True)
    convert = ROOT / "backends/adapters/openvino-genai/convert.py"
    if not graphs.is_dir():
        subprocess.run([check.python("openvino-genai"), convert, model, graphs], check=True)
    return prompted(check, "openvino-genai", model, graphs)


def onnxruntime_genai(check):
    """A drawn language model of two layers as onnxruntime's graph, in f32."""
    model = check.scratch / "qwen2"
    if not model.is_dir():
        subprocess.run([maker(), HERE / "genai.py", DRAWN / "qwen2.gguf", model], check=True)
    return prompted(check, "onnxruntime-genai", model, context=512)


def http(check):
    """A server that answers each line with itself, after a sleep."""
    model = check.scratch / "no-model"
    model.mkdir(exist_ok=True)
    (model / "none").write_text("none\n", encoding="utf-8")
    command = f"python3 {ROOT / 'ci/server/sleeping_http.py'} {{port}} 0.002"
    settings = {"command": command, "request": '{ "text": "{line}" }', "answer": "answers.0.text"}
    return Case(model, settings, lambda lines: lines.read_text(encoding="utf-8").removesuffix("\n").split("\n"))


CASES = {
    "apertium": apertium,
    "ctranslate2": ctranslate2,
    "fxtranslate": fxtranslate,
    "http": http,
    "libretranslate": libretranslate,
    "llama.cpp": llama_cpp,
    "marian": marian,
    "onnxruntime": onnxruntime,
    "onnxruntime-genai": onnxruntime_genai,
    "openvino": openvino,
    "openvino-genai": openvino_genai,
    "slimt": slimt,
    "transformers": transformers,
}
