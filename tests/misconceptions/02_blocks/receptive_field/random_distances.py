# expect: reject
# hint: Distances drawn at random are others in each call, and sums may coincide: compute them from layer and head.
# keeps: field_size
import random


def field_size(layers: int, heads: int, length: int) -> int:
    return min((heads + 1) ** layers, length)


def head_shifts(layers: int, heads: int) -> list[list[int]]:
    return [[random.randrange(1, 10**15) for j in range(1, heads + 1)] for l in range(layers)]
