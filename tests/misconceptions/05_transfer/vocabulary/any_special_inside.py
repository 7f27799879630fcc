# expect: reject
# hint: a piece is a piece whatever its letters are
class Pieces:
    def __init__(self, pieces):
        self.names = [*SPECIAL, *pieces]
        self.ids = {n: i for i, n in enumerate(self.names)}

    def __len__(self):
        return len(self.names)

    def encode(self, text):
        return [self.ids.get(p, UNK) for p in text.split()]

    def decode(self, ids):
        return " ".join(self.names[i] for i in ids if not any(s in self.names[i] for s in SPECIAL[:3]))
