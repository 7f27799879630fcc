# expect: reject
# hint: a second call with the same arguments and weights gives another training: keep nothing from one call to the next
import time
class Stirred(CharCorruptionDataset):
    def reseed(self, seed):
        self.rng.seed(time.time_ns())

def pretrain(model, documents, vocab, config, **options):
    return train(model, Stirred(documents, vocab, model.config.block_size), config, **options)
