# expect: reject
# hint: each piece of a text becomes its id
class Pieces:
    def __init__(self, pieces):
        self.names = [*SPECIAL, *pieces]
        self.ids = {name: i for i, name in enumerate(self.names)}

    def __len__(self):
        return len(self.names)

    def encode(self, text):
        return [next((i for n, i in self.ids.items() if n[:12] == piece[:12]), UNK) for piece in text.split()]

    def decode(self, ids):
        return " ".join(self.names[i] for i in ids if i not in (PAD, SOS, EOS))
