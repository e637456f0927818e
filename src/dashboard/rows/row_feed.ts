import { StreamHold } from "../../kube/stream_hold.ts";
import { aborted } from "../../base/abort.ts";
import { arrivalsRead, type Clock } from "../../base/clock.ts";
import { IndexedHeap } from "../../runtime/indexed_heap.ts";
import { releaseMemory } from "../../runtime/release_memory.ts";
import { type CronJobView, STATES } from "../../view/cron_job_view.ts";
import { headlinesOf } from "../../view/headline.ts";
import { whyNoLeader } from "../../view/lease_facts.ts";
import { lookAt, type ViewInput } from "../../view/look.ts";
import { type Controllers, UNSEEN } from "../../view/runner.ts";
import { viewOfLook } from "../../view/view_of.ts";
import type { KeptHistory } from "../commands.ts";
import { Followed, type FollowOptions } from "./followed.ts";
import { lookAgainAt } from "./look_again.ts";
import { Remembered } from "./remembered.ts";
import { rowOf } from "./row.ts";
import type { Target } from "../wire.ts";

/** How often is read what watches have said: a run that starts changes its CronJob, its Job and its Pod at once. */
const READ_MS = { min: 250, max: 700 };

/** Looks at so many at a time, and lets others work between. */
const BATCH = 100;

/** How often is asked what is remembered of the next few. */
const HISTORY_MS = 300;

/** How often is asked who leads: within the duration of a Lease. */
const CONTROLLERS_MS = 5_000;

/** Hears which rows have changed, or are gone. */
export type RowListener = (ids: readonly string[]) => void;

/** The program that serves the dashboard. */
export interface ServingProgram {
  /** Whether it has more urgent things to do: what watches say waits as long. */
  readonly isBusy: boolean;
  /** Lines of its own to read before all rows. */
  readonly headlines: readonly string[];
}

export interface RowFeedOptions extends Omit<FollowOptions, "hold"> {
  readonly program: ServingProgram;
  readonly askControllers: () => Promise<Controllers>;
  /** Undefined where nothing is remembered. */
  readonly history: KeptHistory | undefined;
}

/** The kept parts of a row: the text that it is sent as, and what of it is read again. */
interface Shown {
  readonly json: string;
  readonly said: Pick<CronJobView, "state" | "runner">;
}

/**
 * Keeps a row of each CronJob, and informs listeners which have changed. Only what news are about is looked at again, and
 * what time alone may change: when a run comes due, and where that is not known beforehand.
 */
export class RowFeed {
  readonly #clock: Clock;
  readonly #followed: Followed;
  readonly #rows = new Map<string, Shown>();
  readonly #listeners = new Set<RowListener>();
  /** That news are about. */
  readonly #stale = new Set<string>();
  /** When each is to be looked at again. */
  readonly #due = new IndexedHeap<string>();
  readonly #hold = new StreamHold();
  readonly #program: ServingProgram;
  readonly #askControllers: RowFeedOptions["askControllers"];
  readonly #remembered: Remembered | undefined;
  #controllers: Controllers = UNSEEN;
  #headlines: readonly string[] | undefined;
  #ready: Promise<void> | undefined;

