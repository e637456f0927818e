import { RECORD_LOST, RESUME } from "../../../src/cronjob/api/annotations.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { NAMESPACES as NAMESPACE_OBJECTS } from "../../../src/kube/resource.ts";
import { collectionPath } from "../../../src/kube/resource_path.ts";
import { atLeast, must } from "../../support/expected.ts";
import { NO_ENDPOINTS } from "../../support/program.ts";
import { SHORT_LEASE } from "../../support/replica.ts";
import { ProxyThread } from "../proxy/proxy_thread.ts";
import { Api, pause } from "./api.ts";
import { type ControllerOptions, ControllerUnderFault } from "./controller.ts";
import {
  CRON_JOBS,
  CRON_JOBS_WITH_PODS,
  type CronJobPlan,
  flavourOf,
  halfNeverTwice,
  NAMESPACES,
  slotsOf,
  waitsInLine,
} from "./cron_jobs.ts";
import type { Action, FaultKind, Which, WorldName } from "./faults.ts";
import { type Episode, type History, keyOf, type SeenJob } from "./history.ts";
import { namelessRequests } from "./judge.ts";
import { KubeletUnderFault } from "./kubelet.ts";
import { Random, seedOf } from "./random.ts";
import { Recorder } from "./recorder.ts";
import { Traffic } from "./traffic.ts";
import { ServerUnderFault } from "./server.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../../support/crds.ts";
import { kubeconfig } from "../../support/kubeconfig.ts";

/** Within so long after the end of a fault, everything has to go on. */
const RECOVERY_MS = 60_000;
/** What came due this long before the end has been started, or it is said why not. */
const SETTLING_MS = 4_000;
/** How long runs that wait in line for one another may take to start, on a machine that is busy with other worlds. */
const DRAINING_MS = 180_000;

interface WorldSetup {
  readonly controllers: number;
  readonly args: readonly string[];
  readonly hasClock?: boolean;
  readonly mayEnd?: boolean;
  readonly cronJobs: readonly CronJobPlan[];
}

const BOTH_APIS = ["--api", "batch.tutorial.kubebuilder.io/v1", "--api", "batch/v1", "--never-twice", ...NO_ENDPOINTS];

const SETUPS: Record<WorldName, WorldSetup> = {
  "one controller": { controllers: 1, args: BOTH_APIS, cronJobs: CRON_JOBS },
  "one worker": { controllers: 1, args: [...BOTH_APIS, "--concurrent-syncs", "1"], cronJobs: CRON_JOBS },
  "leader and standby": {
    controllers: 2,
    args: [...BOTH_APIS, "--leader-elect", "--leader-election-namespace", "default", ...SHORT_LEASE],
    mayEnd: true,
    cronJobs: CRON_JOBS,
  },
  "two by mistake": { controllers: 2, args: BOTH_APIS, cronJobs: CRON_JOBS },
  "a clock of its own": { controllers: 1, args: BOTH_APIS, hasClock: true, cronJobs: CRON_JOBS },
  "with Pods": { controllers: 1, args: [...BOTH_APIS, "--jobs", "all"], cronJobs: CRON_JOBS_WITH_PODS },
};

interface WorldParts {
  readonly setup: WorldSetup;
  readonly seed: number;
  readonly stack: AsyncDisposableStack;
  readonly clockFile: string;
  readonly server: ServerUnderFault;
  readonly api: Api;
  readonly traffic: Traffic;
  readonly proxy: ProxyThread;
  readonly controllers: readonly ControllerUnderFault[];
  readonly kubelet: KubeletUnderFault | undefined;
  readonly recorder: Recorder;
}

/** An API server, a fault proxy before it, and controllers that know the proxy alone: faults come one after the other. */
export class World implements AsyncDisposable {
  readonly #parts: WorldParts;
  readonly #episodes: Episode[] = [];
  #from = 0;
  /** The newest version that the backup holds. */
  #backedUpVersion = Infinity;

