#!/usr/bin/env python3
"""Makes the study of one benchmark out of a study of many, and says how long studies take.

    studies.py names PART                   names of the benchmarks in PART.toml
    studies.py peers PART NAME              which other solvers run on the benchmark
    studies.py write PART NAME OUT          OUT/studies/PART-NAME.toml, and OUT/studies/PART-half-NAME.toml: the
                                            solver alone with half the time
    studies.py plan OUT JOBS PART[:NAME]…   seconds of each step, by the limits in the files

Options of `write` and `plan`: `--without METHOD` leaves a method out, `--trial` makes everything tiny.
"""

import argparse
import json
import math
import re
import shutil
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What each peer can read: CP-SAT takes no continuous columns.
PEERS = {"MMCNP": ["scip", "cpsat", "balans"], "bnd_series_2": ["scip", "balans"]}
PEERS_IN = ("ten", "sixty")
MODELS = {"pas": "pas", "pas+": "anonymous", "id-pas+": "identity", "idpas": "identity"}
NOT_TUNED = ("solver", "warm-start", "oracle")
# A trial: every step with as little work as it takes.
TINY = {"epochs": "1", "count": "1", "budget": "2", "train": "3", "validation": "1", "test": "2"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("names")
    command.add_argument("part")
    command = commands.add_parser("peers")
    command.add_argument("part")
    command.add_argument("name")
    for name in ("write", "plan"):
        command = commands.add_parser(name)
        command.add_argument("--without", action="append", default=[], metavar="METHOD")
        command.add_argument("--trial", action="store_true")
        if name == "write":
            command.add_argument("part")
            command.add_argument("name")
            command.add_argument("out", type=Path)
        else:
            command.add_argument("out", type=Path)
            command.add_argument("jobs", type=int)
            command.add_argument("parts", nargs="+")
    arguments = parser.parse_args()
    if arguments.command == "names":
        for benchmark in tomllib.loads(text_of(arguments.part, arguments))["benchmark"]:
            print(benchmark["name"])
    elif arguments.command == "peers":
        print("\n".join(peers_of(arguments.part, arguments.name)))
    elif arguments.command == "write":
        write(arguments)
    else:
        plan(arguments)


def text_of(part, arguments):
    """The text of a study file, without the methods that are left out, tiny if it is a trial."""
    text = (HERE / f"{part}.toml").read_text()
    for method in getattr(arguments, "without", []):
        quoted = re.escape(f'"{method}"')
        text = re.sub(rf"(?m)^((?:methods|omit) = \[.*?)(?:{quoted}, |, {quoted}|{quoted})", r"\1", text)
    if getattr(arguments, "trial", False):
        text = re.sub(r"(?m)^time_limit = \d+", "time_limit = 1", text)
        # Without a pool there is nothing to try; benchmarks that say more themselves need it.
        text = re.sub(r"(?m)^(\[collect\]\n)time_limit = \d+", r"\1time_limit = 5", text)
        for key, value in TINY.items():
            text = re.sub(rf"(?m)^{key} = \d+", f"{key} = {value}", text)
    return text


def blocks(text):
    """What comes before the benchmarks, then each of them; comments above a benchmark stay with the one before."""
    parts = re.split(r"(?m)^(?=\[\[benchmark\]\])", text)
    return [re.sub(r"(?m)^#.*\n", "", part) for part in parts]


def write(arguments):
    part, name, out = arguments.part, arguments.name, arguments.out
    head, *benchmarks = blocks(text_of(part, arguments))
    chosen = [block for block in benchmarks if f'name = "{name}"' in block]
    if len(chosen) != 1:
        raise SystemExit(f"{part}.toml: no benchmark is called `{name}`")
    block = chosen[0].rstrip("\n") + "\n"
    folder = out / "studies"
    folder.mkdir(parents=True, exist_ok=True)
    study = tomllib.loads(head + block)
    models = reused(study, name, out) if part == "sixty" else {}
    if models:
        pairs = ", ".join(f'"{label}" = "../{path}"' for label, path in models.items())
        block += f"models = {{ {pairs} }}\n"
    (folder / f"{part}-{name}.toml").write_text(head + block)
    test = study["benchmark"][0]
    half = (
        f'name = "{study["name"]}: the solver with half the time"\n'
        f'time_limit = {study["time_limit"] / 2}\nmethods = ["solver"]\n\n'
        f'[[benchmark]]\nname = "{name}"\ninstances = "{test["instances"]}"\n'
        f'test_instances = "{test["test_instances"]}"\ntest = {test["test"]}\n'
    )
    (folder / f"{part}-half-{name}.toml").write_text(half)


def reused(study, name, out):
    """Models of `ten` with their settings beside them, by label, as paths below `out`."""
    made = out / "ten" / name / name
    try:
        outline = json.loads((made / "benchmark.json").read_text())
    except FileNotFoundError:
        return {}
    models = {}
    for method in outline["methods"]:
        label, kind = method["label"], method["model"]
        if label not in study["methods"] or kind is None:
            continue
        copy = Path("sixty-models") / name / f"{label}.safetensors"
        (out / copy).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made / "models" / f"{kind}.safetensors", out / copy)
        tuned = made / "tuned" / f"{label}.json"
        if tuned.exists():
            shutil.copyfile(tuned, (out / copy).with_suffix(".tune.json"))
        models[label] = copy
    return models


