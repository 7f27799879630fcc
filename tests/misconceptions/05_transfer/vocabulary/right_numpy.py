# expect: accept
import numpy as np


class Pieces:
    def __init__(self, pieces):
        self.names = np.array([*SPECIAL, *pieces], dtype=object)

    def __len__(self):
        return self.names.size

    def encode(self, text):
        return [int(np.argmax(self.names == p)) if (self.names == p).any() else UNK for p in text.split()]

    def decode(self, ids):
        kept = [i for i in ids if i not in (PAD, SOS, EOS)]
        return " ".join(self.names[kept])
