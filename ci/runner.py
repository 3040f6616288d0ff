"""Plays the runner of GitHub Actions for one job: steps of a workflow and of composite actions, their expressions, and the
files by which steps speak to the runner. Knows what this repository's workflows and action use, and refuses the rest.

The actions checkout, cache/restore, cache/save and upload-artifact are played with folders. Their contracts, as far as they are used:
https://docs.github.com/actions/reference (workflow commands, contexts, expressions), and each action's README.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import yaml

TOKEN = re.compile(r"\s*('(?:[^']|'')*'|[\w.-]+|==|!=|&&|\|\||[()])")
STATUS = re.compile(r"\b(always|success|failure)\(\)")


class Scope:
    """What expressions of a workflow, or of one composite action, see."""

    def __init__(self, contexts):
        self.contexts, self.steps, self.failed = contexts, {}, False

    def name(self, word):
        value = {**self.contexts, "steps": self.steps}
        for part in word.split("."):
            value = value.get(part, "") if isinstance(value, dict) else ""
        return value

    def value(self, expression):
        python, end = [], 0
        while expression[end:].strip():
            token = TOKEN.match(expression, end)
            if not token:
                raise ValueError(f"unknown expression {expression!r}")
            word, end = token[1], token.end()
            words = {"&&": "and", "||": "or", "always": "(lambda: True)", "success": "(lambda: not failed)",
                     "failure": "(lambda: failed)"}
            is_plain = word in ("==", "!=", "(", ")")
            python.append(words.get(word) or (word if is_plain else repr(self.literal(word))))
        return eval(" ".join(python), {"failed": self.failed})  # noqa: S307: made of the tokens above alone

    def literal(self, word):
        return word[1:-1].replace("''", "'") if word.startswith("'") else self.name(word)

    def filled(self, text):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(self.value(found[1])), str(text))

    def wants(self, condition):
        if condition is None:
            return not self.failed
        condition = re.sub(r"^\s*\$\{\{(.*)\}\}\s*$", r"\1", str(condition))
        return (bool(STATUS.search(condition)) or not self.failed) and bool(self.value(condition))


class Runner:
    """A runner whose folders lie below `folder`; caches stay from job to job. `actions` are the folders of other
    repositories' actions, `repository` is the one whose pull requests are played."""

    def __init__(self, folder, repository, actions, environment):
        self.folder, self.repository, self.actions = pathlib.Path(folder), repository, actions
        self.environment = environment
        self.cache = self.folder / "cache"

    def job(self, workflow, branch, base="main"):
        """Runs the only job of a workflow for a pull request of `branch`. Gives what happened."""
        self.workspace = pathlib.Path(tempfile.mkdtemp(dir=self.folder, prefix=f"{branch}-"))
        self.temp = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.summary, self.artifacts = self.temp / "summary.md", self.temp / "artifacts"
        self.summary.touch()
        self.path, self.variables = [], {}
        self.branch, self.log, self.ran = branch, "", []
        github = {"base_ref": base, "head_ref": branch, "workspace": str(self.workspace)}
        runner = {"os": "Linux", "arch": "X64", "temp": str(self.temp)}
        (job,) = yaml.safe_load(workflow)["jobs"].values()
        scope = Scope({"github": github, "runner": runner})
        self.run_steps(job["steps"], scope, "bash -e {0}")
        return scope

    def run_steps(self, steps, scope, shell):
        for step in steps:
            if not scope.wants(step.get("if")):
                continue
            self.ran.append(step.get("name", step.get("uses", "")))
            if "uses" in step:
                given = {name: scope.filled(value) for name, value in step.get("with", {}).items()}
                succeeded, outputs = self.use(step["uses"], given, scope)
            else:
                succeeded, outputs = self.run(step, scope, shell)
            scope.steps[step.get("id", "")] = {"outputs": outputs}
            scope.failed |= not succeeded

    def run(self, step, scope, shell):
        if step.get("shell") == "bash":
            shell = "bash --noprofile --norc -eo pipefail {0}"
        script = self.temp / "script.sh"
        script.write_text(scope.filled(step["run"]))
        files = {name: self.temp / name for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH")}
        for file in files.values():
            file.write_text("")
        own = {name: scope.filled(value) for name, value in step.get("env", {}).items()}
        path = ":".join([*self.path, self.environment["PATH"]])
        action = scope.contexts["github"].get("action_path")
        environment = {
            **self.environment, **self.variables, **own, **{name: str(file) for name, file in files.items()},
            "PATH": path, "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_WORKSPACE": str(self.workspace), "RUNNER_TEMP": str(self.temp),
            **({"GITHUB_ACTION_PATH": action} if action else {}),
        }  # fmt: skip
        command = shell.replace("{0}", str(script)).split()
        ended = subprocess.run(command, cwd=self.workspace, env=environment, stdin=subprocess.DEVNULL, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)  # fmt: skip
        self.log += ended.stdout
        self.path = [*reversed(files["GITHUB_PATH"].read_text().split("\n")[:-1]), *self.path]
        self.variables |= pairs(files["GITHUB_ENV"])
        return ended.returncode == 0, pairs(files["GITHUB_OUTPUT"])

    def use(self, action, given, scope):
        name = action.split("@")[0]
        played = {"actions/checkout": self.checkout, "actions/cache/restore": self.restore,
                  "actions/cache/save": self.save, "actions/upload-artifact": self.upload}  # fmt: skip
        return played[name](given) if name in played else self.composite(self.actions[name], given, scope)

    def composite(self, folder, given, scope):
        action = yaml.safe_load((folder / "action.yml").read_text())
        unknown = given.keys() - action["inputs"].keys()
        missing = {name for name, about in action["inputs"].items() if about.get("required")} - given.keys()
        if unknown or missing:
            raise ValueError(f"the action is given unknown {unknown}, and lacks {missing}")
        inputs = {name: given.get(name, about.get("default", "")) for name, about in action["inputs"].items()}
        github = {**scope.contexts["github"], "action_path": str(folder)}
        inner = Scope({**scope.contexts, "github": github, "inputs": inputs})
        for step in action["runs"]["steps"]:
            if "run" in step and "shell" not in step:
                raise ValueError(f"a step of a composite action needs a shell: {step}")
        self.run_steps(action["runs"]["steps"], inner, None)
        outputs = {name: inner.filled(about["value"]) for name, about in action.get("outputs", {}).items()}
        self.outputs = outputs
        return not inner.failed, outputs

    def checkout(self, given):
        place = self.workspace / given.get("path", "")
        place.mkdir(exist_ok=True)
        git = ["git", "-C", str(self.repository), "archive", given.get("ref", self.branch)]
        archive = subprocess.run(git, stdout=subprocess.PIPE, check=True)
        subprocess.run(["tar", "-x", "-C", str(place)], input=archive.stdout, check=True)
        return True, {}

    def restore(self, given):
        is_there = (self.cache / given["key"]).exists()
        if is_there:
            shutil.copytree(self.cache / given["key"], given["path"])
        return True, {"cache-hit": "true" if is_there else "", "cache-primary-key": given["key"]}

    def save(self, given):
        shutil.copytree(given["path"], self.cache / given["key"])
        return True, {}

    def upload(self, given):
        """Only warns of a path without files, as the action does by default."""
        place = self.workspace / given["path"]
        if place.exists():
            shutil.copytree(place, self.artifacts / given["name"])
        else:
            self.log += f"::warning::No files were found with the provided path: {place}\n"
        return True, {}


def pairs(file):
    """The lines NAME=VALUE of a file that a step has written."""
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


def environment(names=("HOME", "LANG", "PATH", "CARGO_TARGET_DIR", "CARGO_HOME", "RUSTUP_HOME", "SACREBLEU", "TMPDIR")):
    return {name: os.environ[name] for name in names if name in os.environ}
