import { SystemClock } from "../../../src/base/clock.ts";
import { TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import { followChildren } from "../../../src/cronjob/child_cache.ts";
import { CronJobController } from "../../../src/cronjob/controller.ts";
import { NameKeeper } from "../../../src/cronjob/name_keeper.ts";
import type { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { JOBS } from "../../../src/kube/resource.ts";
import { Group } from "../../../src/runtime/group.ts";

/** When a controller is killed: the Job is there, and no status says so. */
export type Moment = "after the creation" | "before the status";

/** Returns the answer to a dead controller: a promise of its own, as a shared one would keep all of them in memory. */
const noAnswer = () => new Promise<never>(() => {});
const DRAIN_MS = 100;

/**
 * One controller of one namespace in this process, put together as the program does. It is killed by being abandoned: at that
 * moment its connections end, none of its requests leaves any more, and no answer reaches it.
 */
export class AbandonedController {
  /** Resolves with the name of the Job that was there, and in no status, when the controller was killed. */
  readonly killed: Promise<string>;
  readonly #client: HttpKubeClient;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #onKill: (jobName: string) => void;
  #isDead = false;
  #created: string | undefined;

  constructor(
    { client, namespace, holdMs, kill }: {
      client: HttpKubeClient;
      namespace: string;
      /** As `holdMsOf` returns it. */
      holdMs: number;
      /** Absent: it lives on. */
      kill?: Moment;
    },
  ) {
    this.#client = client;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.killed = promise;
    this.#onKill = resolve;
    const clock = new SystemClock();
    const asked = this.#mortal(client, kill);
    const jobs = followChildren({ client: asked, clock, flavours: [TUTORIAL], namespaces: [namespace] });
    const options = { client: asked, clock, jobs, drainMs: DRAIN_MS };
    const controller = new CronJobController({
      ...options,
      flavour: TUTORIAL,
      recorder: { record() {} },
      neverTwice: { byDefault: false },
      namespaces: [namespace],
    });
    const group = new Group(clock);
    group.add(controller);
    group.add(new NameKeeper({ ...options, controllers: [controller], holdMs }));
    this.#running = group.run(this.#stop.signal);
    this.#running.catch(() => {/* what is abandoned does not end in order */});
  }

  /** Ends one that lives on. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#client[Symbol.asyncDispose]();
  }

  async #die(jobName: string): Promise<void> {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#stop.abort();
    await this.#client[Symbol.asyncDispose]();
    this.#onKill(jobName);
  }

  /** Returns the client as it appears to a controller that is killed at this moment. */
  #mortal(client: HttpKubeClient, kill: Moment | undefined): HttpKubeClient {
    return new Proxy(client, {
      get: (target, name) => {
        const method = Reflect.get(target, name, target);
        if (typeof method !== "function") return method;
        return (...args: unknown[]) => {
          const [resource, object, { subresource }] = [args[0], args[1], (args[2] ?? {}) as { subresource?: string }];
          const isCreation = name === "createText" && resource === JOBS;
          const isStatus = name === "replace" && subresource === "status";
          if (isStatus && kill === "before the status" && this.#created !== undefined) this.#die(this.#created);
          if (this.#isDead) return name === "watch" ? this.#untilDead([]) : noAnswer();
          const answer = Reflect.apply(method, target, args);
          if (name === "watch") return this.#untilDead(answer as AsyncIterable<unknown>);
          if (!(answer instanceof Promise)) return answer;
          return answer.then((value) => {
            if (isCreation) this.#created = (object as { name: string }).name;
            if (isCreation && kill === "after the creation") this.#die(this.#created!);
            return this.#isDead ? noAnswer() : value;
          }, (error) => this.#isDead ? noAnswer() : Promise.reject(error));
        };
      },
    });
  }

  async *#untilDead<T>(events: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
    try {
      for await (const event of events) {
        if (this.#isDead) return;
        yield event;
      }
    } catch (error) {
      if (!this.#isDead) throw error;
    }
  }
}
