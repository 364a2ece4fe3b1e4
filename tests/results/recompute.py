# SPDX-License-Identifier: Apache-2.0
# tests/results: computes every evaluation row of run files again from /samples, with h5py and numpy alone.
#
#   python3 tests/results/recompute.py FILE.h5...
import json
import sys

import h5py
import numpy


def ratio(columns):
    return columns[0].sum() / columns[1].sum()


def balanced_accuracy(columns):
    hits, counts = columns[0::2].sum(axis=1), columns[1::2].sum(axis=1)
    return (hits[counts > 0] / counts[counts > 0]).mean()


def auroc(columns):
    score, target = columns
    wins = numpy.sign(score[target == 1][:, None] - score[target == 0][None, :])
    return (wins.mean() + 1) / 2


def f1(columns):
    hits, targets, answers = columns.sum(axis=1)
    return 2 * hits / (targets + answers)


def r2(columns):
    errors, targets, squares, count = columns.sum(axis=1)
    return 1 - errors / (squares - targets**2 / count)


# By what a metric's name ends in, the longest first; all others are sums over counts.
OTHERS = {
    "balanced accuracy": balanced_accuracy,
    "balanced-accuracy": balanced_accuracy,
    "perplexity": lambda columns: numpy.exp(ratio(columns)),
    "auroc": auroc,
    "f1": f1,
    "r2": r2,
}


def value_of(metric, columns):
    columns = columns[:, ~numpy.isnan(columns).all(axis=0)]  # samples with a target of the question
    for ending, value in OTHERS.items():
        if metric.endswith(ending):
            return value(columns), columns.shape[1]
    return ratio(columns), columns.shape[1]


def sets_in(run):
    for table in run["samples"].values() if "samples" in run else []:
        rows = table[:]
        for entry in json.loads(table.attrs["metrics"]):
            metric = entry["metric"]
            key = (table.attrs["size"], table.attrs["condition"], table.attrs["step"], metric)
            names = [f"{metric}.{name}" for name in entry["columns"]]
            columns = numpy.array([rows[name] for name in names])
            guesses = None
            if entry["guesses"]:
                names = [f"{metric}.guess.{name}" for name in entry["columns"]]
                guesses = numpy.array([rows[name] for name in names])
            yield key, (columns, guesses)


def check(file):
    with h5py.File(file) as run:
        sets = dict(sets_in(run))
        rows = run["evaluation"][:]
    problems, compared = [], 0
    for row in rows:
        metric = row["metric"].decode()
        key = (row["size"], row["condition"].decode(), row["step"], metric)
        if not row["defined"]:
            continue
        if key not in sets:
            problems.append(f"{file}: no samples of {key}")
            continue
        columns, guesses = sets[key]
        value, samples = value_of(metric, columns)
        wanted = [(row["value"], value), (row["samples"], samples)]
        if guesses is not None:
            wanted.append((row["chance"], value_of(metric, guesses)[0]))
        for stored, again in wanted:
            compared += 1
            if not numpy.isclose(stored, again, rtol=1e-9, atol=1e-9, equal_nan=True):
                problems.append(f"{file}: {key}: {stored} stored, {again} from its samples")
    return problems, compared


if __name__ == "__main__":
    all_problems, numbers = [], 0
    for name in sys.argv[1:]:
        found, compared = check(name)
        all_problems += found
        numbers += compared
    print("\n".join(all_problems) if all_problems else f"{numbers} numbers equal")
    sys.exit(1 if all_problems or numbers == 0 else 0)
