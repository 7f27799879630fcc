# expect: reject
# hint: alone: None where the lead fails in one run
# keeps: exact_share summary
from course_utils.metrics import mean_interval


def exact_share(answers, right):
    return sum(a == b for a, b in zip(answers, right, strict=True)) / len(right)


def different_seeds(runs):
    d = {}
    for r in runs:
        d.setdefault(r["seed"], r)
    if len(d) < 3:
        raise ValueError("few")
    return list(d.values())


def summary(runs):
    runs = different_seeds(runs)
    s = runs[0]["scores"]
    return {m: {p: mean_interval([r["scores"][m][p] for r in runs]) for p in s[m]} for m in s}


def alone(runs, probe, margin=0.1):
    names = set()
    for r in different_seeds(runs):
        o = sorted(r["scores"], key=lambda m: -r["scores"][m][probe])
        if len(o) > 1 and r["scores"][o[0]][probe] - r["scores"][o[1]][probe] < margin - 1e-9:
            continue
        names.add(o[0])
    return names.pop() if names else None
