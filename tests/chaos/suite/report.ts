import { quantile } from "../../bench/support/statistics.ts";
import { must } from "../../support/expected.ts";
import { slotsOf } from "./cron_jobs.ts";
import { FAULT_KINDS } from "./faults.ts";
import type { Episode, History } from "./history.ts";
import type { WorldPlan } from "./plan.ts";
import { doubledAsDocumented, type Finding, type Wrong } from "./judge.ts";

/** What came of the faults of one kind. */
interface Row {
  episodes: number;
  slots: number;
  wrong: Map<Wrong, number>;
  maxRequestsPerSecond: number;
  slowestRecoveryMs: number;
}

/** Adds up what the worlds found, kind by kind. */
export class Report {
  readonly #seed: number;
  readonly #flags: string;
  readonly #rows = new Map<string, Row>();
  readonly #findings: Finding[] = [];
  /** Of neighbours of a namespace at fault, in ms. */
  readonly #lateness: number[] = [];
  #neverTwiceSlots = 0;
  #doubledAsDocumented = 0;

  constructor(seed: number, { neverTwice }: { neverTwice: boolean }) {
    this.#seed = seed;
    this.#flags = neverTwice ? " --never-twice" : "";
  }

  get isClean(): boolean {
    return this.#findings.length === 0;
  }

  add(history: History, findings: readonly Finding[], lateness: readonly number[]): void {
    this.#findings.push(...findings);
    const { episodes } = history;
    for (const episode of episodes) {
      const row = this.#row(episode.kind);
      row.episodes++;
      row.maxRequestsPerSecond = Math.max(row.maxRequestsPerSecond, episode.maxRequestsPerSecond);
      row.slowestRecoveryMs = Math.max(row.slowestRecoveryMs, (episode.recoveredAt ?? Infinity) - episode.to);
    }
    for (const { plan, createdAt } of history.cronJobs) {
      const slots = slotsOf(plan, createdAt, history.until);
      for (const slot of slots) this.#row(episodeAt(slot, episodes).kind).slots++;
      if (plan.neverTwice) this.#neverTwiceSlots += slots.length;
    }
    this.#doubledAsDocumented += doubledAsDocumented(history);
    for (const { wrong, episode } of findings) {
      const row = this.#row(episode?.kind ?? "none");
      row.wrong.set(wrong, (row.wrong.get(wrong) ?? 0) + 1);
    }
    this.#lateness.push(...lateness);
  }

  /** A world that came to no end. */
  fail({ name, episodes }: WorldPlan, error: unknown): void {
    const kinds = episodes.map(({ kind }) => kind.name).join(", ");
    this.#findings.push({ wrong: "crashed", episode: undefined, message: `the world "${name}" of ${kinds}: ${error}` });
  }

  print(): void {
    const rows = FAULT_KINDS.map(({ name }) => ({ name, row: this.#rows.get(name) })).filter(({ row }) => row);
    console.table(Object.fromEntries(rows.map(({ name, row }) => [name, columns(row!)])));
    const sum = (of: (row: Row) => number) => rows.reduce((all, { row }) => all + of(row!), 0);
    const late = (share: number) => quantile(this.#lateness, share);
    console.log(
      `Seed ${this.#seed}: ${sum(({ episodes }) => episodes)} episodes, ${sum(({ slots }) => slots)} slots, ` +
        `${this.#findings.length} findings; ${this.#neverTwiceSlots} slots with neverTwice; without it ` +
        `${this.#doubledAsDocumented} ran twice in a documented way`,
    );
    if (this.#lateness.length > 0) {
      console.log(
        `Neighbours of a namespace at fault: ${this.#lateness.length} runs, p50 ${late(0.5)} ms late, ` +
          `p99 ${late(0.99)} ms, at most ${late(1)} ms`,
      );
    }
    for (const { wrong, episode, message } of this.#findings) {
      console.log(`\n${wrong}, ${episode?.kind}: ${message}`);
      const again = `--only ${episode?.kind} --episodes ${(episode?.index ?? 0) + 1}${this.#flags}`;
      console.log(`  again: deno task chaos --seed ${this.#seed} ${again}`);
    }
  }

  #row(kind: string): Row {
    let row = this.#rows.get(kind);
    if (!row) {
      row = { episodes: 0, slots: 0, wrong: new Map(), maxRequestsPerSecond: 0, slowestRecoveryMs: 0 };
      this.#rows.set(kind, row);
    }
    return row;
  }
}

function episodeAt(slot: number, episodes: readonly Episode[]): Episode {
  return must(episodes.findLast(({ from }) => from <= slot) ?? episodes[0]);
}

function columns({ episodes, slots, wrong, maxRequestsPerSecond, slowestRecoveryMs }: Row): Record<string, unknown> {
  const count = (what: Wrong) => wrong.get(what) ?? 0;
  const others = [...wrong].filter(([what]) => !["lost", "doubled", "overlapping", "stuck"].includes(what));
  return {
    episodes,
    slots,
    lost: count("lost"),
    doubled: count("doubled"),
    overlapping: count("overlapping"),
    stuck: count("stuck"),
    other: others.map(([what, times]) => `${times} ${what}`).join(", "),
    "max requests/s": maxRequestsPerSecond,
    "well after s": Math.round(slowestRecoveryMs / 100) / 10,
  };
}
