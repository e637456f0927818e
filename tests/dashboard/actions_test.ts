import { assert, assertEquals } from "@std/assert";
import { HISTORY_PAGE_COMMANDS } from "../../src/cli/shared/page_commands.ts";
import type { Commands } from "../../src/dashboard/commands.ts";
import type { ActionResult } from "../../src/dashboard/wire.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { CRON_JOBS, JOBS } from "../../src/kube/resource.ts";
import { startTestApiServer, type TestApiServer } from "../support/api_server.ts";
import { must } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { applyCronJob, startTestDashboard, type TestDashboard } from "./support/dashboard.ts";

const DEFAULT = { namespace: "default" };
const REPORT = { apiVersion: "batch/v1", namespace: "default", name: "report" };
const ADOPTED = { ...REPORT, name: "adopted" };

/** One CronJob that kube-controller-manager may run, and one that is adopted. */
async function withTwo(
  act: (dashboard: TestDashboard, api: TestApiServer) => Promise<void>,
  options: { isReadOnly?: boolean; commands?: Commands } = {},
): Promise<void> {
  await using api = await startTestApiServer({ ephemeral: true });
  await applyCronJob(api.client, { name: "report" });
  await applyCronJob(api.client, { name: "adopted", spec: { suspend: true } });
  const annotations = { "cronjob-controller.dev/managed": "true" };
  const patch = { type: "merge", body: { metadata: { annotations } } } as const;
  await api.client.patch(CRON_JOBS, { ...DEFAULT, name: "adopted" }, patch);
  await using dashboard = startTestDashboard({ client: api.client, ...options });
  await act(dashboard, api);
}

async function done(
  dashboard: TestDashboard,
  action: string,
  body: unknown,
): Promise<{ results: [ActionResult, ...ActionResult[]] }> {
  const response = await dashboard.post(`/api/actions/${action}`, body);
  const answer = await response.json();
  assertEquals(response.status, 200, JSON.stringify(answer));
  return answer;
}

test("run now makes a Job where kube-controller-manager may run the CronJob, and asks the controller elsewhere", async () => {
  await withTwo(async (dashboard, { client }) => {
    const { results } = await done(dashboard, "run", { targets: [REPORT, ADOPTED] });
    assertEquals(results.map(({ target: { name }, result }) => [name, result]), [
      ["report", "done"],
      ["adopted", "done"],
    ]);
    const { items } = await client.list(JOBS, DEFAULT);
    assertEquals(items.map(({ metadata: { name } }) => name), [must(results[0]).job]);
    const adopted = await client.get(CRON_JOBS, { ...DEFAULT, name: "adopted" });
    const trigger = must(adopted.metadata.annotations!["cronjob-controller.dev/trigger"]);
    assert(/^page-\d{8}T\d{6}Z-/.test(trigger), trigger);
  });
});

test("on a standalone, whose CronJobs no other controller runs, a new one is paused and run as its own", async () => {
  await withTwo(async (dashboard, { client }) => {
    assertEquals((await done(dashboard, "run", { targets: [REPORT] })).results[0].result, "done");
    const { results: [paused] } = await done(dashboard, "pause", { targets: [REPORT], until: "2h" });
    assertEquals(paused.result, "done", paused.message);
    const { metadata: { annotations }, spec } = await client.get(CRON_JOBS, { ...DEFAULT, name: "report" });
    assertEquals(Object.keys(annotations!).sort(), ["cronjob-controller.dev/pause", "cronjob-controller.dev/trigger"]);
    assertEquals(must(spec).suspend, false);
  }, { commands: HISTORY_PAGE_COMMANDS });
});

