import { assertEquals } from "@std/assert";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { FaultProxy } from "../chaos/proxy/fault_proxy.ts";
import { type Misfit, MISFITS } from "../chaos/proxy/rules.ts";
import { test } from "../support/test.ts";
import { PRODUCTION, Running } from "./support/running.ts";

const DAY = "2026-01-05";
const POLICIES = ["Allow", "Forbid", "Queue", "Replace"] as const;

for (const body of MISFITS) {
  test(`CronJobs of every policy go on after creations that were answered with ${body}, and no run is lost or doubled`, async () => {
    await using answering = await Answering.start();
    const { running } = answering;
    for (const name of POLICIES) {
      const spec = { concurrencyPolicy: name, catchUp: { policy: "All" } } as const;
      await running.create(PRODUCTION, spec, { name: name.toLowerCase() });
    }
    await running.known(...POLICIES.map((name) => name.toLowerCase()));
    answering.answer(body);
    running.clock.set(`${DAY}T10:00:00Z`);
    await running.until("creations of all", () => answering.asked.size === POLICIES.length);
    answering.answer(undefined);
    for (const hour of ["10", "11"]) {
      running.clock.set(`${DAY}T${hour}:00:00Z`);
      await running.until(
        `the runs of ${hour}:00`,
        async () => (await startedAt(running, hour)).length === POLICIES.length,
      );
      assertEquals((await startedAt(running, hour)).toSorted(), POLICIES.map((name) => name.toLowerCase()).toSorted());
      for (const job of await running.jobs()) if (!job.status?.completionTime) await running.finish(job);
    }
    assertEquals(answering.nameless, []);
  });
}

/** Whose run of that hour there is. */
async function startedAt(running: Running, hour: string): Promise<string[]> {
  const slot = `${DAY}T${hour}:00:00Z`;
  return (await running.jobs())
    .filter(({ metadata }) => metadata.annotations?.[PRODUCTION.scheduledTimeAnnotation] === slot)
    .map(({ metadata }) => metadata.ownerReferences![0]!.name);
}

/** Controllers behind a proxy that answers creations of Jobs with something else. */
class Answering implements AsyncDisposable {
  /** Of which CronJobs Jobs were asked for, by the beginning of their names. */
  readonly asked = new Set<string>();
  /** Requests that named no object and had to. */
  readonly nameless: string[] = [];
  readonly #proxy: FaultProxy;
  readonly #stack: AsyncDisposableStack;

  private constructor(readonly running: Running, stack: AsyncDisposableStack) {
    this.#stack = stack;
    const { url, caCertificate, token } = running.server.server;
    this.#proxy = new FaultProxy({ url, caCertificate, token }, ({ verb, resource, namespace, name }) => {
      const isNameless = ["update", "patch", "delete"].includes(verb) && name === undefined;
      if (isNameless) this.nameless.push(`${verb} ${resource}`);
      if (verb === "create" && resource === "jobs") this.asked.add(`${namespace}/${name}`.replace(/-\d+$/, ""));
    });
  }

  static async start(): Promise<Answering> {
    const stack = new AsyncDisposableStack();
    const running = stack.use(await Running.start(`${DAY}T09:30:00Z`, { controller: false }));
    const answering = new Answering(running, stack);
    stack.use(answering.#proxy);
    const client = stack.use(HttpKubeClient.to({ server: answering.#proxy.url }));
    // What is under way ends before its connections do.
    stack.defer(() => running.stopControllers());
    await running.startControllers({ client });
    return answering;
  }

  answer(body: Misfit | undefined): void {
    const is = body && { kind: "answer", code: 201, body } as const;
    const target = { verbs: ["create"], resources: ["jobs"] } as const;
    this.#proxy.set(is ? [{ target, chance: 1, fault: { of: "request", is } }] : [], 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
