# expect: accept
import course_utils
def count_gpt(V, D, L, H, T, variant="vanilla", m=0):
    d = D // H
    with torch.device("meta"):
        outer = [nn.Embedding(V, D), nn.LayerNorm(D), nn.Linear(D, V, bias=False)]
        if variant not in ("rope", "relative"):
            outer.append(nn.Embedding(T, D))
        if variant == "perceiver":
            outer.append(nn.Embedding(m, D))
        block = [nn.LayerNorm(D), nn.LayerNorm(D), nn.Linear(D, 4 * D), nn.Linear(4 * D, D)]
        block += [nn.Linear(D, D) for _ in range(3 if variant.startswith("synth") else 4)]
        if variant == "relative":
            block.append(nn.Embedding(H, T))
        if variant == "synthesizer":
            block += [nn.Linear(d, T) for _ in range(H)]
        if variant == "synthesizer_shared":
            block.append(nn.Linear(d, T - 1))
    size = lambda ms: sum(p.numel() for x in ms for p in x.parameters())
    return size(outer) + L * size(block)
