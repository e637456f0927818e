// A changed spec is acknowledged within seconds, while hundreds of runs of its namespace start.
import { assert, assertEquals } from "@std/assert";
import { BATCH, type Flavour, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import type { CronJobStatus } from "../../src/cronjob/api/types.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { startSlowFront } from "../support/slow_front.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { Starting } from "./support/starting.ts";
import { StillController } from "./support/still_controller.ts";
import { present } from "../support/present.ts";

const NOON = Date.parse("2027-01-01T12:00:00Z");
const DUE = 200;
const IN_FLIGHT = 8;
/** A namespace is not slow yet with this. */
const CREATION_MS = 400;

const cronJob = (name: string, schedule: string) => cronJobOf(PRODUCTION, { name, spec: { schedule } });

test("An edit and a new CronJob are observed within 5 s beside 200 due runs of their namespace, and no other status is written", async () => {
  await using api = await startTestApiServer();
  await using working = new StillController(NOON - 60_000, 20);
  const { clock } = working;
  const requests: string[] = [];
  const ended = Promise.withResolvers<void>();
  await using front = startSlowFront(api.server, ({ method, path }) => {
    const name = path.split("/cronjobs/")[1];
    if (name !== undefined) requests.push(name);
    if (method !== "POST" || !path.endsWith("/jobs")) return undefined;
    requests.push("start");
    return Promise.race([clock.sleep(CREATION_MS), ended.promise]);
  }, { clock, maxInFlight: IN_FLIGHT });
  using _ended = { [Symbol.dispose]: ended.resolve };
  const { resource } = PRODUCTION;
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
  await Promise.all(
    Array.from({ length: DUE }, (_, i) => api.client.create(resource, cronJob(`due-${i}`, "0 12 1 1 *"))),
  );
  await api.client.create(resource, cronJob("edited", "0 0 1 2 *"));
  working.start(front.client);
  await working.eventually("statuses", async () => {
    const { items } = await api.client.list(resource);
    return items.every(({ status, metadata }) => status?.observedGeneration === metadata.generation);
  });
  requests.length = 0;
  const starts = () => requests.filter((name) => name === "start").length;

  await clock.advance(60_000);
  const patch = { type: "merge", body: { spec: { schedule: "0 0 2 2 *" } } } as const;
  await working.eventually("starts", () => front.waiting === IN_FLIGHT);
  await api.client.patch(resource, { namespace: "default", name: "edited" }, patch);
  await api.client.create(resource, cronJob("new", "0 0 1 2 *"));
  for (let ms = 0; ms + CREATION_MS < 5_000; ms += CREATION_MS) {
    await working.eventually("requests in flight", () => front.waiting === IN_FLIGHT);
    await clock.advance(CREATION_MS);
  }
  await working.eventually("both are observed", async () => {
    const { items } = await api.client.list(resource);
    return items.every(({ status, metadata }) => status?.observedGeneration === metadata.generation);
  });
  assertEquals(requests.filter((name) => name !== "start").sort(), ["edited/status", "new/status"]);
  assert(starts() < DUE);
});

const LAST = "2026-03-10T09:59:00Z";

table<[Flavour, CronJobStatus | undefined, boolean]>(
  "A CronJob is awaited until its status acknowledges its spec",
  [
    ["it is new", PRODUCTION, undefined, true],
    ["its spec has changed", PRODUCTION, { observedGeneration: 0 }, true],
    ["its spec was read", PRODUCTION, { observedGeneration: 1 }, false],
    ["its definition lacks the field", TUTORIAL, { lastScheduleTime: LAST }, false],
    ["Kubernetes' status lacks it", BATCH, undefined, false],
  ],
  (flavour, status, isAwaited) => {
    const starting = new Starting({ flavour });
    starting.server.put("cronjobs", present({ ...starting.cronJob, status }));
    starting.deliverAll();
    assertEquals(starting.reconciler.isAwaited("default/c"), isAwaited);
  },
);
