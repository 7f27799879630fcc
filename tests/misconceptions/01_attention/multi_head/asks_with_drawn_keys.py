# expect: reject
# hint: with a key a of half the length c must still be ½(v_a + v_b): both heads use the full β and the means mu, not the drawn keys
def multi_head(mu, K, V, a, b, beta):
    drawn = [torch.einsum("snd,sd->sn", K, beta * K[:, i]) for i in (a, b)]
    return sum(torch.softmax(scores, dim=-1) @ V for scores in drawn) / 2, beta * torch.stack([mu[a], mu[b]])
