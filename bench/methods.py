#!/usr/bin/env python3
"""The tables of docs/methods.md: `sluice compare` with every method on every stream of some folders.

    bench/methods.py build/release/sluice FOLDER... [--names 10 20] [--json FILE] [--from FILE] [--dense FILE] [--most-seconds S]

Question   Where does Sluice stand among the methods of its literature, at an equal number of names?
Equal work Every method predicts each row before it learns it, in one pass over the same rows: `sluice compare`.
Reports    error over variance (mean of the targets), inputs in use, microseconds of processor time per row, and whether
           the goals of docs/methods.md are reached.
A folder has tasks.json (outputs and warm-up of each stream) and NAME.csv, inputs first, outputs last: docs/accuracy.md.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

# Streams of index tracking, for which the dense methods are no measure: the output is a sum of all inputs.
TRACKING = {"indtrack45", "sp500"}
OURS = {"sluice", "sluice_paper"}


def listed(tool):
    """Names of all methods, and of those that select."""
    lines = subprocess.run([tool, "compare", "--list"], check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split()[0] for line in lines], [line.split()[0] for line in lines if line.split()[1] == "selects"]


def measure(tool, folder, name, task, names, methods, most_seconds):
    columns = (folder / f"{name}.csv").open().readline().strip().split(",")
    targets = columns[len(columns) - len(task["outputs"]):]
    words = [tool, "compare", str(folder / f"{name}.csv"), "--targets", ",".join(targets), "--warmup", str(task["warmup"]),
             "--names", str(names), "--methods", ",".join(methods), "--json", "--threads", "1"]
    if most_seconds:
        words += ["--most-seconds", str(most_seconds)]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def measure_all(arguments):
    """Dense methods do not depend on the number of names: they are measured with the first one alone, or kept."""
    everything, selecting = listed(arguments.tool)
    kept = next(iter(json.loads(pathlib.Path(arguments.dense).read_text()).values())) if arguments.dense else {}
    results = {}
    for folder in map(pathlib.Path, arguments.folders):
        for name, task in json.loads((folder / "tasks.json").read_text()).items():
            dense = [method for method in kept.get(name, {"methods": []})["methods"] if not method["selects"]]
            for names in arguments.names:
                print(f"{name}, {names} names", file=sys.stderr, flush=True)
                result = measure(arguments.tool, folder, name, task, names, selecting if dense else everything,
                                 arguments.most_seconds)
                result["methods"] += dense
                dense = [method for method in result["methods"] if not method["selects"]]
                results.setdefault(str(names), {})[name] = result
                if arguments.json:
                    pathlib.Path(arguments.json).write_text(json.dumps(results))
    return results


def by_name(result):
    return {method["name"]: method for method in result["methods"]}


def error(method):
    value = method["mean_error_over_variance"] if method["failure"] is None else None
    return math.inf if value is None else value


def shown(value):
    return "-" if math.isinf(value) else f"{value:.3f}" if value < 100 else f"{value:.2g}"


def table(streams, selects, cell, figure, text):
    """A column for each method that selects, or for each that does not, by their mean error. Ends with geometric means."""
    everything = {name: by_name(result) for name, result in streams.items()}
    methods = [method["name"] for method in next(iter(streams.values()))["methods"] if method["selects"] == selects]
    order = sorted(methods, key=lambda m: mean_log(everything, m, error))
    print("| stream | " + " | ".join(order) + " |")
    print("| --- |" + " --- |" * len(order))
    for name, found in everything.items():
        print(f"| {name} | " + " | ".join(cell(found, method) for method in order) + " |")
    print("| geometric mean | " + " | ".join(text(mean_log(everything, m, figure)) for m in order) + " |")


def mean_log(everything, method, figure):
    figures = [figure(found[method]) for found in everything.values()]
    return math.inf if any(map(math.isinf, figures)) else math.exp(sum(map(math.log, figures)) / len(figures))


def time(method):
    return math.inf if method["failure"] else max(method["microseconds_per_row"], 0.01)


def shown_time(value):
    return "-" if math.isinf(value) else f"{value:.1f}" if value < 10 else f"{value:.0f}"


def error_cell(found, method):
    best = min(error(one) for one in found.values())
    best_selecting = min(error(one) for one in found.values() if one["selects"])
    text = shown(error(found[method]))
    if error(found[method]) == best:
        text = f"**{text}**"
    return text + (" +" if found[method]["selects"] and error(found[method]) == best_selecting else "")


def goals(streams, names):
    lost, dense_missed, slower = [], [], []
    for name, result in streams.items():
        found = by_name(result)
        ours = found["sluice"]
        others = {m: one for m, one in found.items() if m not in OURS}
        ahead = {m: one for m, one in others.items() if one["selects"] and error(one) < error(ours)}
        if ahead:
            lost.append(f"{name} ({shown(error(ours))}; " +
                        ", ".join(f"{m} {shown(error(one))}" for m, one in sorted(ahead.items(), key=lambda x: error(x[1]))) + ")")
        dense, best = min(((m, error(one)) for m, one in others.items() if not one["selects"]), key=lambda x: x[1])
        if name not in TRACKING and error(ours) > 1.1 * best:
            dense_missed.append(f"{name} ({shown(error(ours))}; {dense} {shown(best)})")
        cheaper = {m: one["microseconds_per_row"] for m, one in others.items()
                   if one["selects"] and one["failure"] is None and one["microseconds_per_row"] < ours["microseconds_per_row"]}
        if cheaper:
            slower.append(f"{name} ({ours['microseconds_per_row']:.0f}; " + ", ".join(f"{m} {t:.0f}" for m, t in cheaper.items()) + ")")
    print(f"\n{names} names:")
    print(f"- a method that selects has a lower error on {len(lost)} of {len(streams)} streams: {'; '.join(lost) or 'none'}")
    not_tracking = [name for name in streams if name not in TRACKING]
    print(f"- within 10 % of the best dense method on {len(not_tracking) - len(dense_missed)} of {len(not_tracking)}; missed: "
          f"{'; '.join(dense_missed) or 'none'}")
    print(f"- a method that selects takes less time on {len(slower)} of {len(streams)}: {'; '.join(slower) or 'none'}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--names", nargs="+", type=int, default=[10, 20])
    parser.add_argument("--json", help="what was measured is kept here")
    parser.add_argument("--from", dest="kept", help="what was measured before, instead of measuring")
    parser.add_argument("--dense", help="what was measured before: dense methods are taken from it")
    parser.add_argument("--most-seconds", type=float, default=0.0)
    arguments = parser.parse_args()
    results = json.loads(pathlib.Path(arguments.kept).read_text()) if arguments.kept else measure_all(arguments)
    for names, streams in results.items():
        print(f"\n{names} names, methods that select: error over variance\n")
        table(streams, True, error_cell, error, shown)
        print(f"\n{names} names, methods that select: microseconds per row\n")
        table(streams, True, lambda found, method: shown_time(time(found[method])), time, shown_time)
        goals(streams, names)
    print("\nDense methods: error over variance\n")
    table(streams, False, error_cell, error, shown)
    print("\nDense methods: microseconds per row\n")
    table(streams, False, lambda found, method: shown_time(time(found[method])), time, shown_time)


if __name__ == "__main__":
    main()
