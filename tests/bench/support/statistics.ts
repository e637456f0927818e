import { must } from "../../support/expected.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** By how much y grows with x, by least squares. */
export function slope(points: readonly Point[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x0 = mean(points.map(({ x }) => x));
  const y0 = mean(points.map(({ y }) => y));
  return mean(points.map(({ x, y }) => (x - x0) * (y - y0))) / mean(points.map(({ x }) => (x - x0) ** 2));
}

/** The exponent e of the curve y = c * x^e: the slope on log-log paper. */
export function growthExponent(points: readonly Point[]): number {
  return slope(points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) })));
}

/** Returns the least value that so large a share of all lies below; for 1 the most. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return must(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
}

/** Of an even number the upper one of the two in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
