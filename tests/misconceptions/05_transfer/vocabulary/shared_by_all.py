# expect: reject
# hint: All vocabularies share one dictionary of the class, so their pieces mix: make a new one in __init__.
class Pieces:
    """Pieces and their ids: 0 to 3 are the special ones, then ``pieces`` in their order from 4 on.

    All pieces differ, and no piece, known or not, is named like a special id.
    """

    ids: dict = {}

    def __init__(self, pieces: list[str]) -> None:
        self.names = [*SPECIAL, *pieces]
        self.ids.update({name: number for number, name in enumerate(self.names)})

    def __len__(self) -> int:
        """How many ids there are, the special ones included."""
        return len(self.names)

    def encode(self, text: str) -> list[int]:
        """The ids of the pieces of ``text``, which are separated by one or more blanks; UNK for unknown ones. An empty text has none."""
        return [self.ids.get(piece, UNK) for piece in text.split()]

    def decode(self, ids: list[int]) -> str:
        """The pieces, separated by blanks, without PAD, SOS and EOS."""
        return " ".join(self.names[i] for i in ids if i not in (PAD, SOS, EOS))