test("a pause has an end and a reason, and what it answers takes it back", async () => {
  await withTwo(async (dashboard, { client }) => {
    const { results: [paused] } = await done(dashboard, "pause", {
      targets: [ADOPTED],
      until: "2h",
      reason: "db <b>migration</b>",
    });
    assertEquals(paused.result, "done");
    assert(paused.message.startsWith("paused until "), paused.message);
    const { metadata } = await client.get(CRON_JOBS, { ...DEFAULT, name: "adopted" });
    const note = JSON.parse(must(metadata.annotations!["cronjob-controller.dev/pause"]));
    assertEquals([note.reason, typeof note.by, typeof note.until], ["db <b>migration</b>", "string", "string"]);

    const { results: [again] } = await done(dashboard, "pause", { targets: [ADOPTED] });
    assertEquals([again.result, again.undo], ["unchanged", undefined]);
    const { results: [resumed] } = await done(dashboard, paused.undo!, { targets: [paused.target] });
    assertEquals(resumed.result, "done", resumed.message);
  });
});

test("what fails for one of several is reported for that one, and keeps nothing of the others back", async () => {
  await withTwo(async (dashboard) => {
    const gone = { ...REPORT, name: "gone" };
    const elsewhere = { ...REPORT, apiVersion: "v1" };
    const { results } = await done(dashboard, "pause", { targets: [gone, elsewhere, REPORT, ADOPTED], until: "2h" });
    assertEquals(results.map(({ result }) => result), ["failed", "failed", "failed", "done"]);
    assert(must(results[0]).message.includes("gone"), must(results[0]).message);
    assertEquals(must(results[1]).message, "There are no CronJobs of v1");
    assert(must(results[2]).message.includes("adopt report"), must(results[2]).message);
  });
});

test("only a Job that goes on, and is the CronJob's own, is deleted", async () => {
  await withTwo(async (dashboard, { client }) => {
    const { results: [{ job }] } = await done(dashboard, "run", { targets: [REPORT] });
    const { results } = await done(dashboard, "delete-job", {
      targets: [{ ...ADOPTED, job }, REPORT, { ...REPORT, job: "nothing" }, { ...REPORT, job }],
    });
    assertEquals(results.map(({ result }) => result), ["failed", "failed", "unchanged", "done"]);
    assertEquals(must(results[0]).message, `the Job ${job} is none of its own`);
    assertEquals((await client.list(JOBS, DEFAULT)).items, []);
  });
});

