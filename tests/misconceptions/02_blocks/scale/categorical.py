# expect: accept
from typing import NamedTuple
class Both(NamedTuple):
    entropy: Tensor
    norm: Tensor
def score_variances(q, k, heads):
    d = q.size(1) // heads
    p = torch.einsum("nhd,nhd->hn", q.unflatten(1, (heads, d)), k.unflatten(1, (heads, d)))
    return np.var(p.numpy(), ddof=1), (p / math.sqrt(d)).var(unbiased=False)
def saturation(scores):
    d = torch.distributions.Categorical(logits=scores)
    a = d.probs
    return Both(d.entropy(), torch.linalg.matrix_norm(torch.diag_embed(a) - a[..., None] * a[..., None, :]))
