# expect: reject
# hint: A lead that is short by a ten-thousandth is too small: allow for rounding alone, some 1e-9.
# keeps: exact_share summary
from course_utils.metrics import mean_interval
def exact_share(answers, right):
    return sum(a == r for a, r in zip(answers, right)) / len(right)


def different_seeds(runs):
    found = {}
    for run in runs:
        found.setdefault(run["seed"], run)
    if len(found) < 3:
        raise ValueError("three different seeds at least")
    return list(found.values())


def summary(runs):
    runs = different_seeds(runs)
    return {m: {p: mean_interval([r["scores"][m][p] for r in runs]) for p in ps} for m, ps in runs[0]["scores"].items()}


def alone(runs, probe, margin=0.1):
    leaders = set()
    for run in different_seeds(runs):
        s = {m: ps[probe] for m, ps in run["scores"].items()}
        best = max(s, key=s.get)
        ahead = all(s[best] - v >= margin - 1e-4 for m, v in s.items() if m != best)
        leaders.add(best if ahead else None)
    return leaders.pop() if len(leaders) == 1 else None
