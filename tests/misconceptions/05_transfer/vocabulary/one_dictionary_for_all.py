# expect: reject
# hint: All vocabularies share one dictionary of the class, so their pieces mix: make a new one in __init__.
class Pieces:
    ids = {}

    def __init__(self, pieces: list[str]) -> None:
        self.names = [*SPECIAL, *pieces]
        self.ids.update({name: i for i, name in enumerate(self.names)})

    def __len__(self) -> int:
        return len(self.names)

    def encode(self, text: str) -> list[int]:
        return [self.ids.get(piece, UNK) for piece in text.split()]

    def decode(self, ids: list[int]) -> str:
        return " ".join(self.names[i] for i in ids if i not in (PAD, SOS, EOS))
