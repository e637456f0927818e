import { ApiError, ignoreNotFound } from "../kube/api_error.ts";
import type { Unstored } from "../kube/object.ts";
import { type Lease, LEASES } from "../kube/resource.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { Stage } from "../base/abort.ts";
import { after } from "../base/clock.ts";
import type { LeaderElectionOptions } from "./leader_election_options.ts";
import { doubtOf, freeLease, heldLease, mayTake, nextAttemptMs, type Observed, type Renewal } from "./lease.ts";
import type { Runnable } from "./runnable.ts";
import { watchLease } from "./watch_lease.ts";

const logger = loggerFor("leader-election");

/** This candidate does not lead, or cannot be sure to. */
export class LeadershipLostError extends Error {
  override readonly name = "LeadershipLostError";
}

/** For one more attempt to renew, when a leader wakes up after its deadline: no other candidate may have taken the lease. */
const LAST_CHANCE_MS = 1_000;

/**
 * Lets one of several candidates lead: the one whose name is in a Lease. The rules and timings are client-go's, so that
 * candidates of both kinds can compete.
 *
 * ### Flow
 * 1. While the name of another is in the Lease, and it keeps changing, wait. A watch shows at once when it is given back.
 * 2. When it is free, or did not change for as long as it says, write our own name into it: {@linkcode ready} resolves.
 * 3. Renew it. When that does not succeed for `renewDeadlineMs`, or the name of another is in it, {@linkcode run} rejects.
 * 4. When stopped, give it back. Parts that need the leadership must have stopped by then: a `Manager` that has them
 *    after this part sees to that. Where a write of theirs has had no answer, `mayRelease` keeps the lease instead: the
 *    next leader would list, and act, before that write takes effect.
 *
 * ### Guarantees
 * Two candidates never write the Lease for the same term: each write names the version that it is based on.
 * {@linkcode guard} passes only while no other candidate can have begun to lead, or will within
 * `leaseDurationMs - renewDeadlineMs`.
 *
 * ### Assumptions
 * The candidates' monotonic clocks run at about the same speed. Their wall clocks may say what they like: the times in
 * the Lease are for people, and only times seen on the own clock are compared.
 *
 * ### Caveats
 * A request that left before the guard would stop it may arrive later. Nothing fences it off at the server: what
 * sends it must make sure that it does no harm then, by a deterministic name or a precondition on the version.
 */
export class LeaderElection implements Runnable {
  readonly name = "leader election";
  readonly #options: LeaderElectionOptions & { readonly random: () => number };
  readonly #acquired = Promise.withResolvers<void>();
  #observed: Observed | undefined;
  #renewal: Renewal | undefined;
  #complained = false;
  #hasLed = false;

  constructor(options: LeaderElectionOptions) {
    this.#options = { ...options, random: options.random ?? Math.random };
  }

  /** Resolves when this candidate leads. */
  ready(): Promise<void> {
    return this.#acquired.promise;
  }

  /** Whether this candidate leads, as far as can be known. */
  get isLeader(): boolean {
    return this.#doubt() === undefined;
  }

  /** Whether it has ever led; without leading now, it is about to end. */
  get hasLed(): boolean {
    return this.#hasLed;
  }

