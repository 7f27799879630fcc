# expect: accept
class Pieces:
    def __init__(self, pieces):
        self.to_id = dict(zip(pieces, range(4, 4 + len(pieces))))
        self.to_piece = {v: k for k, v in self.to_id.items()}
        self.to_piece[3] = "<unk>"

    def __len__(self):
        return 4 + len(self.to_id)

    def encode(self, text):
        out = []
        for word in text.split():
            if word in self.to_id:
                out.append(self.to_id[word])
            else:
                out.append(3)
        return out

    def decode(self, ids):
        return " ".join(self.to_piece[i] for i in ids if i > 2)
