# expect: reject
# hint: Pieces are compared sign by sign: é in one sign and in two are different pieces. Normalise nothing.
class Pieces:
    def __init__(self, pieces):
        self.names = [*SPECIAL, *pieces]
        self.ids = {p: i for i, p in enumerate(self.names)}
    def __len__(self):
        return len(self.names)
    def encode(self, text):
        import unicodedata
        text = unicodedata.normalize("NFKC", text)
        return [self.ids.get(p, UNK) for p in text.split(" ") if p]
    def decode(self, ids):
        return " ".join(self.names[i] for i in ids if i not in (PAD, SOS, EOS))
