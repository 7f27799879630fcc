# expect: accept
from collections import defaultdict


class Pieces:
    def __init__(self, pieces):
        self.size = len(SPECIAL) + len(pieces)
        self.ids = defaultdict(lambda: UNK, {p: k for k, p in enumerate(pieces, len(SPECIAL))})
        self.names = list(SPECIAL) + list(pieces)

    def __len__(self):
        return self.size

    def encode(self, text):
        return list(map(self.ids.__getitem__, text.split()))

    def decode(self, ids):
        return " ".join(map(self.names.__getitem__, filter(lambda i: i not in {PAD, SOS, EOS}, ids)))
