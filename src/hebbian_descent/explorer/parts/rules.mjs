// The rules, as in rules/: what the outputs send to their synapses. The inputs send x − μ or x − ⟨x⟩, see memory.mjs.

/** By name, a function that writes the postsynaptic factor for output h, activity a and target t. */
export const POSTSYNAPTIC = {
  hebbian_descent: difference,
  gradient_descent({ post, activation, a, h, t }) {
    difference({ post, h, t });
    activation.pullBack(post, a, h);
  },
  hebb({ post, t }) {
    for (let j = 0; j < t.length; j++) post[j] = -t[j];
  },
  covariance: deviation,
  contrastive: difference,
};

/** By how much the output exceeds the target: h − t. */
function difference({ post, h, t }) {
  for (let j = 0; j < t.length; j++) post[j] = h[j] - t[j];
}

/** By how much the target exceeds the mean target, with the sign that makes it grow: −(t − ⟨t⟩). */
export function deviation({ post, t, meanTarget }) {
  for (let j = 0; j < t.length; j++) post[j] = -(t[j] - meanTarget[j]);
}
