# expect: accept
class Pieces(dict):
    def __init__(self, pieces):
        super().__init__()
        for k, name in enumerate(SPECIAL + tuple(pieces)):
            self[name] = k
        self.back = list(self)

    def __missing__(self, key):
        return UNK

    def encode(self, text):
        return [self[p] for p in text.split()]

    def decode(self, ids):
        return " ".join(self.back[int(i)] for i in ids if int(i) not in {PAD, SOS, EOS})
