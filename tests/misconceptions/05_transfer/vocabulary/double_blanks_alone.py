# expect: reject
# hint: Three blanks and more are one separation, too: leave out all empty parts of split(" ").
class Pieces:
    def __init__(self, pieces):
        self.names = [*SPECIAL, *pieces]
        self.ids = {p: i for i, p in enumerate(self.names)}
    def __len__(self):
        return len(self.names)
    def encode(self, text):
        return [self.ids.get(p, UNK) for p in text.strip().replace("  ", " ").split(" ") if text.strip()]
    def decode(self, ids):
        return " ".join(self.names[i] for i in ids if i not in (PAD, SOS, EOS))
