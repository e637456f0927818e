import { assert, assertEquals } from "@std/assert";
import { Command } from "commander";
import { CONTROLLER_OPTIONS, type ControllerOptions } from "../../src/cli/controller/controller_options.ts";
import { leaseTimingsOf } from "../../src/cli/controller/leadership_options.ts";
import { partsOf } from "../../src/cli/controller/parts.ts";
import { NAME_HOLD } from "../../src/cronjob/api/annotations.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { RequestMetrics } from "../../src/kube/request_metrics.ts";
import { EVENTS, JOBS, LEASES } from "../../src/kube/resource.ts";
import { Manager } from "../../src/runtime/manager.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { jobOf } from "../support/job.ts";
import { eventually } from "../support/program.ts";
import { test } from "../support/test.ts";

const ARGS = [
  ["--api", PRODUCTION.apiVersion],
  ["--leader-elect", "--leader-election-namespace", "default"],
  ["--metrics-bind-address", "0", "--health-probe-bind-address", "0"],
].flat();

const WRITES = ["create", "createText", "replace", "patch", "delete"];

/** A client that notes its writes, such as `create jobs`. */
function noting<T extends KubeClient>(client: T, notes: string[], more: Partial<T> = {}): T {
  return new Proxy(client, {
    get(target, name) {
      if (name in more) return Reflect.get(more, name);
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: [{ plural: string }, ...unknown[]]) => {
        if (WRITES.includes(String(name))) notes.push(`${String(name)} ${args[0].plural}`);
        return value.apply(target, args);
      };
    },
  });
}

test("no part of controller writes before it leads, and then all but Events and the Lease passes the guard", async () => {
  await using api = await startTestApiServer();
  const { client: admin, server } = api;
  await admin.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
  await admin.create(PRODUCTION.resource, cronJobOf(PRODUCTION, { name: "often", spec: { schedule: "* * * * *" } }));
  await admin.create(JOBS, jobOf({ name: "held", finalizers: [NAME_HOLD] }));
  const spec = { holderIdentity: "other", leaseDurationSeconds: 3_600 };
  const metadata = { name: "cronjob-controller", namespace: "default" };
  const lease = await admin.create(LEASES, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });

  const command = new Command();
  for (const option of CONTROLLER_OPTIONS) command.addOption(option);
  const options = command.parse(ARGS, { from: "user" }).opts<ControllerOptions>();
  const [guarded, unguarded]: [string[], string[]] = [[], []];
  const client = noting(admin, unguarded, { guarded: (guard) => noting(admin.guarded(guard), guarded) });
  const clock = new FakeClock(Date.now());
  const metrics = new Metrics();
  const material = {
    connection: { server: server.url },
    client,
    clock,
    metrics,
    requests: new RequestMetrics(metrics),
    receivers: { webhook: undefined, pings: undefined },
    timings: leaseTimingsOf(options),
    onApis: () => {},
    signal: new AbortController().signal,
  };
  const manager = new Manager({ clock });
  for (const part of await partsOf(options, material)) manager.add(part);
  const standsBy = async () => (await Promise.all(manager.health.map(({ check }) => check()))).every(({ ok }) => ok);
  const stop = new AbortController();
  let isOver = false;
  const ended = manager.run(stop.signal).finally(() => isOver = true);
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => {
    stop.abort();
    // An Event that is to be sent again waits for its time.
    while (!isOver) await clock.advance(1_000);
    await ended;
  });
  await eventually("its caches are filled", standsBy);
  await clock.advance(120_000);
  assertEquals([guarded, unguarded], [[], []]);

  await admin.replace(LEASES, { ...lease, spec: { ...spec, holderIdentity: "" } });
  await eventually("it leads, starts a run and frees the Job", async () => {
    await clock.advance(1_000);
    const writes = [...guarded, ...unguarded];
    return writes.includes("createText jobs") && writes.includes("patch jobs");
  });
  const others = unguarded.filter((write) => !write.endsWith(EVENTS.plural) && !write.endsWith(LEASES.plural));
  assert(unguarded.includes("replace leases"));
  assertEquals(others, []);
});
