# expect: reject
# hint: an id that comes several times is written several times
class Pieces:
    def __init__(self, pieces):
        self.names = [*SPECIAL, *pieces]
        self.ids = {name: i for i, name in enumerate(self.names)}

    def __len__(self):
        return len(self.names)

    def encode(self, text):
        return [self.ids.get(piece, UNK) for piece in text.split()]

    def decode(self, ids):
        return " ".join(self.names[i] for i in dict.fromkeys(ids) if i not in (PAD, SOS, EOS))
