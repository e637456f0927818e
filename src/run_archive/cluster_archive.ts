import { readyOrAborted, unlessAborted } from "../base/abort.ts";
import { arrivalsRead, type Clock } from "../base/clock.ts";
import { type EpochMs, FIRST_INSTANT, LAST_INSTANT } from "../base/epoch_ms.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { FLAVOURS } from "../cronjob/api/flavour.ts";
import type { ChildCache } from "../cronjob/child_cache.ts";
import type { Child } from "../cronjob/api/job.ts";
import type { RunEvent } from "../cronjob/reporter.ts";
import type { Cache } from "../runtime/cache.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Change } from "../runtime/store.ts";
import type { Span, Watched } from "../view/watched.ts";
import { endRunsWithoutJob, keepJob, keepRecords, keepRunOfPeer } from "./job_runs.ts";
import { KeptRuns } from "./kept_runs.ts";
import { peerLines, type Peers, readPeerLine, watchedOf } from "./peers.ts";
import { watchedUntil } from "./watched.ts";

export interface ClusterArchiveOptions {
  readonly database: string;
  readonly clock: Clock;
  readonly jobs: ChildCache;
  /** How long runs are kept. */
  readonly runsMs: number;
  /** How large the database may grow. */
  readonly bytes: number;
  /** Other replicas, by an address that leads to any of them, perhaps to this one; absent: none is asked. */
  readonly peers?: Peers | undefined;
}

/** The time between an instant and the mark that all was seen until then: a SIGKILL makes a gap of twice this time at most. */
const MARK_MS = 2_500;
/** Runs that are removed at a time, as nothing else is done meanwhile. */
const REMOVED_RUNS = 1_000;
/** The time between two questions about gaps to other replicas, and the most gaps that are asked about at a time. */
const ASK_MS = 30_000;
const MAX_GAPS = 20;
/** How long before or after a gap a run may have been due that started or ended in it. */
const MARGIN_MS = 7 * 86_400_000;
/** How long changes are gathered, so that the last of each Job is written: one by one they cost thrice as much. */
const WRITE_MS = 1_000;
/** The most changes that wait for a disk that takes none. Beyond it they are dropped, and {@linkcode ClusterArchive} reads the Jobs anew. */
const MOST_WAITING = 10_000;
/** Objects that are read or written at once, while runs wait to start. */
const BATCH = 50;

/**
 * Keeps the runs that a replica sees, whether it leads or not, after their Jobs are gone.
 *
 * Flow
 * 1. A run is written down when its Job is first seen, and again whenever the Job says something new.
 * 2. A run that got no Job is written down as a status records it, or as this replica reports it.
 * 3. Whenever Jobs were listed anew, or a write failed, the Jobs and statuses that are there fill in missed runs.
 *
 * Guarantees: times in which a Job may have come and gone unseen are gaps; a SIGKILL makes a gap of the last 5 s at most,
 * and a watch that goes on where it broke makes none.
 *
 * A gap that another replica has watched is closed once all of its runs are here.
 *
 * Caveats: of a Job that came and went in a gap nothing is known but what a status records, and of one that was deleted
 * before it ended nothing says how it ended. No status of `batch/v1` records a run without a Job: only the replica that
 * leads keeps those.
 */
export class ClusterArchive extends KeptRuns implements Runnable {
  readonly #options: ClusterArchiveOptions;
  readonly #followed = new Set<Cache<CronJob>>();
  /** The instant since which nothing was missed; undefined before the first. */
  #since: EpochMs | undefined;
  /** The last change of each Job, by UID, that is not written yet. */
  readonly #changes = new Map<string, Change<Child>>();
  #hasCome = Promise.withResolvers<void>();
  /** When Jobs were listed, and how often writing had failed, as of then. */
  #begun: { readonly listedAt: EpochMs | undefined; readonly failures: number } | undefined;
  /** The CronJobs whose status may record a run that nothing here has seen. */
  readonly #unread = new Set<CronJob>();
  /** The instant before which runs were removed, as the database had grown too large. */
  #tooMuch: EpochMs = FIRST_INSTANT;

  /** Opens the database, which {@linkcode run} closes: in between the process needs no permission to write. */
  constructor(options: ClusterArchiveOptions) {
    super(options.database, options.clock);
    this.#options = options;
  }

