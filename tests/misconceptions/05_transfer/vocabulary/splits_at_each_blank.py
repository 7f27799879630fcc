# expect: reject
# hint: An empty text has no ids, and several blanks are one gap: split() without an argument sees to both.
class Pieces:
    def __init__(self, pieces):
        self.names = list(SPECIAL) + list(pieces)
        self.lookup = {name: i for i, name in enumerate(self.names)}
    def __len__(self):
        return len(self.names)
    def encode(self, text):
        return [self.lookup[p] if p in self.lookup else UNK for p in text.split(" ")]
    def decode(self, ids):
        return " ".join(self.names[i] for i in ids if i not in (PAD, SOS, EOS))
