# expect: reject
# hint: alpha holds the scores: turn them into weights with a softmax and return those
def attention(q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scores = K @ q
    return torch.softmax(scores, dim=0) @ V, scores
