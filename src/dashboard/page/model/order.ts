import type { Row, Target } from "../../wire.ts";
import { STATES } from "../../../view/cron_job_view.ts";

/** By what rows can be sorted. */
export type SortKey = "state" | "name" | "last" | "next" | "took";

/** Smallest first; what is equal goes by name. */
const RANKS: Readonly<Record<SortKey, (row: Row) => number>> = {
  state: ({ state }) => STATES.indexOf(state),
  name: () => 0,
  last: ({ lastRuns: [last] }) => last === undefined ? Infinity : -last.at,
  next: ({ nextRun }) => nextRun?.kind === "known" ? nextRun.startsAt : Infinity,
  took: ({ durations }) => durations ? -durations.p50Seconds : Infinity,
};

/** Unknown values stay at the end, whichever way round. */
export function sorted(rows: readonly Row[], by: SortKey, isReverse: boolean = false) {
  const rank = RANKS[by];
  const sign = isReverse ? -1 : 1;
  return rows.map((row) => ({ row, rank: rank(row), name: nameOf(row) })).sort((a, b) => {
    if (a.rank === b.rank) return by === "name" ? sign * compare(a.name, b.name) : compare(a.name, b.name);
    if (a.rank === Infinity || b.rank === Infinity) return a.rank === Infinity ? 1 : -1;
    return sign * (a.rank - b.rank);
  }).map(({ row }) => row);
}

/** @returns `-next` is the other way round */
export function sortOf(text: string | undefined): { by: SortKey; isReverse: boolean } {
  const isReverse = text?.startsWith("-") ?? false;
  const by = isReverse ? text?.slice(1) : text;
  return isSortKey(by) ? { by, isReverse } : { by: "state", isReverse: false };
}

export function isSortKey(name: string | undefined): name is SortKey {
  return name !== undefined && Object.hasOwn(RANKS, name);
}

export function nameOf({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  return `${namespace}/${name}`;
}

export function namespacesOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.map(({ namespace }) => namespace))].sort();
}

/** The row of the CronJob of this name; undefined where there is none. */
export function rowOf({ apiVersion, namespace, name }: Target, all: Iterable<Row>): Row | undefined {
  for (const row of all) {
    if (row.name === name && row.namespace === namespace && row.apiVersion === apiVersion) return row;
  }
}

/** Returns whether another API has a CronJob of this name. */
export function hasNamesake({ id, namespace, name }: Row, all: Iterable<Row>): boolean {
  for (const row of all) if (row.name === name && row.namespace === namespace && row.id !== id) return true;
  return false;
}

/**
 * The rows in the order in which they stood before, the new ones behind them: so that nothing moves away under a pointer.
 * @param before ids @param all where rows are found that are not among those any more
 */
export function keptInPlace(before: readonly string[], now: readonly Row[], all: ReadonlyMap<string, Row>) {
  const known = new Set(before);
  const kept = before.flatMap((id) => all.get(id) ?? []);
  return [...kept, ...now.filter(({ id }) => !known.has(id))];
}

function compare(a: string, b: string) {
  return a < b ? -1 : a > b ? 1 : 0;
}
