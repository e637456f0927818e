import type { EpochMs } from "../base/epoch_ms.ts";
import type { Requests } from "./requests.ts";
import { type DoneRuns, type Span, visitRuns } from "./runs.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** How many minutes one cell of the picture stands for. */
export const CELL_MINUTES = 5;
const CELL_MS = CELL_MINUTES * MINUTE_MS;

export interface Peak {
  readonly value: number;
  /** The first instant at which it is reached. */
  readonly at: EpochMs;
}

/** The sum of the starts and active runs of many CronJobs, second by second. */
export class Load {
  readonly #span: Span;
  readonly #from: EpochMs;
  readonly #starts: Int32Array;
  /** The change against the second before. */
  readonly #active: Int32Array;
  readonly #cpuMillis: Float64Array;
  readonly #memoryBytes: Float64Array;

  constructor(span: Span) {
    this.#span = span;
    this.#from = Math.floor(span.from / CELL_MS) * CELL_MS;
    const cells = Math.ceil((span.to - this.#from) / CELL_MS);
    const seconds = cells * CELL_MS / SECOND_MS;
    this.#starts = new Int32Array(cells * CELL_MINUTES);
    this.#active = new Int32Array(seconds + 1);
    this.#cpuMillis = new Float64Array(seconds + 1);
    this.#memoryBytes = new Float64Array(seconds + 1);
  }

  /** Adds the runs of a CronJob, each of which requests so much. */
  add(done: DoneRuns, { cpuMillis, memoryBytes }: Requests): void {
    const { from, to } = this.#span;
    visitRuns(done, ({ startsAt, endsAt }) => {
      if (startsAt >= to || endsAt <= from) return;
      if (startsAt >= from) this.#starts[Math.floor((startsAt - this.#from) / MINUTE_MS)]!++;
      const start = Math.floor((Math.max(startsAt, from) - this.#from) / SECOND_MS);
      const end = Math.floor((Math.min(endsAt, to) - this.#from) / SECOND_MS);
      this.#active[start]!++;
      this.#active[end]!--;
      this.#cpuMillis[start]! += cpuMillis;
      this.#cpuMillis[end]! -= cpuMillis;
      this.#memoryBytes[start]! += memoryBytes;
      this.#memoryBytes[end]! -= memoryBytes;
    });
  }

  get runs(): number {
    return this.#starts.reduce((sum, starts) => sum + starts, 0);
  }

  /** The minute in which the most runs start. */
  get peakStarts(): Peak {
    const peak = highest(this.#starts);
    return { value: peak.value, at: Math.max(this.#span.from, this.#from + peak.index * MINUTE_MS) };
  }

  get peakActive(): Peak {
    return this.#peak(this.#active);
  }

  get peakCpuMillis(): Peak {
    return this.#peak(this.#cpuMillis);
  }

  get peakMemoryBytes(): Peak {
    return this.#peak(this.#memoryBytes);
  }

  /** Of each cell, of which the first begins at a whole five minutes: starts in its busiest minute, and the most active runs. */
  get cells() {
    const count = this.#starts.length / CELL_MINUTES;
    const active = summed(this.#active);
    const seconds = CELL_MS / SECOND_MS;
    return {
      from: this.#from,
      starts: Array.from(
        { length: count },
        (_, i) => highest(this.#starts.subarray(i * CELL_MINUTES, (i + 1) * CELL_MINUTES)).value,
      ),
      active: Array.from({ length: count }, (_, i) => highest(active.subarray(i * seconds, (i + 1) * seconds)).value),
    };
  }

  #peak(changes: Int32Array | Float64Array): Peak {
    const { value, index } = highest(summed(changes));
    return { value, at: Math.max(this.#span.from, this.#from + index * SECOND_MS) };
  }
}

function summed<T extends Int32Array | Float64Array>(changes: T): T {
  let sum = 0;
  return changes.map((change) => sum += change) as T;
}

function highest(values: Int32Array | Float64Array): { value: number; index: number } {
  let highest = { value: values[0] ?? 0, index: 0 };
  values.forEach((value, index) => {
    if (value > highest.value) highest = { value, index };
  });
  return highest;
}