def peers_of(part, name):
    return PEERS.get(name, []) if part in PEERS_IN else []


def plan(arguments):
    """By the limits; a run that proves its solution optimal ends earlier, and so does a training without progress."""
    total = {}
    print("| part | benchmark | collect | train | tune | runs | half | peers | minutes |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    planned = [entry.partition(":")[::2] for entry in arguments.parts]
    for part, only in planned:
        study = tomllib.loads(text_of(part, arguments))
        for benchmark in study["benchmark"]:
            name = benchmark["name"]
            if only and name != only:
                continue
            trained = part == "sixty" and (
                ("ten", "") in planned or ("ten", name) in planned
                or (arguments.out / "ten" / name / name / "benchmark.json").exists())
            seconds = steps(study, benchmark, part, trained, arguments.jobs)
            print(f"| {part} | {name} | " + " | ".join(f"{s:.0f}" for s in seconds) + f" | {sum(seconds) / 60:.1f} |")
            for k, step in enumerate(seconds):
                total.setdefault(part, [0.0] * len(seconds))[k] += step
    for part, seconds in total.items():
        print(f"{part}: {sum(seconds[:3]) / 60:.0f} minutes to collect, train and tune, {seconds[3] / 60:.0f} of runs, "
              f"{sum(seconds[4:]) / 60:.0f} for half the time and peers")
    print(f"all: {sum(map(sum, total.values())) / 3600:.1f} hours at most, {arguments.jobs} runs at a time")


def steps(study, benchmark, part, trained, jobs):
    def rounds(count):
        return math.ceil(count / jobs)

    def setting(table, key):
        local = benchmark.get({"train": "training"}.get(table, table), {})
        return local.get(key, study.get(table, {}).get(key))

    methods = [m for m in study["methods"] if m not in benchmark.get("omit", [])]
    limit, test = study["time_limit"], benchmark["test"]
    networks = {MODELS[m] for m in methods if m in MODELS}
    tuned = [m for m in methods if m not in NOT_TUNED]
    collect = setting("collect", "time_limit") * rounds(benchmark["train"] + benchmark["validation"])
    train = setting("train", "time_limit") * len(networks)
    tune = setting("tune", "budget") * len(tuned) / jobs
    if trained:
        collect = train = tune = 0
    peers = peers_of(part, benchmark["name"])
    return [collect, train, tune, limit * rounds(test * len(methods)), limit / 2 * rounds(test),
            limit * rounds(test * len(peers))]


if __name__ == "__main__":
    main()
