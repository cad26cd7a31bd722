"""The paper's equations in naive loops over single numbers. Imports nothing of the package.

Slow on purpose: one line here is one line of the paper, with the indices written out.
"""

import math

SELU_SCALE, SELU_SATURATION = 1.0507009873554805, 1.6732632423543772


def sigmoid(a):
    return 1 / (1 + math.exp(-a)) if a > 0 else math.exp(a) / (1 + math.exp(a))


# name: (phi, phi'), with the default parameters of the package
SCALAR_ACTIVATIONS = {
    "linear": (lambda a: a, lambda a: 1.0),
    "sigmoid": (sigmoid, lambda a: sigmoid(a) * (1 - sigmoid(a))),
    "step": (lambda a: 1.0 if a > 0 else 0.0, lambda a: 0.0),
    "rectifier": (lambda a: max(a, 0.0), lambda a: 1.0 if a > 0 else 0.0),
    "explin": (lambda a: a if a >= 0 else math.exp(a) - 1, lambda a: 1.0 if a >= 0 else math.exp(a)),
    "scaled_tanh": (math.tanh, lambda a: 1 - math.tanh(a) ** 2),
    "approximate_step": (lambda a: 0.01 * a + (1.0 if a >= 0 else 0.0), lambda a: 0.01),
    "leaky_rectifier": (lambda a: a if a >= 0 else 0.01 * a, lambda a: 1.0 if a >= 0 else 0.01),
    "scaled_explin": (
        lambda a: SELU_SCALE * (a if a >= 0 else SELU_SATURATION * (math.exp(a) - 1)),
        lambda a: SELU_SCALE * (1.0 if a >= 0 else SELU_SATURATION * math.exp(a)),
    ),
    "inverse_sqrt_linear": (
        lambda a: a if a >= 0 else a / math.sqrt(1 + a * a),
        lambda a: 1.0 if a >= 0 else (1 + a * a) ** -1.5,
    ),
    "softsign": (lambda a: a / (1 + abs(a)), lambda a: (1 + abs(a)) ** -2),
    "softplus": (lambda a: math.log(1 + math.exp(a)), sigmoid),
    "inverse_sqrt": (lambda a: a / math.sqrt(1 + a * a), lambda a: (1 + a * a) ** -1.5),
    "exponential": (math.exp, math.exp),
}


def output(activation, a):
    if activation == "softmax":
        total = sum(math.exp(a_k) for a_k in a)
        return [math.exp(a_j) / total for a_j in a]
    return [SCALAR_ACTIVATIONS[activation][0](a_j) for a_j in a]


def pulled_back(activation, error, a, h):
    if activation == "softmax":
        M = len(h)
        jacobian = [[h[k] * ((1.0 if j == k else 0.0) - h[j]) for j in range(M)] for k in range(M)]
        return [sum(error[k] * jacobian[k][j] for k in range(M)) for j in range(M)]
    return [e_j * SCALAR_ACTIVATIONS[activation][1](a_j) for e_j, a_j in zip(error, a, strict=True)]


def preactivation(x, mu, W, b):
    N, M = len(W), len(b)
    return [sum(W[i][j] * (x[i] - mu[i]) for i in range(N)) + b[j] for j in range(M)]


def column_means(rows):
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def update(rule, activation, x, t, h, a, mu, mean_x, mean_t):
    """Return the two factors of one pattern and whether the bias learns, all to be subtracted."""
    N, M = len(x), len(t)
    error = [h[j] - t[j] for j in range(M)]
    centered = [x[i] - mu[i] for i in range(N)]
    if rule in ("hebbian_descent", "contrastive"):
        return centered, error, True
    if rule == "gradient_descent":
        return centered, pulled_back(activation, error, a, h), True
    if rule == "hebb":
        return centered, [-t[j] for j in range(M)], False
    if rule == "covariance":
        return [x[i] - mean_x[i] for i in range(N)], [-(t[j] - mean_t[j]) for j in range(M)], False
    raise AssertionError(rule)


def train(X, T, W, b, mu, *, rule, activation, eta, omega=0.0, nu=0.0, epochs=1, batch_size=1):
    """Train copies of the parameters and return them: (W, b, mu)."""
    W, b, mu = [list(row) for row in W], list(b), list(mu)
    N, M = len(W), len(b)
    mean_x, mean_t = column_means(X), column_means(T)
    for _ in range(epochs):
        for start in range(0, len(X), batch_size):
            batch = list(zip(X[start : start + batch_size], T[start : start + batch_size], strict=True))
            dW, db, learns_bias = [[0.0] * M for _ in range(N)], [0.0] * M, False
            for x, t in batch:
                a = preactivation(x, mu, W, b)
                h = output(activation, a)
                pre, post, learns_bias = update(rule, activation, x, t, h, a, mu, mean_x, mean_t)
                for j in range(M):
                    db[j] += post[j] / len(batch)
                    for i in range(N):
                        dW[i][j] += pre[i] * post[j] / len(batch)
            for j in range(M):
                if learns_bias:
                    b[j] -= eta * db[j]
                for i in range(N):
                    W[i][j] = W[i][j] - omega * W[i][j] - eta * dW[i][j]
            mean_batch = column_means([x for x, _ in batch])
            moved = [(1 - nu) * mu[i] + nu * mean_batch[i] for i in range(N)]
            for j in range(M):
                b[j] += sum(W[i][j] * (moved[i] - mu[i]) for i in range(N))
            mu = moved
    return W, b, mu


def train_autoencoder(
    X, W, b, c, mu, lam, *, rule, hidden, visible, eta, omega=0.0, nu_hidden=0.0, level=None
):
    """One online pass of an auto-encoder with tied weights; returns (W, b, c, lam)."""
    W, b, c, lam = [list(row) for row in W], list(b), list(c), list(lam)
    N, M = len(W), len(b)
    for x in X:
        a_enc = preactivation(x, mu, W, b)
        h = output(hidden, a_enc)
        a_dec = [sum(W[i][j] * (h[j] - lam[j]) for j in range(M)) + c[i] for i in range(N)]
        z = output(visible, a_dec)
        error = [z[i] - x[i] for i in range(N)]
        if rule == "hebbian_descent":
            delta = error
            encoder = [[0.0] * M for _ in range(N)]
            db = [0.0] * M if level is None else [h[j] - level for j in range(M)]
        elif rule == "gradient_descent":
            delta = pulled_back(visible, error, a_dec, z)
            back = [sum(W[i][j] * delta[i] for i in range(N)) for j in range(M)]
            db = pulled_back(hidden, back, a_enc, h)
            encoder = [[(x[i] - mu[i]) * db[j] for j in range(M)] for i in range(N)]
        elif rule == "hebb":
            delta = [0.0] * N
            encoder = [[-(x[i] - mu[i]) * (h[j] - lam[j]) for j in range(M)] for i in range(N)]
            db = [0.0] * M
        for i in range(N):
            for j in range(M):
                decoder = delta[i] * (h[j] - lam[j])
                W[i][j] = W[i][j] - omega * W[i][j] - eta * (encoder[i][j] + decoder)
        c = [c[i] - eta * delta[i] for i in range(N)]
        b = [b[j] - eta * db[j] for j in range(M)]
        moved = [(1 - nu_hidden) * lam[j] + nu_hidden * h[j] for j in range(M)]
        c = [c[i] + sum(W[i][j] * (moved[j] - lam[j]) for j in range(M)) for i in range(N)]
        lam = moved
    return W, b, c, lam
