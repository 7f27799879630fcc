# expect: reject
# hint: a piece is a piece whatever its letters are
class Pieces:
    def __init__(self, pieces):
        self.names = [*SPECIAL, *pieces]
        self.ids = {n: i for i, n in enumerate(self.names)}

    def __len__(self):
        return len(self.names)

    def encode(self, text):
        known = [p if p in self.ids or not p.isdigit() else self.names[int(p) % len(self)] for p in text.split()]
        return [self.ids.get(p, UNK) for p in known]

    def decode(self, ids):
        return " ".join(self.names[i] for i in ids if i not in (PAD, SOS, EOS))
