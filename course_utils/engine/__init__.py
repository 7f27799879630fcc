"""Parts of training that `train.py` leaves out: devices, processes, CUDA graphs, resuming, and epochs made ahead."""
