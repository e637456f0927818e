// One namespace's writes take long, as behind a slow admission webhook, while others have the same to do.
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { JOBS, NAMESPACES } from "../../src/kube/resource.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { startSlowFront } from "../support/slow_front.ts";
import { table } from "../support/table.ts";
import { StillController } from "./support/still_controller.ts";

const NOON = Date.parse("2027-01-01T12:00:00Z");
const POLICIES = ["Allow", "Forbid", "Replace", "Queue"] as const;
type Policy = typeof POLICIES[number];
const WORKERS = 4;
/** More than there are workers, and places for requests. */
const SLOW = 12;
const MAX_IN_FLIGHT = 8;

/** A CronJob whose run of today's noon is left to do. */
async function create(client: KubeClient, namespace: string, name: string, spec: Partial<CronJobSpec>): Promise<void> {
  const given = { name, namespace, spec: { schedule: "0 12 * * *", ...spec } };
  await client.create(PRODUCTION.resource, cronJobOf(PRODUCTION, given));
  const status = { lastScheduleTime: formatTime(NOON - 86_400_000) };
  const patch = { type: "merge", body: { status } } as const;
  await client.patch(PRODUCTION.resource, { name, namespace }, patch, { subresource: "status" });
}

type Occasion = "a start" | "a fail-over" | "an edit";

async function judge(occasion: Occasion, concurrencyPolicy: Policy, isSlow: (method: string) => boolean) {
  await using api = await startTestApiServer();
  await using working = new StillController(NOON - 60_000, WORKERS);
  const { clock } = working;
  const opened = Promise.withResolvers<void>();
  let isDelaying = false;
  await using front = startSlowFront(
    api.server,
    ({ method, path }) => isDelaying && path.includes("/slow/") && isSlow(method) ? opened.promise : undefined,
    { clock, maxInFlight: MAX_IN_FLIGHT },
  );
  using _opened = { [Symbol.dispose]: opened.resolve };
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
  for (const name of ["slow", "other"]) {
    await api.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  const suspend = occasion === "an edit";
  const slow = Array.from({ length: SLOW }, (_, i) => `c-${i}`);
  await Promise.all([
    ...slow.map((name) => create(api.client, "slow", name, { concurrencyPolicy, suspend })),
    ...POLICIES.map((policy) =>
      create(api.client, "other", policy.toLowerCase(), { concurrencyPolicy: policy, suspend })
    ),
  ]);
  const lead = Promise.withResolvers<void>();
  if (occasion === "a fail-over") working.start(front.client, { ready: () => lead.promise });
  await clock.advance(90_000);
  if (occasion !== "a fail-over") working.start(front.client);
  if (occasion === "an edit") {
    await working.eventually("statuses", async () => {
      const { items } = await api.client.list(PRODUCTION.resource);
      return items.every(({ status }) => status?.conditions !== undefined);
    });
  }
  isDelaying = true;
  lead.resolve();
  for (const [namespace, names] of [["slow", slow], ["other", POLICIES.map((name) => name.toLowerCase())]] as const) {
    if (occasion !== "an edit") break;
    const patch = { type: "merge", body: { spec: { suspend: false } } } as const;
    for (const name of names) await api.client.patch(PRODUCTION.resource, { name, namespace }, patch);
  }
  await working.eventually("writes that wait", () => front.waiting >= WORKERS);
  for (let ms = 0; ms < 1_000; ms += 50) await clock.advance(50);
  await working.eventually("the other Jobs and statuses", async () => {
    const { items: jobs } = await api.client.list(JOBS, { namespace: "other" });
    const { items } = await api.client.list(PRODUCTION.resource, { namespace: "other" });
    const lastScheduleTime = formatTime(NOON);
    return jobs.length === POLICIES.length &&
      items.every(({ status }) => status?.lastScheduleTime === lastScheduleTime);
  });
}

for (const occasion of ["a start", "a fail-over", "an edit"] as const) {
  table(
    `Neighbours of a namespace whose creations take long have their runs and statuses within a second after ${occasion}`,
    POLICIES.map((policy) => [`under ${policy}`, policy] as const),
    (policy) => judge(occasion, policy, (method) => method === "POST"),
  );
}

table(
  "Neighbours of a namespace have theirs within a second after a start",
  [["whose statuses take long to write", (method: string) => method === "PUT"]] as const,
  (isSlow) => judge("a start", "Forbid", isSlow),
);
