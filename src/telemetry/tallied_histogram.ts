interface Tally {
  /** `name="value",…` */
  readonly labels: string;
  /** The observations in each bucket; the last bucket has those above all bounds. */
  readonly counts: number[];
  sum: number;
}

export interface TalliedHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds, the least first. */
  readonly buckets: readonly number[];
}

/**
 * A histogram of events that come several times for each run. A library's takes some 15 µs for each observation, for which every
 * due run would wait; this histogram counts, and becomes text when it is read.
 */
export class TalliedHistogram {
  readonly #options: TalliedHistogramOptions;
  readonly #tallies = new Map<string, Tally>();

  constructor(options: TalliedHistogramOptions) {
    this.#options = options;
  }

  /** Shows these label values from now on, though nothing was observed; in the order of `labelNames`. */
  zero(...labels: string[]): void {
    this.#tallyOf(labels);
  }

  /** Counts an observation. `labels` are values in the order of `labelNames`. */
  observe(value: number, ...labels: string[]): void {
    const { buckets } = this.#options;
    const tally = this.#tallyOf(labels);
    const bucket = buckets.findIndex((bound) => value <= bound);
    tally.counts[bucket < 0 ? buckets.length : bucket]!++;
    tally.sum += value;
  }

  /** Returns the histogram in Prometheus' text format. */
  write(): string {
    const { name, help, buckets } = this.#options;
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    for (const { labels, counts, sum } of this.#tallies.values()) {
      let count = 0;
      counts.forEach((inBucket, i) => {
        count += inBucket;
        lines.push(`${name}_bucket{le="${buckets[i] ?? "+Inf"}",${labels}} ${count}`);
      });
      lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`);
    }
    return `${lines.join("\n")}\n\n`;
  }

  #tallyOf(values: readonly string[]): Tally {
    const key = values.join("\0");
    let tally = this.#tallies.get(key);
    if (!tally) {
      const { labelNames, buckets } = this.#options;
      const labels = labelNames.map((name, i) => `${name}="${escaped(values[i] ?? "")}"`).join(",");
      this.#tallies.set(key, tally = { labels, counts: Array(buckets.length + 1).fill(0), sum: 0 });
    }
    return tally;
  }
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => character === "\n" ? "\\n" : `\\${character}`);
}
