# expect: reject
# hint: a text of one piece alone, or of one unknown piece twice
class Pieces:
    def __init__(self, pieces):
        self.names = [*SPECIAL, *pieces]
        self.ids = {p: i for i, p in enumerate(self.names)}

    def __len__(self):
        return len(self.names)

    def encode(self, text):
        return [self.ids.get(p, UNK) for p in text.split()]

    def decode(self, ids):
        ids = [i for k, i in enumerate(ids) if not (i == UNK and k and ids[k - 1] == UNK)]
        return " ".join(self.names[i] for i in ids if i not in (PAD, SOS, EOS))