  /** For how long the lease of a leader that has not stopped has been over; negative before its end. */
  get overdueMs(): number {
    if (!this.#renewal) return 0;
    const { clock, leaseDurationMs } = this.#options;
    return clock.monotonic() - this.#renewal.monotonic - leaseDurationMs;
  }

  /** The identity of the leader as last seen; undefined where none was. */
  get leader(): string | undefined {
    return this.#observed?.lease.spec?.holderIdentity || undefined;
  }

  /**
   * To be called immediately before every write that only a leader may make.
   *
   * @throws {LeadershipLostError}
   */
  readonly guard = (): void => {
    const doubt = this.#doubt();
    if (doubt) throw new LeadershipLostError(`Cannot write as leader: ${doubt}`);
  };

  /**
   * Competes for the lease, then keeps it, until `signal` is aborted.
   *
   * @throws {LeadershipLostError} when it is lost: there is no way back but a new start
   */
  async run(signal: AbortSignal): Promise<void> {
    const { onChange, identity } = this.#options;
    onChange?.(false);
    try {
      if (!await this.#acquire(signal)) return;
      logger.info("Became leader", { lease: this.#key, identity });
      this.#report(`${identity} became leader`);
      onChange?.(true);
      this.#hasLed = true;
      this.#acquired.resolve();
      await this.#keep(signal);
      await this.#release();
    } finally {
      this.#renewal = undefined;
      onChange?.(false);
    }
  }

  get #key(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }

  #doubt(): string | undefined {
    return doubtOf(this.#renewal, this.#now(), this.#options.renewDeadlineMs);
  }

  #now(): Renewal {
    const { clock } = this.#options;
    return { monotonic: clock.monotonic(), wall: clock.now() };
  }

  /** Returns whether the lease was acquired; else `signal` was aborted. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, retryPeriodMs, random } = this.#options;
    using competing = new Stage(signal);
    let free = Promise.withResolvers<void>();
    const watching = watchLease(this.#options, competing.signal, (lease) => {
      if (lease) this.#observe(lease);
      // Waiting for the next attempt would only lose time.
      if (!lease?.spec?.holderIdentity) free.resolve();
    });
    try {
      while (!signal.aborted) {
        if (await this.#attempt(signal)) return true;
        using wait = new Stage(competing.signal);
        const delayMs = nextAttemptMs(this.#observed, { monotonic: clock.monotonic(), retryPeriodMs, random });
        await Promise.race([clock.sleep(delayMs, wait.signal).catch(() => {}), free.promise]);
        free = Promise.withResolvers();
      }
      return false;
    } finally {
      competing.abort();
      await watching;
    }
  }

  /** Renews until `signal` is aborted. */
  async #keep(signal: AbortSignal): Promise<void> {
    const { clock, renewDeadlineMs, identity } = this.#options;
    for (;;) {
      const last = this.#renewal!.monotonic;
      if (!await this.#pause(signal)) return;
      while (!await this.#attempt(signal)) {
        if (this.leader !== identity) return this.#lose(`${this.leader ?? "no candidate"} holds the lease`);
        if (clock.monotonic() - last >= renewDeadlineMs) {
          return this.#lose(`the lease could not be renewed within ${renewDeadlineMs} ms`);
        }
        if (!await this.#pause(signal)) return;
      }
    }
  }

  /** Returns false if `signal` was aborted meanwhile. */
  #pause(signal: AbortSignal): Promise<boolean> {
    const { clock, retryPeriodMs } = this.#options;
    return clock.sleep(retryPeriodMs, signal).then(() => true, () => false);
  }

  #lose(why: string): never {
    this.#renewal = undefined;
    const { identity } = this.#options;
    logger.error("Stopped leading: {error}", { lease: this.#key, identity, error: why });
    this.#report(`${identity} stopped leading`);
    throw new LeadershipLostError(`Cannot go on as leader: ${why}`);
  }

  /** Tries once to get or to renew the lease. Never rejects. */
  async #attempt(signal: AbortSignal): Promise<boolean> {
    const { clock, renewDeadlineMs } = this.#options;
    using attempt = new Stage(signal);
    // An answer that comes later than this is of no use to a leader, and must not keep a candidate from trying again.
    const usedMs = this.#renewal ? clock.monotonic() - this.#renewal.monotonic : 0;
    const timeoutMs = Math.max(LAST_CHANCE_MS, renewDeadlineMs - usedMs);
    const late = new Error(`no answer within ${Math.round(timeoutMs)} ms`);
    using _timer = after(clock, timeoutMs, () => attempt.abort(late));
    try {
      return await this.#acquireOrRenew(attempt.signal);
    } catch (error) {
      if (signal.aborted) return false;
      const properties = { lease: this.#key, error };
      const expected = error instanceof ApiError && (error.isConflict || error.isAlreadyExists);
      if (expected || this.#complained) logger.debug("Cannot get or renew the lease: {error}", properties);
      else logger.warn("Cannot get or renew the lease: {error}", properties);
      this.#complained ||= !expected;
      return false;
    }
  }

  async #acquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const { client, namespace, name, identity, clock } = this.#options;
    const options = { lane: "lease", signal } as const;
    // A leader that was not contradicted need not look before it renews.
    if (this.#renewal && this.leader === identity) {
      try {
        return await this.#write(this.#observed!.lease, options);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        logger.debug("Cannot renew the lease at once: {error}", { lease: this.#key, error });
      }
    }
    const lease = await client.get(LEASES, { namespace, name }, options).catch(ignoreNotFound);
    if (!lease) {
      const metadata = { namespace, name };
      return await this.#write({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata }, options);
    }
    const observed = this.#observe(lease);
    return mayTake(observed, identity, clock.monotonic()) && await this.#write(lease, options);
  }

  /** Writes this candidate's name into the lease, as it is based on, or makes it. */
  async #write(base: Unstored<Lease>, options: { lane: "lease"; signal: AbortSignal }): Promise<boolean> {
    const { client, identity, leaseDurationMs, annotationsFor } = this.#options;
    // The time before the write: others count from when they see it, which is later.
    const renewal = this.#now();
    const lease = heldLease(base, {
      identity,
      leaseDurationMs,
      now: renewal.wall,
      annotations: annotationsFor?.(identity),
    });
    const written = base.metadata.resourceVersion
      ? await client.replace(LEASES, lease as Lease, options)
      : await client.create(LEASES, lease, options);
    this.#observe(written);
    this.#renewal = renewal;
    this.#complained = false;
    return true;
  }

  /** Remembers a lease, and since when it has been as it is. */
  #observe(lease: Lease): Observed {
    const known = this.#observed;
    if (known?.lease.metadata.resourceVersion === lease.metadata.resourceVersion) return known;
    const before = known?.lease.spec?.holderIdentity;
    const now = lease.spec?.holderIdentity;
    if (now && now !== before && now !== this.#options.identity) {
      logger.info("{leader} leads", { lease: this.#key, leader: now });
    }
    return this.#observed = { lease, at: this.#options.clock.monotonic() };
  }

  /** Hands the lease back, so that the next leader need not wait for it to run out. */
  async #release(): Promise<void> {
    const { client, clock, namespace, name, identity, releaseMs, mayRelease } = this.#options;
    this.#renewal = undefined;
    if (this.leader !== identity) return;
    const about = { lease: this.#key, identity };
    if (mayRelease?.() === false) {
      return logger.warn("Keep the lease until it runs out: something written may still take effect", about);
    }
    using release = new Stage(undefined);
    using _timer = after(clock, releaseMs, () => release.abort(new Error("no answer")));
    const options = { lane: "lease", signal: release.signal } as const;
    const free = (lease: Lease) => client.replace(LEASES, freeLease(lease, clock.now()), options);
    try {
      try {
        await free(this.#observed!.lease);
      } catch (error) {
        if (!(error instanceof ApiError && error.isConflict)) throw error;
        // A renewal whose answer was not waited for has arrived before this.
        const lease = await client.get(LEASES, { namespace, name }, options);
        if (lease.spec?.holderIdentity === identity) await free(lease);
      }
      logger.info("Released the leadership", about);
    } catch (error) {
      logger.warn("Cannot release the leadership, it will run out: {error}", { lease: this.#key, error });
    }
  }

  #report(message: string): void {
    const lease = this.#observed?.lease;
    if (lease) this.#options.recorder?.record({ regarding: lease, type: "Normal", reason: "LeaderElection", message });
  }
}
