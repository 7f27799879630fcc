# expect: accept
def nearest(vector, table, k):
    cos = [float(vector @ row / (vector.norm() * row.norm())) for row in table]
    return sorted(range(len(cos)), key=lambda i: -cos[i])[:k]

def same_sense(states, senses, k):
    total = 0
    for i in range(len(states)):
        others = [j for j in range(len(states)) if j != i]
        near = [others[n] for n in nearest(states[i], states[others], k)]
        total += sum(int(senses[j] == senses[i]) for j in near) / k
    return total / len(states)