  private constructor(parts: WorldParts) {
    this.#parts = parts;
  }

  /** Resolves when runs are started, before the first fault. */
  static async start(name: WorldName, seed: number, { neverTwice = false } = {}): Promise<World> {
    const { cronJobs, ...rest } = SETUPS[name];
    const setup = { ...rest, cronJobs: neverTwice ? halfNeverTwice(cronJobs) : cronJobs };
    await using stack = new AsyncDisposableStack();
    const folder = await Deno.makeTempDir({ prefix: "cjc-chaos-" });
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const server = stack.use(await ServerUnderFault.start(folder));
    const api = stack.use(new Api(server.address));
    const traffic = new Traffic();
    const proxy = stack.use(await ProxyThread.start(server.address, (asked, at) => traffic.note(asked, at)));
    await furnish(api);
    const clockFile = `${folder}/clock`;
    await Deno.writeTextFile(clockFile, "+0\n");
    const path = `${folder}/kubeconfig`;
    await Deno.writeTextFile(path, kubeconfig({ cluster: { server: proxy.url }, user: {}, namespace: "default" }));
    const options: ControllerOptions = {
      args: ["--kubeconfig", path, ...setup.args],
      folder,
      env: setup.hasClock ? await clockOf(clockFile) : {},
      mayEnd: setup.mayEnd ?? false,
    };
    const controllers = Array.from({ length: setup.controllers }, () => stack.use(new ControllerUnderFault(options)));
    const kubelet = name === "with Pods"
      ? stack.use(new KubeletUnderFault(() => server.address, `${folder}/kubelet`))
      : undefined;
    const recorder = stack.use(new Recorder(api, setup.cronJobs));
    await until("a controller is at work", () => controllers.some(({ leads }) => leads));
    await recorder.begin();
    const parts = { setup, seed, clockFile, server, api, traffic, proxy, controllers, kubelet, recorder };
    const world = new World({ ...parts, stack: stack.move() });
    const without = () => world.#behind(new Map(), { from: 0, to: 0 });
    await until("the first runs", () => without().length === 0, () => `none of ${without().join(", ")}`);
    world.#from = Date.now();
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.stack[Symbol.asyncDispose]();
  }

