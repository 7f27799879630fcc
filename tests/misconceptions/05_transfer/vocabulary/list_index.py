# expect: accept
class Pieces:
    def __init__(self, pieces):
        self.all = list(SPECIAL) + list(pieces)

    def __len__(self):
        return len(self.all)

    def encode(self, text):
        return [self.all.index(p) if p in self.all else UNK for p in text.split()]

    def decode(self, ids):
        words = []
        for i in ids:
            if i == PAD or i == SOS or i == EOS:
                continue
            words.append(self.all[i])
        return " ".join(words)
