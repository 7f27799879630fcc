# expect: reject
# hint: x must be filled up with PAD on the right
def lm_batch(sentences: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Inputs and targets of a language model.

    Args:
        sentences: B lists of ids without special ones, of different lengths (perhaps 0).

    Returns:
        x: int64 (B, T), rows ``SOS A B C PAD …``; y: int64 (B, T), rows ``A B C EOS PAD …``; T is the longest length plus 1.
    """
    width = max(len(s) for s in sentences) + 1
    fill = [[UNK] * (width - 1 - len(s)) for s in sentences]
    x = torch.tensor([[SOS, *s, *f] for s, f in zip(sentences, fill, strict=True)])
    y = torch.tensor([[*s, EOS, *f] for s, f in zip(sentences, fill, strict=True)])
    return x, y
