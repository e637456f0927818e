/**
 * Returns how many characters of `from` must be put in, taken out, changed, or swapped with their neighbour to make `to`: the
 * optimal string alignment distance.
 */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1;
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + change);
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, beforeLast[column - 2]! + 1);
      }
      current.push(cost);
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length]!;
}