  /** Writes down also what these CronJobs record, until the result is disposed of. */
  follow(cronJobs: Cache<CronJob>): Disposable {
    this.#followed.add(cronJobs);
    const following = new DisposableStack();
    following.defer(() => this.#followed.delete(cronJobs));
    following.use(cronJobs.onChange(({ type, object }) => {
      if (type === "added") this.#unread.add(object as CronJob);
      else if (type === "modified") this.#keepRecords(object as CronJob, { onlyRefused: true });
    }));
    return following;
  }

  /** Takes note of runs without a Job that no status records. */
  override takeEvent(event: RunEvent): void {
    const { openStatus } = FLAVOURS.find(({ apiVersion }) => apiVersion === event.apiVersion) ?? {};
    if (!openStatus) super.takeEvent(event);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { jobs } = this.#options;
    using _tables = this.tables;
    using _following = jobs.onChange((change) => {
      this.#changes.set(change.object.metadata.uid, change);
      this.#hasCome.resolve();
    });
    const writing = this.#write(signal);
    if (await readyOrAborted([jobs], signal)) await Promise.all([this.#watch(signal), this.#askPeers(signal)]);
    await writing;
  }

  /** Returns since when this replica has watched, and the gaps. */
  watched(): Watched {
    const now = this.clock.now();
    const current = this.#since !== undefined && this.#isWatching() ? [{ since: this.#since, until: now }] : [];
    return watchedUntil(now, [...this.tables.watched(), ...current].sort((a, b) => a.since - b.since));
  }

  /** Removes some of the runs that are too old, or the oldest runs where the database is too large. */
  prune(): void {
    const { runsMs, bytes } = this.#options;
    this.tables.removeRunsBefore(this.clock.now() - runsMs, REMOVED_RUNS);
    if (this.tables.bytes() > bytes) {
      this.#tooMuch = Math.max(this.#tooMuch, (this.tables.removeRunsBefore(LAST_INSTANT, REMOVED_RUNS) ?? 0) + 1);
    }
    this.tables.removeWatchedBefore(this.#keptSince);
    if (this.#since !== undefined) this.#since = Math.max(this.#since, this.#keptSince);
  }

  /** Returns the lines of a span for another replica. */
  peerLines(span: Span): AsyncGenerator<string> {
    return peerLines({ tables: this.tables, watched: this.watched(), until: this.clock.now() - MARK_MS }, span);
  }

  get #keptSince(): EpochMs {
    return Math.max(this.#tooMuch, this.clock.now() - this.#options.runsMs);
  }

  async #askPeers(signal: AbortSignal): Promise<void> {
    const { peers } = this.#options;
    while (peers !== undefined) {
      await this.clock.sleep(ASK_MS, signal).catch(() => {/* it ends */});
      if (signal.aborted) return;
      try {
        const { since, gaps } = this.watched();
        const missed = since === undefined ? [] : [{ since: this.#keptSince, until: since }, ...gaps];
        // The newest first.
        for (const gap of missed.filter(({ since, until }) => since < until).reverse().slice(0, MAX_GAPS)) {
          await this.#fill(gap, peers, signal);
        }
      } catch (error) {
        if (!signal.aborted) this.complain("Cannot read the history of another replica: {error}", error);
      }
    }
  }

  /** Fills a gap with a peer's runs. The peer that answers may be this very replica, which has no more than before. */
  async #fill(gap: Span, peers: Peers, signal: AbortSignal): Promise<void> {
    const { failures } = this;
    let watched: readonly Span[] = [];
    const span = { since: gap.since - MARGIN_MS, until: gap.until + MARGIN_MS };
    for await (const line of peers.linesIn(span, signal)) {
      const { watched: peer, run, isAll } = readPeerLine(line);
      if (run) this.attempt(() => keepRunOfPeer(this.tables, run));
      if (signal.aborted || this.failures !== failures || this.tables.bytes() > this.#options.bytes) return;
      if (peer) watched = watchedOf(peer, gap);
      if (watched.length === 0) return;
      if (isAll) watched.forEach((span) => this.attempt(() => this.tables.putWatched(span)));
    }
  }

  /** Writes down the changes that have gathered, the last ones when it ends. */
  async #write(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await unlessAborted(this.#hasCome.promise, signal);
      this.#hasCome = Promise.withResolvers();
      await this.clock.sleep(WRITE_MS, signal).catch(() => {/* it ends */});
      await this.#writeAll(signal);
    }
  }

  /**
   * Writes down the changes in their order. Where some cannot be written, all wait for the next time: of a Job that is gone
   * nothing else says how it ended.
   */
  async #writeAll(signal: AbortSignal): Promise<void> {
    const { failures } = this;
    while (this.#changes.size > 0) {
      const changes = this.#changes.values().take(BATCH).toArray();
      for (const { object } of changes) this.#changes.delete(object.metadata.uid);
      this.attempt(() => this.tables.atOnce(() => changes.forEach((change) => keepJob(this.tables, change))));
      if (this.failures !== failures) return this.#putBack(changes);
      if (!signal.aborted) await arrivalsRead();
    }
  }

  /** Puts changes back behind all others, as one of them alone may be at fault. */
  #putBack(changes: readonly Change<Child>[]): void {
    for (const change of changes) this.#changes.set(change.object.metadata.uid, change);
    if (this.#changes.size > MOST_WAITING) this.#changes.clear();
  }

  /** Writes down what statuses record. Goes on until something fails. */
  async #readStatuses(signal: AbortSignal): Promise<void> {
    const { failures } = this;
    let done = 0;
    for (const cronJob of this.#unread) {
      if (signal.aborted || this.failures !== failures) return;
      this.#unread.delete(cronJob);
      this.#keepRecords(cronJob, { onlyRefused: false });
      if (++done % BATCH === 0) await arrivalsRead();
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const look = () => ({ wall: this.clock.now(), monotonic: this.clock.monotonic() });
    for (let now = look(), before = now; !signal.aborted; [before, now] = [now, look()]) {
      if (!this.#isUnbroken()) await this.#begin(signal);
      // A clock was set: no length of time follows from its two instants.
      else if (Math.abs(now.wall - before.wall - (now.monotonic - before.monotonic)) > MARK_MS) this.#since = now.wall;
      await this.#readStatuses(signal);
      const wasWatching = this.#isWatching();
      await this.clock.sleep(MARK_MS, signal).catch(() => {/* it ends */});
      if (signal.aborted) return;
      await this.#writeAll(signal);
      if (wasWatching && this.#isWatching()) this.attempt(() => this.#mark(now.wall));
    }
  }

  #mark(until: EpochMs): void {
    // Here, where the API server's certificate is valid by this clock: one that is years ahead removes nothing.
    this.prune();
    if (this.#since !== undefined && this.#since <= until) this.tables.putWatched({ since: this.#since, until });
  }

  /** Whether nothing was missed since `#begun`, as far as a watch has shown by now. */
  #isUnbroken(): boolean {
    return this.#begun?.listedAt === this.#options.jobs.listedAt && this.#begun?.failures === this.failures;
  }

  #isWatching(): boolean {
    return this.#options.jobs.connected && this.#isUnbroken();
  }

  /** Begins anew, by the Jobs and statuses that are there now. */
  async #begin(signal: AbortSignal): Promise<void> {
    const { jobs } = this.#options;
    const { failures } = this;
    const hasFailed = failures !== (this.#begun?.failures ?? 0);
    const since = hasFailed ? this.clock.now() : jobs.listedAt!;
    const begun = { listedAt: jobs.listedAt, failures };
    this.#since = undefined;
    this.attempt(() => endRunsWithoutJob(this.tables, jobs));
    if (hasFailed) {
      for (const object of jobs.store.values()) this.#changes.set(object.metadata.uid, { type: "added", object });
      await this.#writeAll(signal);
    }
    if (this.failures !== failures) return;
    for (const cronJobs of this.#followed) {
      for (const cronJob of cronJobs.store.values()) this.#unread.add(cronJob as CronJob);
    }
    [this.#begun, this.#since] = [begun, since];
  }

  #keepRecords(cronJob: CronJob, { onlyRefused }: { readonly onlyRefused: boolean }): void {
    this.attempt(() => keepRecords(this.tables, cronJob, { jobs: this.#options.jobs, onlyRefused }));
  }
}
