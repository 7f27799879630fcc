# expect: accept
class Head:
    def __init__(self, query):
        self.query = query

    def weights(self, keys):
        return torch.softmax(torch.matmul(keys, self.query), -1)

    def __call__(self, keys, values):
        alpha = self.weights(keys)
        return alpha.matmul(values), alpha


def single_head(mu, K, V, a, b, beta):
    return Head(beta * mu[a] + beta * mu[b])(K, V)
