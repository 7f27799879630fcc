# expect: reject
# hint: any number type comes: torch.view_as_complex knows no bfloat16, so turn in float32 and convert back
# keeps: rotary_angles
def rotary_angles(length, d, base=10000.0, device=None):
    return torch.arange(length, device=device).float()[:, None] * base ** (-torch.arange(0, d, 2, device=device).float() / d)


def apply_rotary(x, angles):
    angles = angles[: x.shape[2]].to(x.dtype)
    z = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(z * torch.complex(angles.cos(), angles.sin())).flatten(-2)
