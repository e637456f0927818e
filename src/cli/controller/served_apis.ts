import { Stage, unlessAborted } from "../../base/abort.ts";
import { after, type Clock } from "../../base/clock.ts";
import { type Flavour, FLAVOURS } from "../../cronjob/api/flavour.ts";
import { isServed } from "../../cronjob/served_flavours.ts";
import type { KubeClient } from "../../kube/client.ts";
import { eachNamespace } from "../../kube/namespaces.ts";
import { isAllowed } from "../../kube/rights.ts";
import type { HealthCheck } from "../../runtime/health_check.ts";
import type { Runnable } from "../../runtime/runnable.ts";
import { loggerFor } from "../../telemetry/logging.ts";

const logger = loggerFor("controller");

/** Between two looks. */
const LOOK_MS = 30_000;
/** After a look that failed. */
const AGAIN_MS = 2_000;
/** How long one look at one API may take. */
const LIMIT_MS = 5_000;

/** The parts that run the CronJobs of one API. */
export interface ApiRunner {
  /** Whether it can follow them now. */
  readonly isFollowing: boolean;
  /** Resolves when they have ended. */
  stop(): Promise<void>;
}

/** The answer of one look at one API. */
interface Look {
  readonly flavour: Flavour;
  /** Why it is not to be run; undefined where it is. */
  readonly why: string | undefined;
}

export interface ServedApisOptions {
  /** Writes nothing. */
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The namespaces whose CronJobs are run; empty for all. */
  readonly namespaces: readonly string[];
  /** APIs that are run whether the cluster has them or not, and no others; empty: those that it has. */
  readonly named: readonly Flavour[];
  readonly start: (flavour: Flavour) => ApiRunner;
  /** Called when other APIs are served than before, or for other reasons, with a sentence on those that are not. */
  readonly onChange: (served: readonly Flavour[], detail: string) => void;
}

/**
 * Starts what runs the CronJobs of each API that the cluster has and that this process may watch, also of one that appears
 * later. An API that is gone is left once its CronJobs can't be followed either: one API server of several may not have heard
 * of it yet. Of an API that gives no answer counts what was known of it.
 *
 * Every authenticated user may ask which APIs there are, and what they may do themselves: it takes no rights.
 */
export class ServedApis implements Runnable {
  readonly name = "served APIs";
  readonly #options: ServedApisOptions;
  readonly #apis: readonly Flavour[];
  readonly #runners = new Map<Flavour, ApiRunner>();
  readonly #whys = new Map<Flavour, string>();
  readonly #failing = new Set<Flavour>();
  #said: string | undefined;

  constructor(options: ServedApisOptions) {
    this.#options = options;
    this.#apis = options.named.length > 0 ? options.named : FLAVOURS;
  }

  readonly health: readonly HealthCheck[] = [{
    name: "served-apis",
    live: false,
    check: () => this.#runners.size > 0 ? { ok: true } : { ok: false, detail: this.#said ?? "not looked yet" },
  }];

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(this.#failing.size > 0 ? AGAIN_MS : LOOK_MS, signal).catch(() => {/* it ends */});
      if (!signal.aborted) await this.look(signal);
    }
  }

  /** Looks at what there is, and starts and stops what runs it. Never rejects: a look that fails changes nothing. */
  async look(signal: AbortSignal): Promise<void> {
    const looks = await Promise.all(this.#apis.map((flavour) => this.#lookAt(flavour, signal)));
    if (signal.aborted) return;
    await Promise.all(looks.map((look) => look && this.#take(look)));
    this.#say();
  }

  /** Returns undefined where there is no answer. */
  async #lookAt(flavour: Flavour, signal: AbortSignal): Promise<Look | undefined> {
    using look = new Stage(signal);
    const late = () => look.abort(new Error(`no answer within ${LIMIT_MS / 1_000} s`));
    using _timer = after(this.#options.clock, LIMIT_MS, late);
    try {
      const answer = await unlessAborted(this.#whyNot(flavour, look.signal), look.signal);
      if (!answer) throw look.signal.reason;
      this.#failing.delete(flavour);
      return { flavour, ...answer };
    } catch (error) {
      if (!signal.aborted) this.#failed(flavour, error);
      return undefined;
    }
  }

  #failed(flavour: Flavour, error: unknown): void {
    const message = "Cannot see whether there is {apiVersion}, trying again: {error}";
    const properties = { apiVersion: flavour.apiVersion, error };
    if (this.#failing.has(flavour)) logger.debug(message, properties);
    else logger.warn(message, properties);
    this.#failing.add(flavour);
  }

  async #whyNot(flavour: Flavour, signal: AbortSignal): Promise<Pick<Look, "why">> {
    const { client, named } = this.#options;
    if (named.length > 0) return { why: undefined };
    if (!await isServed(client, flavour.apiVersion, signal)) return { why: "the cluster does not have it" };
    return { why: this.#runners.has(flavour) ? undefined : await this.#whyForbidden(flavour, signal) };
  }

  async #whyForbidden({ resource }: Flavour, signal: AbortSignal): Promise<string | undefined> {
    const { client, namespaces } = this.#options;
    const asked = (["list", "watch"] as const).flatMap((verb) =>
      eachNamespace(namespaces).map((namespace) => ({ verb, resource, namespace }))
    );
    const answers = await Promise.all(asked.map((attributes) => isAllowed(client, attributes, signal)));
    if (answers.every((may) => may)) return undefined;
    const where = namespaces.length === 0 ? "all namespaces" : namespaces.join(", ");
    return `this controller may not list and watch its CronJobs in ${where}`;
  }

  async #take({ flavour, why }: Look): Promise<void> {
    const runner = this.#runners.get(flavour);
    if (why === undefined && !runner) this.#runners.set(flavour, this.#options.start(flavour));
    if (why === undefined) return void this.#whys.delete(flavour);
    this.#whys.set(flavour, why);
    if (!runner || runner.isFollowing) return;
    this.#runners.delete(flavour);
    // Two that ran it at a time would not know what the other one starts.
    await runner.stop();
  }

  #say(): void {
    const others = this.#apis.filter((flavour) => !this.#runners.has(flavour));
    const detail = others.map((flavour) =>
      `${flavour.apiVersion}: ${this.#whys.get(flavour) ?? "it cannot be seen whether the cluster has it"}`
    ).join("; ");
    if (detail === this.#said) return;
    this.#said = detail;
    this.#options.onChange(this.#apis.filter((flavour) => this.#runners.has(flavour)), detail);
  }
}
