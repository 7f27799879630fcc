# expect: accept
import numpy as np
def vanilla_flops(T, D):
    return np.int64(8)*T*D*D + 4*np.float64(T)**2*D
def synthesizer_flops(T, D):
    return 6*T*D*D + 4*T*T*D
