import type { Clock } from "../../base/clock.ts";
import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { servedFlavours } from "../../cronjob/served_flavours.ts";
import type { KubeClient } from "../../kube/client.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { Rights } from "../../kube/rights.ts";
import type { HealthCheck } from "../../runtime/health_check.ts";
import type { Runnable } from "../../runtime/runnable.ts";
import { loggerFor } from "../../telemetry/logging.ts";

const logger = loggerFor("controller");

/** Between two looks. */
const LOOK_MS = 30_000;
/** After a look that failed. */
const AGAIN_MS = 2_000;

/** The parts that run the CronJobs of one API. */
export interface ApiRunner {
  /** Whether it can follow them now. */
  readonly isFollowing: boolean;
  stop(): void;
}

export interface ServedApisOptions {
  /** Writes nothing. */
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The namespaces whose CronJobs are run; empty for all. */
  readonly namespaces: readonly string[];
  readonly start: (flavour: Flavour) => ApiRunner;
  /** Called when other APIs are served than before, or for other reasons, with a sentence on those that are not. */
  readonly onChange: (served: readonly Flavour[], detail: string) => void;
}

/**
 * Starts what runs the CronJobs of each API that the cluster has and that this process may watch, also of one that appears
 * later. An API that is gone is left once its CronJobs can't be followed either: one API server of several may not have heard
 * of it yet.
 *
 * Every authenticated user may ask which APIs there are, and what they may do themselves: it takes no rights.
 */
export class ServedApis implements Runnable {
  readonly name = "served APIs";
  readonly #options: ServedApisOptions;
  readonly #rights: Rights;
  readonly #runners = new Map<Flavour, ApiRunner>();
  #said: string | undefined;
  #hasFailed = false;

  constructor(options: ServedApisOptions) {
    this.#options = options;
    this.#rights = new Rights(options.client, options.clock);
  }

  readonly health: readonly HealthCheck[] = [{
    name: "served-apis",
    live: false,
    check: () => this.#runners.size > 0 ? { ok: true } : { ok: false, detail: this.#said ?? "not looked yet" },
  }];

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(this.#hasFailed ? AGAIN_MS : LOOK_MS, signal).catch(() => {/* it ends */});
      if (!signal.aborted) await this.look();
    }
  }

  /** Looks at what there is, and starts and stops what runs it. Never rejects: a look that fails changes nothing. */
  async look(): Promise<void> {
    try {
      this.#take(await this.#whyNot());
      this.#hasFailed = false;
    } catch (error) {
      const message = "Cannot see which APIs there are, trying again: {error}";
      if (this.#hasFailed) logger.debug(message, { error });
      else logger.warn(message, { error });
      this.#hasFailed = true;
    }
  }

  /** Returns why an API is not to be run; undefined where it is. */
  async #whyNot(): Promise<(string | undefined)[]> {
    const served = await servedFlavours(this.#options.client);
    return await Promise.all(FLAVOURS.map(async (flavour) => {
      if (!served.includes(flavour)) return "the cluster does not have it";
      return this.#runners.has(flavour) ? undefined : await this.#whyForbidden(flavour);
    }));
  }

  async #whyForbidden({ resource }: Flavour): Promise<string | undefined> {
    const { namespaces } = this.#options;
    const may = (verb: "list" | "watch") => this.#rights.mayEverywhere({ verb, resource }, namespaces);
    if (await may("list") && await may("watch")) return undefined;
    const where = namespaces.length === 0 ? "all namespaces" : namespaces.join(", ");
    return `this controller may not list and watch its CronJobs in ${where}`;
  }

  #take(whys: readonly (string | undefined)[]): void {
    for (const [index, flavour] of FLAVOURS.entries()) {
      const runner = this.#runners.get(flavour);
      if (whys[index] === undefined && !runner) this.#runners.set(flavour, this.#options.start(flavour));
      if (whys[index] === undefined || !runner || runner.isFollowing) continue;
      runner.stop();
      this.#runners.delete(flavour);
    }
    const served = FLAVOURS.filter((flavour) => this.#runners.has(flavour));
    const detail = FLAVOURS.flatMap((flavour, index) =>
      this.#runners.has(flavour) ? [] : [`${apiVersionOf(flavour.resource)}: ${whys[index]}`]
    ).join("; ");
    if (detail !== this.#said) this.#options.onChange(served, detail);
    this.#said = detail;
  }
}
