import type { Asked } from "../proxy/rules.ts";
import type { Episode } from "./history.ts";

/** Counts what controllers ask for, by the second. */
export class Traffic {
  /** When the creation of each Job was asked for, each time; by `namespace/name`. */
  readonly askedAt = new Map<string, number[]>();
  /** How often each was asked for within each second. */
  readonly #counts = new Map<number, Map<string, number>>();

  note({ verb, resource, namespace, name }: Asked, at: number): void {
    const object = `${namespace ?? ""}/${name ?? ""}`;
    if (verb === "create" && resource === "jobs") {
      this.askedAt.set(object, [...this.askedAt.get(object) ?? [], at]);
    }
    // They burst.
    if (resource === "events") return;
    const second = Math.floor(at / 1_000);
    const counts = this.#counts.get(second) ?? new Map<string, number>();
    this.#counts.set(second, counts);
    const what = `${verb} ${resource} ${object}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }

  /** Returns the most requests within a second of a span, and the most of one kind. */
  mostWithin(from: number, to: number): Pick<Episode, "maxRequestsPerSecond" | "mostOftenPerSecond" | "mostOften"> {
    const seconds = [...this.#counts].filter(([second]) => second * 1_000 > from && second * 1_000 <= to);
    const totals = seconds.map(([, counts]) => counts.values().reduce((sum, count) => sum + count, 0));
    const [mostRepeated] = seconds.flatMap(([, counts]) => [...counts]).toSorted(([, a], [, b]) => b - a);
    const [mostOften, mostOftenPerSecond = 0] = mostRepeated ?? [];
    return { maxRequestsPerSecond: Math.max(0, ...totals), mostOftenPerSecond, mostOften };
  }
}