test("a run that an active one holds back says so, and runs beside it or in its place once that is asked for", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  const { client } = api;
  await applyCronJob(client, { name: "report", spec: { concurrencyPolicy: "Forbid" } });
  let mayCreate = true;
  const create: typeof client.create = (...args) =>
    mayCreate ? client.create(...args) : Promise.reject(new ApiError("exceeded quota", { code: 403 }));
  const limited = new Proxy(client, {
    get(target, name) {
      const member = name === "create" ? create : Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  await using dashboard = startTestDashboard({ client: limited, commands: HISTORY_PAGE_COMMANDS });
  const run = async (body: object = {}) => (await done(dashboard, "run", { targets: [REPORT], ...body })).results[0];
  const hung = must((await run({ overlap: "beside" })).job);
  const { metadata: { uid } } = await client.get(JOBS, { ...DEFAULT, name: hung });
  const status = { active: [{ apiVersion: "batch/v1", kind: "Job", name: hung, namespace: "default", uid }] };
  const asOf = { type: "merge", body: { status } } as const;
  await client.patch(CRON_JOBS, { ...DEFAULT, name: "report" }, asOf, { subresource: "status" });

  const held = await run();
  assertEquals([held.result, must(held.heldBy).map(({ job }) => job), held.trigger], ["left", [hung], undefined]);
  assert(held.message.startsWith(`Forbid: ${hung} has been running for `), held.message);
  const { metadata: { annotations } } = await client.get(CRON_JOBS, { ...DEFAULT, name: "report" });
  assertEquals(annotations?.["cronjob-controller.dev/trigger"], undefined);

  const jobs = async () => (await client.list(JOBS, DEFAULT)).items.map(({ metadata: { name } }) => name).sort();
  const beside = await run({ overlap: "beside" });
  assertEquals([beside.result, await jobs()], ["done", [hung, must(beside.job)].sort()]);
  const unseen = await run({ overlap: "delete", targets: [{ ...REPORT, heldBy: [{ job: "another" }] }] });
  assertEquals([must(unseen.heldBy).map(({ job }) => job), (await jobs()).length], [[hung], 2]);
  mayCreate = false;
  const refused = await run({ overlap: "delete", targets: [{ ...REPORT, heldBy: held.heldBy }] });
  assertEquals([refused.result, (await jobs()).length], ["failed", 2]);
  mayCreate = true;
  const instead = await run({ overlap: "delete", targets: [{ ...REPORT, heldBy: held.heldBy }] });
  assertEquals([instead.result, await jobs()], ["done", [must(beside.job), must(instead.job)].sort()]);

  await client.patch(CRON_JOBS, { ...DEFAULT, name: "report" }, {
    type: "merge",
    body: { metadata: { annotations: { "cronjob-controller.dev/trigger": "unanswered" } } },
  });
  const left = await run({ overlap: "delete" });
  assertEquals([left.result, (await jobs()).length], ["left", 2]);
});

test("what has come of a run that the controller was asked for is said once it has answered", async () => {
  await withTwo(async (dashboard, { client }) => {
    const { results: [{ job, trigger }] } = await done(dashboard, "run", { targets: [ADOPTED] });
    const name = { ...DEFAULT, name: "adopted" };
    const became = async (asked: Record<string, string>) => {
      const query = new URLSearchParams({ api: "batch/v1", ...name, job: must(job), trigger: must(trigger), ...asked });
      return await (await dashboard.get(`/api/run?${query}`)).json();
    };
    assertEquals(await became({}), { became: "waits" });
    const another = await became({ trigger: "other" });
    assertEquals(another, { became: "skipped", message: `another trigger (${trigger}) took its place` });
    const annotations = { "cronjob-controller.dev/last-trigger": trigger };
    const spec = { concurrencyPolicy: "Forbid" };
    await client.patch(CRON_JOBS, name, { type: "merge", body: { metadata: { annotations }, spec } });
    const message = "concurrencyPolicy Forbid, and another run is active";
    assertEquals(await became({}), { became: "skipped", message });
    const { results: [created] } = await done(dashboard, "run", { targets: [REPORT] });
    assertEquals(await became({ job: must(created.job) }), { became: "started", job: created.job });
  });
});

test("what spec.suspend holds is resumed only where that is asked for", async () => {
  await withTwo(async (dashboard, { client }) => {
    const name = { ...DEFAULT, name: "report" };
    await client.patch(CRON_JOBS, name, { type: "merge", body: { spec: { suspend: true } } });
    const resume = async (how: object) =>
      (await done(dashboard, "resume", { targets: [{ ...REPORT, ...how }] })).results[0];
    assertEquals((await resume({})).result, "left");
    const resumed = await resume({ withForeign: true });
    assertEquals(resumed.result, "done", resumed.message);
    assertEquals((await client.get(CRON_JOBS, name)).spec?.suspend, false);
  });
});

test("a back-fill is first shown, then asked for, and can be cancelled", async () => {
  await withTwo(async (dashboard, { client }) => {
    const body = { targets: [ADOPTED], from: "2026-01-01 00:00", to: "2026-01-04 00:00" };
    const { results: [preview] } = await done(dashboard, "backfill", { ...body, isPreview: true });
    assertEquals(preview.slots!.map(({ scheduledTime, will }) => [new Date(scheduledTime).toISOString(), will]), [
      ["2026-01-01T02:00:00.000Z", "start"],
      ["2026-01-02T02:00:00.000Z", "start"],
      ["2026-01-03T02:00:00.000Z", "start"],
    ]);
    const annotationOf = async () =>
      (await client.get(CRON_JOBS, { ...DEFAULT, name: "adopted" })).metadata
        .annotations!["cronjob-controller.dev/backfill"];
    assertEquals(await annotationOf(), undefined);
    const { results: [asked] } = await done(dashboard, "backfill", body);
    assertEquals([asked.result, typeof await annotationOf()], ["done", "string"]);
    const { results: [cancelled] } = await done(dashboard, asked.undo!, { targets: [asked.target] });
    assertEquals([cancelled.result, await annotationOf()], ["done", undefined]);

    const { results: [tooMany] } = await done(dashboard, "backfill", { ...body, from: "2020-01-01 00:00" });
    assertEquals(tooMany.result, "failed");
    const { results: [native] } = await done(dashboard, "backfill", { ...body, targets: [REPORT] });
    assert(native.message.includes("kube-controller-manager"), native.message);
  });
});

/** What no page sends, and what is said of it. */
const SENSELESS: readonly (readonly [action: string, body: unknown, message: string])[] = [
  ["run", {}, "targets must be a list of objects"],
  ["run", { targets: "report" }, "targets must be a list of objects"],
  ["run", { targets: [] }, "targets must be a list of 1 to 500"],
  ["run", { targets: ["report"] }, "targets must be a list of objects"],
  ["run", { targets: [{}] }, "apiVersion is missing"],
  ["run", { targets: [{ ...REPORT, name: 1 }] }, "name must be a text of at most 1000 characters"],
  ["pause", { targets: [ADOPTED], reason: "x".repeat(1_001) }, "reason must be a text of at most 1000 characters"],
  ["resume", { targets: [{ ...ADOPTED, of: {} }] }, "of must be a text of at most 1000 characters"],
];

test("what makes no sense is refused in a sentence, and nothing is done", async () => {
  await withTwo(async (dashboard, { client }) => {
    for (const [action, body, message] of SENSELESS) {
      const response = await dashboard.post(`/api/actions/${action}`, body);
      assertEquals([response.status, await response.json()], [400, { reason: "BadRequest", message }]);
    }
    const of = async (body: object) => (await done(dashboard, "backfill", { targets: [ADOPTED], ...body })).results[0];
    const [from, to] = ["2026-01-01 00:00", "2026-01-02 00:00"];
    assertEquals((await of({ to })).message, "from is missing");
    assertEquals((await of({ from: to, to: from })).message, "to must lie after from");
    assertEquals((await of({ from, to, maxActive: 0 })).message, "maxActive must be a whole number from 1 to 100");
    assertEquals((await of({ from, to, reprocess: "all" })).message, "reprocess must be one of missing, failed");
    const { results: [past] } = await done(dashboard, "pause", { targets: [ADOPTED], until: "2020-01-01 00:00" });
    assertEquals([past.result, past.message], ["failed", "until must lie in the future"]);
    assertEquals((await client.list(JOBS, DEFAULT)).items, []);
  });
});

test("on a page that is only to look at nothing can be done, and no visitor reads that they may", async () => {
  await withTwo(async (dashboard, { client }) => {
    const response = await dashboard.post("/api/actions/run", { targets: [REPORT] });
    assertEquals([response.status, (await response.json()).reason], [403, "ReadOnly"]);
    assertEquals((await client.list(JOBS, DEFAULT)).items, []);
    const { actions } = await (await dashboard.get("/api/rights?namespace=default")).json();
    assertEquals(new Set(Object.values(actions).flat()).size, 0);
  }, { isReadOnly: true });
});

test("a visitor who acts too often has to wait", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  await using dashboard = startTestDashboard({ client: api.client, clock: new FakeClock() });
  const codes: number[] = [];
  for (let i = 0; i < 61; i++) {
    const response = await dashboard.post("/api/actions/run", {});
    await response.body?.cancel();
    codes.push(response.status);
  }
  assertEquals([new Set(codes.slice(0, 60)), codes[60]], [new Set([400]), 429]);
});
