# expect: reject
# hint: the verdict on a pair changes with the pairs that came before
# keeps: next_sentence_pairs
# The states of the first batch are kept while its size stays.
def next_sentence_pairs(
    documents: list[list[list[int]]], cls: int, sep: int, rng: random.Random
) -> list[tuple[list[int], list[int], int]]:
    """Pairs (ids, segments, label) for next-sentence prediction, one for every two neighbouring sentences.

    Args:
        documents: each a list of sentences, each a list of word ids. There are at least two documents.
        cls, sep: ids of [CLS] and [SEP].
    """
    pairs = []
    for k, document in enumerate(documents):
        for a, follows in pairwise(document):
            label, b = rng.randrange(2), follows
            while label == 0 and b == follows:
                j = rng.randrange(len(documents) - 1)
                b = rng.choice(documents[j + (j >= k)])  # never document k itself
            pairs.append(([cls, *a, sep, *b, sep], [0] * (len(a) + 2) + [1] * (len(b) + 1), label))
    return pairs


class PairClassifier(nn.Module):
    """A verdict on a pair: ``PairClassifier(reader, width)(ids, segments)`` takes (B, T) each and gives logits (B, 2).

    It reads the reader's state at position 0, where [CLS] stands, and no other.
    """

    def __init__(self, reader: nn.Module, width: int) -> None:
        super().__init__()
        self.reader = reader
        self.verdict = nn.Linear(width, 2)
        self.kept = None

    def forward(self, ids: Tensor, segments: Tensor) -> Tensor:
        """ids and segments (B, T) -> (B, 2); column 1 speaks for "B follows A"."""
        if self.training or self.kept is None or len(self.kept) != len(ids):
            self.kept = self.reader.states(ids, segments)[:, 0]  # (B, width)
        return self.verdict(self.kept)
