# expect: reject
# hint: an unknown one becomes UNK in its place
class Pieces:
    def __init__(self, pieces):
        self.names = [*SPECIAL, *pieces]
        self.ids = {name: i for i, name in enumerate(self.names)}

    def __len__(self):
        return len(self.names)

    def encode(self, text):
        return [self.ids.get(piece, self.ids.get(piece.upper(), UNK)) for piece in text.split()]

    def decode(self, ids):
        return " ".join(self.names[i] for i in ids if i not in (PAD, SOS, EOS))
