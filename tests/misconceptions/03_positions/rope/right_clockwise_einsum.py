# expect: accept
def rotary_angles(length, d, base=10000.0, device=None):
    speed = 1.0 / (base ** (torch.arange(0, d, 2, device=device)[: d // 2].float() / d))
    return torch.einsum("i,j->ij", torch.arange(length, device=device).float(), speed)


def apply_rotary(x, angles):
    """Turns the other way round: the offset's sign flips, all properties stay."""
    angles = angles[: x.size(2)]
    cos, sin = angles.cos(), angles.sin()
    turn = torch.stack([torch.stack([cos, sin], -1), torch.stack([-sin, cos], -1)], -2).to(x.dtype)  # (L, d/2, 2, 2)
    pairs = x.unflatten(-1, (-1, 2))  # (B, H, L, d) -> (B, H, L, d/2, 2)
    return torch.einsum("lmij,bhlmj->bhlmi", turn, pairs).flatten(-2)
