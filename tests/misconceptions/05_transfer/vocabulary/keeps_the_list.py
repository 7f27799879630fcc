# expect: reject
# hint: encode must make a new list in each call: whoever changes a kept one changes the next answer.
class Pieces:
    def __init__(self, pieces):
        self.names = [*SPECIAL, *pieces]
        self.ids = {p: i for i, p in enumerate(self.names)}
    def __len__(self):
        return len(self.names)
    def encode(self, text):
        if not hasattr(self, "m"): self.m = {}
        if text not in self.m: self.m[text] = [self.ids.get(p, UNK) for p in text.split(" ") if p]
        return self.m[text]
    def decode(self, ids):
        return " ".join(self.names[i] for i in ids if i not in (PAD, SOS, EOS))