  /** One fault, and all that it takes until everything goes on. Returns what came of it. */
  async suffer(kind: FaultKind, index: number): Promise<Episode> {
    const seed = seedOf(this.#parts.seed, `${kind.name}/${index}`);
    const { lastsMs, rules, actions } = kind.make(new Random(seed));
    const from = Date.now();
    const ends: (() => Promise<void>)[] = [];
    this.#parts.proxy.send({ rules, seed });
    await Promise.all([
      pause(lastsMs),
      ...actions.map(async (action) => {
        await pause(action.afterMs);
        const end = await this.#act(action);
        if (end) ends.push(end);
      }),
    ]);
    for (const end of ends) await end();
    this.#parts.proxy.send({ rules: [], seed });
    const to = Date.now();
    const isRestored = actions.some((action) => action.do === "restore");
    const { recoveredAt, stuck } = await this.#recovery(from, to, isRestored ? () => this.#resumeHeld() : undefined);
    const episode: Episode = {
      kind: kind.name,
      index,
      from,
      to,
      recoveredAt,
      stuck,
      aimedAt: kind.aimedAt,
      ...this.#parts.traffic.mostWithin(from, to),
      exceptions: kind.exceptions ?? [],
    };
    this.#episodes.push(episode);
    return episode;
  }

  /** What happened, once all is settled. */
  async end(): Promise<History> {
    const at = Date.now();
    await pause(SETTLING_MS);
    const deadline = performance.now() + DRAINING_MS;
    while (this.#missing(0, at).length > 0 && performance.now() < deadline) {
      // It may be found only now that a restored server has forgotten.
      if (this.#backedUpVersion < Infinity) await this.#resumeHeld();
      await pause(250);
    }
    const cronJobs = [...this.#parts.recorder.cronJobs.values()];
    await this.#parts.recorder.seesJobs();
    const jobs = [...this.#parts.recorder.jobs.values()].map((job) => ({ ...job, askedAt: this.#askedAt(job) }));
    // The end of a Job may be seen before the end of its Pods, which another watch shows.
    await pause(1_000);
    return {
      cronJobs,
      jobs,
      pods: [...this.#parts.recorder.pods.values()],
      episodes: this.#episodes,
      from: this.#from,
      until: at,
      crashes: this.#parts.controllers.flatMap(({ crashes }) => crashes),
      nameless: namelessRequests(await this.#parts.server.audited()),
    };
  }

  /** When that creation was asked for of which the Job came. */
  #askedAt({ cronJob, name, seenAt }: SeenJob): number | undefined {
    const [namespace] = cronJob.split("/");
    return this.#parts.traffic.askedAt.get(`${namespace}/${name}`)?.findLast((at) => at <= seenAt);
  }

  /** Does it, and returns how it ends. */
  async #act(action: Action): Promise<(() => Promise<void>) | void> {
    switch (action.do) {
      case "kill controller":
        return this.#controller(action.which).kill();
      case "end controller":
        return this.#controller(action.which).end();
      case "kill controller at request": {
        const [controller] = atLeast(1, this.#parts.controllers);
        controller.expectKill();
        const { nth, when, target } = action;
        this.#parts.proxy.send({ kill: { pid: controller.pid, nth, when, target } });
        return;
      }
      case "pause controller":
        return await this.#controller(action.which).pause(action.forMs);
      case "forget connections":
        return this.#parts.proxy.send({ forget: true });
      case "exhaust files": {
        const { end } = await must(this.#parts.controllers[0]).exhaustFiles();
        return end;
      }
      case "set clock":
        await this.#setClock(action.offsetSeconds);
        return () => this.#setClock(0);
      case "kill server":
        return await this.#parts.server.kill();
      case "pause server":
        return await this.#parts.server.pause(action.forMs);
      case "back up":
        // What is created while the copy is made may be in it or not.
        await this.#parts.server.backUp();
        this.#backedUpVersion = Number(
          (await this.#parts.api.ask("GET", collectionPath(NAMESPACE_OBJECTS))).body.metadata.resourceVersion,
        );
        return;
      case "restore":
        await this.#parts.server.restore();
        return this.#parts.recorder.undoSince(this.#backedUpVersion);
      case "fill disk":
        await this.#parts.server.fillDisk();
        return () => this.#parts.server.freeDisk();
      case "kill kubelet":
        return await this.#parts.kubelet!.kill();
      case "lose node":
        return await this.#parts.kubelet!.lose(this.#parts.api);
      default:
        return action satisfies never;
    }
  }

  /** A user has each CronJob go on that waits for it, as the server has forgotten its records. */
  async #resumeHeld(): Promise<void> {
    const signal = AbortSignal.timeout(RECOVERY_MS);
    const annotations = { [RESUME]: `${Date.now()}` };
    for (const { resource } of new Set(this.#parts.setup.cronJobs.map(flavourOf))) {
      const { body: { items = [] } } = await this.#parts.api.ask("GET", collectionPath(resource), undefined, signal);
      for (const { metadata, status } of items as CronJobObject[]) {
        if (status?.recordLost === undefined && metadata.annotations?.[RECORD_LOST] === undefined) continue;
        const path = `${collectionPath(resource, metadata.namespace)}/${metadata.name}`;
        await this.#parts.api.insist("PATCH", path, { metadata: { annotations } }, signal);
      }
    }
  }

  #controller(which: Which): ControllerUnderFault {
    const leader = () => this.#parts.controllers.find(({ leads }) => leads) ?? this.#parts.controllers[0];
    return must(which === "leader" ? leader() : this.#parts.controllers[which]);
  }

  async #setClock(offsetSeconds: number): Promise<void> {
    await Deno.writeTextFile(this.#parts.clockFile, `${offsetSeconds >= 0 ? "+" : ""}${offsetSeconds}\n`);
  }

  /** `help`: what a user does meanwhile, again and again. */
  async #recovery(
    from: number,
    since: number,
    help?: () => Promise<void>,
  ): Promise<{ recoveredAt: number | undefined; stuck: string[] }> {
    const before = this.#reached();
    const deadline = performance.now() + RECOVERY_MS;
    let stuck: string[];
    while ((stuck = this.#behind(before, { from: from - SETTLING_MS, to: since })).length > 0) {
      if (performance.now() > deadline) {
        for (const controller of this.#parts.controllers) console.log(controller.lastWords);
        return { recoveredAt: undefined, stuck };
      }
      await help?.();
      await pause(200);
    }
    return { recoveredAt: Date.now(), stuck };
  }

  /** The newest slot of each CronJob that has a Job: who refuses runs for ever has not gone on. */
  #reached(): Map<string, number> {
    const reached = new Map<string, number>();
    for (const { cronJob, slot, isUndone } of this.#parts.recorder.jobs.values()) {
      if (!isUndone) reached.set(cronJob, Math.max(reached.get(cronJob) ?? 0, slot));
    }
    return reached;
  }

  /** CronJobs that have started no newer slot since `to`, or leave behind what came due since `from`. */
  #behind(before: ReadonlyMap<string, number>, { from, to }: { from: number; to: number }): string[] {
    const reached = this.#reached();
    const often = this.#parts.setup.cronJobs.filter(({ everySeconds }) => everySeconds < 60).map(keyOf);
    const waiting = often.filter((key) => (reached.get(key) ?? 0) <= Math.max(to, before.get(key) ?? 0));
    return [...waiting, ...this.#missing(from, to, waitsInLine).filter((key) => often.includes(key))];
  }

  /** CronJobs that must catch up with everything, and have not with what came due between these. */
  #missing(from: number, until: number, mayLack: typeof waitsInLine = () => false): string[] {
    const slots = Map.groupBy(this.#parts.recorder.jobs.values(), ({ cronJob }) => cronJob);
    return [...this.#parts.recorder.cronJobs].filter(([key, { plan, createdAt, statuses }]) => {
      const catchesUp = plan.flavour === "batch" || plan.spec.catchUp?.policy === "All";
      if (!catchesUp || plan.spec.startingDeadlineSeconds !== undefined) return false;
      const started = new Set(slots.get(key)?.map(({ slot }) => slot));
      return slotsOf(plan, createdAt, until).some((slot) =>
        slot > from && !started.has(slot) && !mayLack(statuses.at(-1), slot)
      );
    }).map(([key]) => key);
  }
}

async function furnish(api: Api): Promise<void> {
  const { signal } = new AbortController();
  await api.insist("POST", collectionPath(CUSTOM_RESOURCE_DEFINITIONS), CRONJOB_CRD, signal);
  const path = collectionPath(NAMESPACE_OBJECTS);
  const namespace = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await Promise.all(NAMESPACES.map((name) => api.insist("POST", path, namespace(name), signal)));
}

/** The environment of a process whose wall clock a file sets; its monotonic clock stays right. */
async function clockOf(file: string): Promise<Record<string, string>> {
  const library = `/usr/lib/${Deno.build.arch}-linux-gnu/faketime/libfaketime.so.1`;
  await Deno.stat(library).catch(() => {
    throw new Error(`Cannot set the clock of a process without ${library}, of Debian's libfaketime`);
  });
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    DONT_FAKE_MONOTONIC: "1",
  };
}

async function until(what: string, is: () => boolean, instead = () => ""): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!is()) {
    if (performance.now() > deadline) throw new Error(`Not within a minute: ${what} ${instead()}`);
    await pause(100);
  }
}
