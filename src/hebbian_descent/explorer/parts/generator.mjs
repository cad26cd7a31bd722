// Random numbers that Python and JavaScript draw alike, bit for bit; the twin is generator.py.

const GOLDEN = 0x9e3779b9;
const STREAM = 0x85ebca6b;

/** Draw n numbers in [0, 1), multiples of 2^-32; a larger draw of the same stream begins with the smaller one. */
export function uniform(seed, stream, n) {
  const key = scrambled(Math.imul(seed, GOLDEN) + Math.imul(stream, STREAM));
  const numbers = new Float64Array(n);
  for (let k = 0; k < n; k++) numbers[k] = scrambled(key + Math.imul(k + 1, GOLDEN)) * 2 ** -32;
  return numbers;
}

function scrambled(word) {
  let z = word >>> 0;
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return (z ^ (z >>> 16)) >>> 0;
}
