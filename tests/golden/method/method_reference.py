#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reference of the inference over seeds and samples in numpy and scipy; writes method.json beside itself (inputs, every intermediate, results).

    python3 method_reference.py          # needs numpy and scipy; the numbers in method.json were made with numpy 2, scipy 1.17
"""
import json, os
import numpy as np
from scipy import stats


def terms(first, second, count):
    """first, second [n, m]: A of the two rivals (second 0: one value alone); count [m]. Differences d and variance parts."""
    first, second, count = np.asarray(first, float), np.asarray(second, float), np.asarray(count, float)
    n, m = first.shape
    x = m / count.sum() * (first - second)
    d = x.mean()
    y = x - d * m * count / count.sum()
    seed, sample = y.mean(1), y.mean(0)
    v1 = x.mean(1).var(ddof=1) / n if n > 1 else None
    v2 = sample.var(ddof=1) / m if m > 1 else None
    v3 = ((y - seed[:, None] - sample + y.mean()) ** 2).sum() / ((n - 1) * (m - 1)) / (n * m) if n > 1 and m > 1 else None
    return dict(n=n, m=m, d=d, v1=v1, v2=v2, v3=v3)


def judge(t, v1=None, df1=None):
    """Interval and two-sided p; v1 and df1 replace the pair's own where they are pooled over a column."""
    n, m, d, v2, v3 = t["n"], t["m"], t["d"], t["v2"], t["v3"]
    own1 = t["v1"]
    v1, df1 = (own1, n - 1) if v1 is None else (v1, df1)
    if own1 is None and v2 is None:
        return dict(v=None, df=None, interval=None, p=None)
    if own1 is None:
        v, df = v2, m - 1
    elif v2 is None:
        v, df = v1, df1
    else:
        v = max(v1 + v2 - v3, v1, v2)
        df = v ** 2 / (v1 ** 2 / df1 + v2 ** 2 / (m - 1)) if v > 0 else None
    if v == 0:
        return dict(v=0.0, df=df, interval=[d, d], p=1.0 if d == 0 else 2.0 ** (1 - m))
    half = stats.t.ppf(0.975, df) * np.sqrt(v)
    return dict(v=v, df=df, interval=[d - half, d + half], p=2 * stats.t.sf(abs(d) / np.sqrt(v), df))


def column(rows, count):
    """rows {name: A [n, m]}, all complete, higher is better: p of each rival against the best, pooled, and the stars."""
    names = list(rows)
    total = float(np.sum(count))
    best = max(names, key=lambda k: np.asarray(rows[k]).sum(1).mean() / total)
    pairs = {(a, b): terms(rows[a], rows[b], count) for i, a in enumerate(names) for b in names[i + 1:]}
    mean = float(np.mean([t["v1"] for t in pairs.values()]))
    n = len(next(iter(rows.values())))
    p, stars = {}, [best]
    for (a, b), t in pairs.items():
        if best not in (a, b):
            continue
        own = t["v1"] >= mean or len(names) == 2
        p[b if a == best else a] = judge(t, max(t["v1"], mean), n - 1 if own else (len(names) - 1) * (n - 1))["p"]
    stars += [k for k, q in p.items() if q * len(pairs) > 0.05]
    return dict(best=best, pairs=len(pairs), pooled_v1=mean, p=p, stars=sorted(stars) if len(stars) < len(names) else [])


def holm(p):
    order, out, running = np.argsort(p), [0.0] * len(p), 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (len(p) - rank) * p[i]))
        out[i] = running
    return out


def main():
    rng = np.random.default_rng(5)
    cases = []

    def add(name, a, b, count):
        t = terms(a, b, count)
        cases.append(dict(name=name, first=np.asarray(a).tolist(), second=np.asarray(b).tolist(), count=np.asarray(count).tolist(), **t, **judge(t)))

    def hits(n, m, rate):
        return (rng.random((n, m)) < rate).astype(float)

    add("3 seeds, 8 samples, hits", hits(3, 8, .8), hits(3, 8, .5), np.ones(8))
    add("5 seeds, 12 samples, real", rng.normal(1, .2, (5, 12)).round(4), rng.normal(.9, .2, (5, 12)).round(4), np.ones(12))
    add("2 seeds, 5 samples, unequal counts", rng.integers(0, 9, (2, 5)), rng.integers(0, 9, (2, 5)), [9, 12, 10, 30, 11])
    add("one seed", hits(1, 9, .7), hits(1, 9, .4), np.ones(9))
    add("one sample", [[.8], [.7], [.9]], [[.6], [.6], [.5]], [1])
    add("one seed, one sample", [[.8]], [[.6]], [1])
    add("equal everywhere", np.ones((3, 4)), np.ones((3, 4)), np.ones(4))
    add("no variance, a difference", np.ones((3, 4)), np.zeros((3, 4)), np.ones(4))
    add("seeds vary, samples do not", np.ones((3, 4)) * [[.7], [.8], [.6]], np.ones((3, 4)) * .5, np.ones(4))
    add("one value alone", hits(3, 10, .6), np.zeros((3, 10)), np.ones(10))
    columns = []
    for name, shift in (("four rows, one far behind", [0, 0, 0, -.5]), ("four equal rows", [0, 0, 0, 0]), ("two rows", [0, -.4])):
        base = rng.normal(.6, .2, (1, 20))
        rows = {chr(97 + i): (base + s + rng.normal(0, .02, (3, 1)) + rng.normal(0, .1, (3, 20))).round(4).tolist() for i, s in enumerate(shift)}
        columns.append(dict(name=name, rows=rows, count=[1.0] * 20, **column(rows, [1.0] * 20)))
    p = [.01, .04, .03, .2]
    clean = lambda o: {k: clean(v) for k, v in o.items()} if isinstance(o, dict) else [clean(v) for v in o] if isinstance(o, (list, tuple)) else float(o) if isinstance(o, np.floating) else int(o) if isinstance(o, np.integer) else o
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "method.json"), "w") as f:
        json.dump(clean(dict(pairs=cases, columns=columns, holm=dict(p=p, adjusted=holm(p)))), f, indent=1)
    for c in cases:
        print(f"{c['name']:36} d {c['d']:.4f} v {c['v']} df {c['df']} p {c['p']}")
    for c in columns:
        print(c["name"], c["best"], c["stars"], {k: round(float(v), 5) for k, v in c["p"].items()})


main()
