// What Argo CD makes of CronJobs, by a real Lua: `deno task test:argocd` (needs Debian's lua5.1).
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { parse } from "yaml";
import { DEPLOY } from "../../deploy/write.ts";
import { readCronJob } from "../../src/cronjob/api/read_cron_job.ts";
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { readPauseNote } from "../../src/cronjob/api/pause.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { asLeft } from "../cronjob/support/as_left.ts";
import type { Given } from "../cronjob/support/world.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { runLua } from "./support/lua.ts";
import { present } from "../support/present.ts";

interface Actions {
  "discovery.lua": string;
  definitions: { name: string; "action.lua": string }[];
}

const { data } = parse(await Deno.readTextFile(new URL("argocd/argocd-cm.yaml", DEPLOY))) as {
  data: Record<string, string>;
};
const HEALTH = must(data["resource.customizations.health.cronjob-controller.dev_CronJob"]);
const ACTIONS = parse(must(data["resource.customizations.actions.cronjob-controller.dev_CronJob"])) as Actions;

function failed(...times: string[]): Given["jobs"] {
  return times.map((time) => ({ time, state: "failed" }));
}

const HEALTHS: [name: string, object: () => CronJobObject, status: string, message: RegExp][] = [
  ["one whose schedule is followed", () => asLeft({ now: "09:00" }), "Healthy", /The schedule is followed/],
  [
    "one with a run under way",
    () => asLeft({ now: "09:30", last: "09:00", jobs: [{ time: "09:00" }] }),
    "Healthy",
    /./,
  ],
  ["one that is suspended", () => asLeft({ now: "09:00", spec: { suspend: true } }), "Suspended", /suspend/],
  [
    "one that is paused",
    () => asLeft({ now: "09:00", spec: { pause: { reason: "migration" } } }),
    "Suspended",
    /migration/,
  ],
  ["one that cannot run", () => asLeft({ now: "09:00", schedule: "60 * * * *" }), "Degraded", /Schedule/],
  [
    "one whose time is over",
    () => asLeft({ now: "09:00", spec: { endTime: "2026-03-10T08:00:00Z" } }),
    "Healthy",
    /endTime/,
  ],
  ["one whose last run failed", () => asLeft({ now: "09:30", last: "09:00", jobs: failed("09:00") }), "Healthy", /./],
  [
    "one whose last three runs failed",
    () => asLeft({ now: "09:30", last: "09:00", jobs: failed("07:00", "08:00", "09:00") }),
    "Degraded",
    /last 3 runs failed/,
  ],
  [
    "one that is paused after failures",
    () => asLeft({ now: "09:30", last: "09:00", spec: { pauseAfterFailures: 2 }, jobs: failed("08:00", "09:00") }),
    "Degraded",
    /^PausedAfterFailures: /,
  ],
  [
    "one whose every time is excluded",
    () => asLeft({ now: "09:00", spec: { exclude: [{ schedule: "* * * * *" }] } }),
    "Degraded",
    /^Excluded: /,
  ],
  [
    "one that no controller has looked at",
    () => present<CronJobObject>({ ...asLeft({ now: "09:00" }), status: undefined }),
    "Progressing",
    /No contr/,
  ],
  [
    "one that has been changed since",
    () => {
      const object = asLeft({ now: "09:00", generation: 3 });
      return { ...object, metadata: { ...object.metadata, generation: 4 } };
    },
    "Progressing",
    /latest change/,
  ],
  ["one that is being deleted", () => asLeft({ now: "09:00", deleting: true }), "Progressing", /being deleted/],
];

for (const [name, object, status, message] of HEALTHS) {
  test(`Argo CD finds ${status}: ${name}`, async () => {
    const health = await runLua(HEALTH, object()) as { status: string; message: string };
    assertEquals(health.status, status, health.message);
    assertMatch(health.message, message);
  });
}

function act(name: string, object: CronJobObject): Promise<CronJobObject> {
  const action = ACTIONS.definitions.find((definition) => definition.name === name)!;
  return runLua(action["action.lua"], object) as Promise<CronJobObject>;
}

async function possible(object: CronJobObject): Promise<string[]> {
  const actions = await runLua(ACTIONS["discovery.lua"], object) as Record<string, { disabled?: boolean }>;
  return Object.keys(actions).filter((name) => must(actions[name]).disabled !== true).sort();
}

function noteOf(object: CronJobObject) {
  const reading = readPauseNote(object);
  assert(reading.kind === "note", JSON.stringify(reading));
  return reading.note;
}

test("Argo CD asks for a run in a way that the controller understands", async () => {
  const object = await act("run", asLeft({ now: "09:00" }));
  const { requestedTrigger, answeredTrigger } = readCronJob(PRODUCTION, object);
  assertMatch(requestedTrigger!, /^argocd-\d{8}T\d{6}Z$/);
  assertEquals(answeredTrigger, undefined);
});

test("Argo CD pauses and resumes, and it stays written when and by what", async () => {
  const running = asLeft({ now: "09:00" });
  assertEquals(await possible(running), ["pause", "run"]);
  const paused = await act("pause", running);
  assertEquals(await possible(paused), ["resume", "run"]);
  const { by, since, until } = noteOf(paused);
  assertEquals([by, until], ["Argo CD", undefined]);
  assert(Math.abs(since! - Date.now()) < 60_000);

  const resumed = await act("resume", paused);
  assertEquals(await possible(resumed), ["pause", "run"]);
  const note = noteOf(resumed);
  assertEquals([note.by, note.resumedBy], ["Argo CD", "Argo CD"]);
  assert(note.until! >= since!);
  assertEquals(await possible(await act("pause", resumed)), ["resume", "run"], "again");
});

test("Argo CD leaves alone what another user has paused", async () => {
  const note = JSON.stringify({ id: "cli-1", by: "ana", reason: "migration", since: "2026-03-10T08:00:00Z" });
  const object = asLeft({ now: "09:00", annotations: { "cronjob-controller.dev/pause": note } });
  assertEquals(await possible(object), ["run"]);
  assertEquals(noteOf(await act("resume", object)), noteOf(object));
});

test("Argo CD resumes after failures in a row", async () => {
  const object = asLeft({
    now: "09:30",
    last: "09:00",
    spec: { pauseAfterFailures: 2 },
    jobs: failed("08:00", "09:00"),
  });
  assertEquals(object.status!.conditions!.find(({ type }) => type === "Ready")!.reason, "PausedAfterFailures");
  assertEquals(await possible(object), ["pause", "resume", "run"]);
  const before = readCronJob(PRODUCTION, object).resumeMark;
  assert(readCronJob(PRODUCTION, await act("resume", object)).resumeMark !== before);
});

test("the sandbox of these tests has no library for strings, as Argo CD's has none", async () => {
  await assertRejects(() => runLua("return { text = string.upper('a') }", {}), Error, "string");
  await assertRejects(() => runLua("return { text = ('a'):upper() }", {}), Error, "Lua failed");
});

test("both APIs that have a definition are known to Argo CD", () => {
  assertEquals(Object.keys(data).sort(), [
    "resource.customizations.actions.batch.tutorial.kubebuilder.io_CronJob",
    "resource.customizations.actions.cronjob-controller.dev_CronJob",
    "resource.customizations.health.batch.tutorial.kubebuilder.io_CronJob",
    "resource.customizations.health.cronjob-controller.dev_CronJob",
  ]);
});
