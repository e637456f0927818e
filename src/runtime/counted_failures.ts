import { ApiError } from "../kube/api_error.ts";
import type { ObjectKey } from "../kube/object.ts";
import { UnreachableError } from "../kube/unreachable_error.ts";

/** How long failures of one cause are counted before they are summed up. */
const COUNTED_MS = 60_000;
/** Of how many objects a sum says the name. */
const NAMED = 10;

/** How many causes are distinguished; an error that quotes its object would else be a cause for each. */
const CAUSES = 100;
const OTHER = "other";

/** The failures of one cause since the last line about it. */
export interface FailureSum {
  readonly count: number;
  /** Some of the objects, the latest of which failed last. */
  readonly keys: readonly ObjectKey[];
  readonly sinceMs: number;
  readonly error: unknown;
}

interface Counted extends Omit<FailureSum, "sinceMs"> {
  readonly since: number;
}

/** Failures of objects by their cause: the first is a line at once, the others are counted for a line a minute. */
export class CountedFailures {
  readonly #causes = new Map<string, Counted>();

  /** Notes a failure. Returns whether it is the first of its cause. `now` is monotonic. */
  note(key: ObjectKey, error: unknown, now: number): boolean {
    const cause = this.#causeOf(error);
    const known = this.#causes.get(cause);
    const { since = now, count = -1, keys = [] } = known ?? {};
    const others = keys.filter((other) => other !== key).slice(1 - NAMED);
    this.#causes.set(cause, { since, count: count + 1, keys: known ? [...others, key] : [], error });
    return known === undefined;
  }

  /** Returns what is to be summed up by now, at the end all of it, and forgets causes that came no more. */
  due(now: number, { isEnd = false } = {}): FailureSum[] {
    const sums: FailureSum[] = [];
    for (const [cause, { since, count, keys, error }] of this.#causes) {
      if (now - since < COUNTED_MS && !isEnd) continue;
      if (count === 0) this.#causes.delete(cause);
      else {
        sums.push({ count, keys, sinceMs: now - since, error });
        this.#causes.set(cause, { since: now, count: 0, keys: [], error });
      }
    }
    return sums;
  }

  #causeOf(error: unknown): string {
    const cause = causeOf(error);
    return this.#causes.has(cause) || this.#causes.size < CAUSES ? cause : OTHER;
  }
}

/** The server's answers are of one cause whatever they quote; an error of the program is of its own. */
function causeOf(error: unknown): string {
  if (error instanceof ApiError) return `${error.code} ${error.reason}`;
  return error instanceof UnreachableError ? error.name : String(error);
}
