# expect: accept
def count_encoder(V, D, L, H, C):
    one = encoder_parts(V, D, 1, H, C, device="meta")
    return numel(one["embedding"]) + L * numel(one["encoder"]), numel(one["head"])
