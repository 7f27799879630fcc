# expect: accept
class Pieces:
    def __init__(self, pieces):
        self.pieces = tuple(pieces)

    def __len__(self):
        return 4 + len(self.pieces)

    def encode(self, text):
        ids = []
        for piece in text.split():
            try:
                ids.append(self.pieces.index(piece) + 4)
            except ValueError:
                ids.append(UNK)
        return ids

    def decode(self, ids):
        text = ""
        for i in ids:
            if i >= 3:
                text += " " + ("<unk>" if i == 3 else self.pieces[i - 4])
        return text.strip()
