const PATTERN = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]?))$/;
const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Returns the number that a Kubernetes quantity such as `250m` or `64Mi` stands for; 0 for what is none. */
export function readQuantity(value: unknown): number {
  const [, digits, exponent = "", suffix = ""] = PATTERN.exec(String(value)) ?? [];
  return digits === undefined ? 0 : Number(digits + exponent) * FACTORS[suffix];
}