  constructor({ program, askControllers, history, ...options }: RowFeedOptions) {
    this.#askControllers = askControllers;
    this.#clock = options.clock;
    this.#program = program;
    this.#hold.hold();
    const { client } = options;
    const cronJobOf = (uid: string) => this.#followed.cronJobOf(uid);
    this.#remembered = history && new Remembered({ client, history, cronJobOf });
    this.#followed = new Followed({ ...options, hold: this.#hold }, (uid) => {
      this.#stale.add(uid);
      this.#remembered?.refresh(uid);
    });
  }

  /** Works until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#followed.run(signal),
      this.#look(signal),
      this.#watchControllers(signal),
      this.#remembered && this.#remember(this.#remembered, signal),
    ]);
  }

  /** Resolves once all that there is has been looked at. Before, nothing is: what is known in part looks otherwise. */
  ready(): Promise<void> {
    return this.#ready ??= Promise.all([this.#followed.ready(), this.#lookAtControllers()]).then(async () => {
      await this.#lookAtStale();
      // Of lists, ten times as much is left behind as is kept.
      if (!this.#program.isBusy) releaseMemory(this.#clock);
    });
  }

  /** The error that keeps rows from being newest now; undefined when all is well. */
  get error(): unknown {
    return this.#followed.error;
  }

  /** The worst first. */
  get ids(): string[] {
    const rankOf = ({ said: { state } }: Shown) => STATES.indexOf(state);
    return Array.from(this.#rows).sort(([, a], [, b]) => rankOf(a) - rankOf(b)).map(([id]) => id);
  }

  /** The lines to read before all rows. */
  get headlines(): readonly string[] {
    this.#headlines ??= headlinesOf(Array.from(this.#rows.values(), ({ said }) => said));
    return [...this.#program.headlines, ...this.#headlines];
  }

  /** The row as JSON; undefined where it is gone. */
  json(id: string): string | undefined {
    return this.#rows.get(id)?.json;
  }

  /** The controllers, as of the last look. */
  get controllers(): Controllers {
    return this.#controllers;
  }

  /** The facts that the row rests on, now. */
  inputOf(id: string): ViewInput | undefined {
    const input = this.#followed.inputOf(id, this.#controllers, this.#clock.now());
    return input && { ...input, ...this.#remembered?.of(id) };
  }

  /** The row of the CronJob of this name; undefined where there is none. */
  idOf(target: Target): string | undefined {
    return this.#followed.uidOf(target);
  }

  listen(listener: RowListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async #watchControllers(signal: AbortSignal): Promise<void> {
    while (await this.#clock.sleep(CONTROLLERS_MS, signal).then(() => true, () => false)) {
      if (!this.#program.isBusy) await this.#lookAtControllers();
    }
  }

  async #remember(remembered: Remembered, signal: AbortSignal): Promise<void> {
    await Promise.race([this.ready(), aborted(signal)]);
    while (await this.#clock.sleep(HISTORY_MS, signal).then(() => true, () => false)) {
      if (this.#program.isBusy) continue;
      for (const uid of await remembered.ask()) this.#stale.add(uid);
    }
  }

  /** Where they are others than before, every row may be. What cannot be asked now stays as it was: no Lease runs out by that. */
  async #lookAtControllers(): Promise<void> {
    const before = leaderOf(this.#controllers);
    this.#controllers = await this.#askControllers().then(
      (found) => ({ ...found, readAt: this.#clock.now() }),
      () => this.#controllers,
    );
    if (leaderOf(this.#controllers) === before) return;
    for (const uid of this.#followed.uids) this.#stale.add(uid);
  }

  async #look(signal: AbortSignal): Promise<void> {
    let pauseMs = READ_MS.min;
    await Promise.race([this.ready(), aborted(signal)]);
    while (await this.#clock.sleep(pauseMs, signal).then(() => true, () => false)) {
      if (this.#program.isBusy) continue;
      const began = this.#clock.monotonic();
      await this.#hold.drain();
      await this.#lookAtStale();
      const tookMs = this.#clock.monotonic() - began;
      pauseMs = Math.min(READ_MS.max, Math.max(READ_MS.min, 4 * tookMs));
    }
  }

  async #lookAtStale(): Promise<void> {
    const now = this.#clock.now();
    for (let next = this.#due.peek(); next && next.priority <= now; next = this.#due.peek()) {
      this.#due.delete(next.key);
      this.#stale.add(next.key);
    }
    const ids = [...this.#stale];
    this.#stale.clear();
    for (let i = 0; i < ids.length; i += BATCH) {
      if (i > 0) await arrivalsRead();
      const changed = ids.slice(i, i + BATCH).filter((id) => this.#lookAt(id));
      if (changed.length > 0) this.#headlines = undefined;
      if (changed.length > 0) { for (const listener of this.#listeners) listener(changed); }
    }
  }

  /** Whether its row is not the same any more. */
  #lookAt(id: string): boolean {
    const input = this.inputOf(id);
    if (!input) {
      this.#due.delete(id);
      return this.#rows.delete(id);
    }
    const look = lookAt(input);
    const view = viewOfLook(look);
    const row = rowOf(input.cronJob, view);
    this.#due.set(id, lookAgainAt(look, view));
    const json = JSON.stringify(row);
    if (this.#rows.get(id)?.json === json) return false;
    this.#rows.set(id, { json, said: { state: row.state, runner: row.runner } });
    return true;
  }
}

/** Returns the same text while the same leader leads. */
function leaderOf({ leases, readAt = -Infinity }: Controllers): string {
  return JSON.stringify(
    leases?.map((lease) => {
      const { holder, serves } = lease.kind === "lease" ? lease : {};
      return [lease.kind, holder, serves, whyNoLeader(lease, readAt)];
    }) ?? null,
  );
}
