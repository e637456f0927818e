import { loggerFor } from "../telemetry/logging.ts";
import { messageOf } from "../telemetry/message_of.ts";
import { aborted, Stage } from "../base/abort.ts";
import { type Clock, endsWithin } from "../base/clock.ts";
import type { HealthCheck } from "./health_check.ts";
import type { Notify } from "./notify_socket.ts";
import type { Runnable } from "./runnable.ts";

const logger = loggerFor("service-manager");

export interface ServiceManagerOptions {
  readonly clock: Clock;
  readonly notify: Notify;
  /** The time within which the service manager must be fed; undefined if it keeps no watchdog. */
  readonly watchdogMs: number | undefined;
  /** The checks of the program's parts. A `live` one that fails keeps the watchdog from being fed. */
  readonly checks: () => readonly HealthCheck[];
  /** Resolves once the API that the controllers work against has answered. */
  readonly answers: (signal: AbortSignal) => Promise<unknown>;
}

/** How often the watchdog is fed within that time, so that a late feed is still in time. */
const FEEDS_IN_TIME = 3;

/**
 * Keeps the service manager (systemd) informed: that the program is ready, that it lives, and that it stops. Added last
 * to a manager, it starts once all other parts are ready, and is the first to hear of the end.
 *
 * The watchdog is fed from the event loop, and only if no part needs a new start and the API answers: a program whose
 * controllers have no API server to talk to is dead to its user.
 */
export class ServiceManager implements Runnable {
  readonly name = "service-manager";
  readonly #options: ServiceManagerOptions;

  constructor(options: ServiceManagerOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#notify("READY=1\nSTATUS=Running CronJobs");
    await (this.#options.watchdogMs === undefined
      ? aborted(signal)
      : this.#keepFeeding(this.#options.watchdogMs, signal));
    await this.#notify("STOPPING=1\nSTATUS=Stopping");
  }

  async #keepFeeding(watchdogMs: number, signal: AbortSignal): Promise<void> {
    const everyMs = watchdogMs / FEEDS_IN_TIME;
    while (!signal.aborted) {
      await this.#feed(everyMs, signal);
      await this.#options.clock.sleep(everyMs, signal).catch(() => {});
    }
  }

  async #feed(withinMs: number, signal: AbortSignal): Promise<void> {
    const dead = await this.#causeOfDeath(withinMs, signal);
    if (signal.aborted) return;
    if (dead === undefined) await this.#notify("WATCHDOG=1");
    else logger.error("Cannot feed the service manager's watchdog: {error}", { error: dead });
  }

  async #causeOfDeath(withinMs: number, signal: AbortSignal): Promise<string | undefined> {
    const failed = this.#options.checks()
      .filter(({ live }) => live)
      .map(({ name, check }) => ({ name, ...check() }))
      .find(({ ok }) => !ok);
    if (failed) return `${failed.name}: ${failed.detail}`;
    using stage = new Stage(signal);
    const answer = this.#options.answers(stage.signal).then(() => undefined, messageOf);
    if (await endsWithin(this.#options.clock, withinMs, answer)) return await answer;
    return `the API does not answer within ${Math.round(withinMs / 1_000)} s`;
  }

  async #notify(state: string): Promise<void> {
    try {
      await this.#options.notify(state);
    } catch (error) {
      logger.warn("Cannot notify the service manager: {error}", { error });
    }
  }
}

/** Returns the watchdog that systemd keeps over this process, in milliseconds. */
export function watchdogOf(env: { get(name: string): string | undefined }, pid: number): number | undefined {
  const microseconds = Number(env.get("WATCHDOG_USEC"));
  const watched = env.get("WATCHDOG_PID");
  if (watched !== undefined && watched !== String(pid)) return undefined;
  return microseconds > 0 ? microseconds / 1_000 : undefined;
}
