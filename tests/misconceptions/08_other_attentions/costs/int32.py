# expect: reject
# hint: the count overflows: int32 ends at 2,147,483,647, so count in Python's numbers
# keeps: synthesizer_flops
import numpy as np
def vanilla_flops(T, D):
    T, D = np.int32(T), np.int32(D)
    return int(8*T*D*D + 4*T*T*D)
def synthesizer_flops(T, D):
    return 6*T*D*D + 4*T*T*D
