import type { Lane } from "../../../src/kube/client.ts";
import { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { LIMITED_LANES } from "../../../src/kube/lanes/places.ts";
import type { LanesView } from "../../../src/kube/transport/request.ts";
import { type Job, JOBS } from "../../../src/kube/resource.ts";
import { FakeClock, settle } from "../../support/fake_clock.ts";
import { json, ScriptedServer, stored } from "./scripted_server.ts";

/** The path of a namespace's Jobs. */
export function jobsOf(namespace: string): string {
  return `/apis/batch/v1/namespaces/${namespace}/jobs`;
}

/** A Job as the server answers it. */
export function job(namespace: string): Job {
  return stored(JOBS, "j", namespace);
}

/** A client whose clock moves only by hand, so that a request that waits for time does not come back by itself. */
export class World implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly server = new ScriptedServer();
  readonly client: HttpKubeClient;
  #answered = 0;
  #lanes!: LanesView;

  /** How many requests have their answer. */
  get answered(): number {
    return this.#answered;
  }

  /** How long the client has held requests back. */
  get pausedMs(): number {
    return this.#lanes.pauses.lastedMs;
  }

  /** When the last of these pauses ended. */
  get pausedUntil(): number {
    return this.#lanes.pauses.until;
  }

  constructor() {
    const onLanes = (lanes: LanesView) => void (this.#lanes = lanes);
    this.client = HttpKubeClient.to({ server: this.server.url }, {
      clock: this.clock,
      observer: { onRequest: () => this.#answered++, onLanes },
    });
    this.server.on("GET /version", json({}));
  }

  create(namespace: string, lane: Lane = "run"): Promise<Job> {
    return this.client.create(JOBS, job(namespace), { lane });
  }

  /** How many requests there have been of `what`. */
  requests(what: string): number {
    return this.server.requests.filter(({ method, path }) => `${method} ${path}`.startsWith(what)).length;
  }

  /** Lets time pass in small steps, with all the answers that the server gives meanwhile. */
  async advance(ms: number): Promise<void> {
    const end = this.clock.monotonic() + ms;
    const stepMs = Math.max(100, ms / 15);
    while (this.clock.monotonic() < end) {
      await this.clock.advance(Math.min(stepMs, end - this.clock.monotonic()));
      await this.quiet();
    }
  }

  /** Resolves when the server has been asked how it is, and everything has been answered. */
  async probed(): Promise<void> {
    while (this.requests("GET /version") === 0) await settle();
    await this.quiet();
  }

  /** Resolves when everything has been answered. */
  async quiet(): Promise<void> {
    for (let quiet = 0; quiet < 3;) {
      await settle();
      const busy = this.#answered < this.server.requests.length ||
        ["lease" as const, ...LIMITED_LANES].some((lane) => this.#lanes.inFlight(lane) > 0);
      quiet = busy ? 0 : quiet + 1;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}
