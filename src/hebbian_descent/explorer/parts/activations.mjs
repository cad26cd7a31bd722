// The units: φ(a) and the slope φ′(a), as in network/activations. Parameters come from there, too.

const logistic = (a) => (a >= 0 ? 1 / (1 + Math.exp(-a)) : Math.exp(a) / (1 + Math.exp(a)));
const stretch = (a, steepness) => Math.sqrt(1 + steepness * a * a);
const exponentialLinear = (slope, floor) => ({
  value: (a) => (a >= 0 ? slope * a : floor * Math.expm1(a)),
  slope: (a) => (a >= 0 ? slope : floor * Math.exp(a)),
});

/** By name, a function of the parameters that returns φ and φ′ of one unit; softmax couples units, see below. */
const UNITS = {
  linear: () => ({ value: (a) => a, slope: () => 1 }),
  sigmoid: () => ({ value: logistic, slope: (a) => logistic(a) * logistic(-a) }),
  step: () => ({ value: (a) => Number(a > 0), slope: () => 0 }),
  rectifier: () => ({ value: (a) => Math.max(a, 0), slope: (a) => Number(a > 0) }),
  explin: () => exponentialLinear(1, 1),
  scaled_tanh: ({ scale }) => ({
    value: (a) => scale * Math.tanh(a),
    slope: (a) => 4 * scale * logistic(2 * a) * logistic(-2 * a),
  }),
  approximate_step: ({ slope, height }) => ({ value: (a) => slope * a + (a >= 0 ? height : 0), slope: () => slope }),
  leaky_rectifier: ({ slope }) => ({
    value: (a) => (a >= 0 ? a : slope * a),
    slope: (a) => (a >= 0 ? 1 : slope),
  }),
  scaled_explin: ({ scale, saturation }) => exponentialLinear(scale, scale * saturation),
  inverse_sqrt_linear: ({ steepness }) => ({
    value: (a) => a / stretch(Math.min(a, 0), steepness),
    slope: (a) => stretch(Math.min(a, 0), steepness) ** -3,
  }),
  softsign: () => ({ value: (a) => a / (1 + Math.abs(a)), slope: (a) => (1 + Math.abs(a)) ** -2 }),
  softplus: () => ({ value: (a) => Math.max(a, 0) + Math.log1p(Math.exp(-Math.abs(a))), slope: logistic }),
  inverse_sqrt: ({ steepness }) => ({
    value: (a) => a / stretch(a, steepness),
    slope: (a) => stretch(a, steepness) ** -3,
  }),
  exponential: () => ({ value: Math.exp, slope: Math.exp }),
};

/** Return an activation: `respond` writes φ(a) into h, `pullBack` multiplies errors by ∂h/∂a in place. */
export function makeActivation(name, facts) {
  if (name === "softmax") return { ...facts, respond: softmax, pullBack: pullBackSoftmax };
  const { value, slope } = UNITS[name](facts.parameters);
  return {
    ...facts,
    respond(a, h) {
      for (let j = 0; j < a.length; j++) h[j] = value(a[j]);
    },
    pullBack(errors, a) {
      for (let j = 0; j < a.length; j++) errors[j] *= slope(a[j]);
    },
  };
}

function softmax(a, h) {
  const largest = Math.max(...a);
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += h[j] = Math.exp(a[j] - largest);
  for (let j = 0; j < a.length; j++) h[j] /= sum;
}

/** Multiply errors by the whole Jacobian diag(h) − hhᵀ. */
function pullBackSoftmax(errors, a, h) {
  let expected = 0;
  for (let j = 0; j < h.length; j++) expected += errors[j] * h[j];
  for (let j = 0; j < h.length; j++) errors[j] = h[j] * (errors[j] - expected);
}
