// @ts-check
/** @import { Row } from "../../wire.ts" */
import { rankOf } from "./states.js";

/** By what rows can be sorted. @typedef {"state" | "name" | "last" | "next" | "took"} SortKey */

/** Smallest first; what is equal goes by name. @type {Readonly<Record<SortKey, (row: Row) => number>>} */
const RANKS = {
  state: ({ state }) => rankOf(state),
  name: () => 0,
  last: ({ lastRuns: [last] }) => last === undefined ? Infinity : -last.at,
  next: ({ nextRun }) => nextRun?.kind === "known" ? nextRun.startsAt : Infinity,
  took: ({ durations }) => durations ? -durations.p50Seconds : Infinity,
};

/** What is not known stays at the end, whichever way round. @param {readonly Row[]} rows @param {SortKey} by @param {boolean} [isReverse] */
export function sorted(rows, by, isReverse = false) {
  const rank = RANKS[by];
  const sign = isReverse ? -1 : 1;
  return rows.map((row) => ({ row, rank: rank(row), name: nameOf(row) })).sort((a, b) => {
    if (a.rank === b.rank) return by === "name" ? sign * compare(a.name, b.name) : compare(a.name, b.name);
    if (a.rank === Infinity || b.rank === Infinity) return a.rank === Infinity ? 1 : -1;
    return sign * (a.rank - b.rank);
  }).map(({ row }) => row);
}

/** @param {string | undefined} text @returns {{ by: SortKey, isReverse: boolean }} `-next` is the other way round */
export function sortOf(text) {
  const isReverse = text?.startsWith("-") ?? false;
  const by = isReverse ? text?.slice(1) : text;
  return by !== undefined && Object.hasOwn(RANKS, by)
    ? { by: /** @type {SortKey} */ (by), isReverse }
    : { by: "state", isReverse: false };
}

/** @param {{ readonly namespace: string, readonly name: string }} of */
export function nameOf({ namespace, name }) {
  return `${namespace}/${name}`;
}

/**
 * The rows in the order in which they stood before, the new ones behind them: so that nothing moves away under a pointer.
 *
 * @param {readonly string[]} before ids
 * @param {readonly Row[]} now
 * @param {ReadonlyMap<string, Row>} all where rows are found that are not among those any more
 */
export function keptInPlace(before, now, all) {
  const known = new Set(before);
  const kept = before.flatMap((id) => all.get(id) ?? []);
  return [...kept, ...now.filter(({ id }) => !known.has(id))];
}

/** @param {string} a @param {string} b */
function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
