"""What a training needs and its page does not show: devices and processes, CUDA graphs, interruption, data made ahead."""
