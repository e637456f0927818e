// Another controller that runs the same CronJob is noticed, and nothing else is taken for one.
import { assertEquals } from "@std/assert";
import { BATCH, type Flavour, FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { Rivals } from "../../src/cronjob/knowledge/rivals.ts";
import { jobFor } from "../../src/cronjob/decision/job_template.ts";
import type { Job } from "../../src/kube/resource.ts";
import { test } from "../support/test.ts";
import { Starting } from "./support/starting.ts";
import { at, world } from "./support/world.ts";

/** A minutely CronJob whose runs of 10:01 and 10:02 have started; it is 10:02:30. */
async function twoRunsOld(flavour: Flavour, annotations?: Record<string, string>): Promise<Starting> {
  const isAdopted = annotations !== undefined;
  const starting = new Starting({ flavour, annotations, spec: isAdopted ? { suspend: true } : {} });
  await starting.comeToRest();
  for (const time of ["10:01", "10:02"]) {
    starting.set(time);
    await starting.fire();
    await starting.comeToRest();
  }
  assertEquals(starting.slots(), ["10:01", "10:02"]);
  starting.set("10:02:30");
  return starting;
}

/** What another controller of the same flavour creates. */
function putJob({ server, flavour, cronJob }: Starting, time: string, metadata: Partial<Job["metadata"]> = {}): void {
  const given = world(flavour, { now: time, name: "c", uid: cronJob.metadata.uid });
  const job = jobFor(given.cronJob, { trigger: "Schedule", scheduledTime: at(time) }) as Job;
  const stored = { uid: `rival's of ${time}`, creationTimestamp: `2026-03-10T${time}:00Z`, resourceVersion: "" };
  server.put("jobs", { ...job, metadata: { ...job.metadata, ...stored, ...metadata } });
}

function writeStatusAs({ server, cronJob }: Starting, manager: string, time: string): void {
  const entry = { manager, operation: "Update", subresource: "status", time: `2026-03-10T${time}Z` };
  server.put("cronjobs", { ...cronJob, metadata: { ...cronJob.metadata, managedFields: [entry] } });
}

function told({ events }: Starting): string[] {
  return events.filter((event) => event.startsWith("MultipleControllers"));
}

test("A Job that this controller would have made, and did not, is another controller's", async () => {
  for (const flavour of FLAVOURS) {
    const name = `c-${at("10:03") / (flavour.nameUnitSeconds * 1_000)}`;
    const sentence = `MultipleControllers: Another controller runs this CronJob as well: it created job ${name}`;

    const seen = await twoRunsOld(flavour);
    putJob(seen, "10:03");
    await seen.comeToRest();
    assertEquals(told(seen), [sentence]);
    putJob(seen, "10:04");
    await seen.comeToRest();
    assertEquals(told(seen), [sentence], "It is said once");

    const met = await twoRunsOld(flavour);
    met.set("10:03");
    putJob(met, "10:03");
    assertEquals(await met.fire(), []);
    await met.comeToRest();
    assertEquals(told(met), [sentence]);
  }
});

test("kube-controller-manager that writes the status of a CronJob shows that it runs it", async () => {
  const starting = await twoRunsOld(BATCH);
  writeStatusAs(starting, "kubectl-edit", "10:02:31");
  await starting.comeToRest();
  assertEquals(told(starting), []);
  writeStatusAs(starting, "kube-controller-manager", "10:02:32");
  await starting.comeToRest();
  assertEquals(told(starting), [
    "MultipleControllers: Another controller runs this CronJob as well: kube-controller-manager wrote its status",
  ]);
});

test("What a status says of former times shows nothing", async () => {
  const starting = new Starting({});
  writeStatusAs(starting, "kube-controller-manager", "10:00:20");
  await starting.comeToRest();
  starting.set("10:02:30");
  starting.edit({ spec: { suspend: true } });
  await starting.comeToRest();
  assertEquals(told(starting), []);
});

test("The last work of who ran the CronJob before is no other controller's", async () => {
  const former = await twoRunsOld(BATCH);
  // A hand-over has just taken place.
  former.inChargeSince = at("10:02:30");
  former.set("10:03:20");
  putJob(former, "10:03");
  writeStatusAs(former, "kube-controller-manager", "10:03:20");
  await former.comeToRest();
  assertEquals(told(former), []);

  const adopted = new Starting({});
  await adopted.comeToRest();
  adopted.set("10:05");
  adopted.edit({
    metadata: { annotations: { "cronjob-controller.dev/managed": "true" } },
    spec: { suspend: true },
  });
  await adopted.comeToRest();
  adopted.set("10:05:40");
  putJob(adopted, "10:06", { uid: "on old news" });
  await adopted.comeToRest();
  assertEquals(told(adopted), []);
});

test("Who only puts the status of an adopted CronJob right does not run it", async () => {
  const starting = await twoRunsOld(BATCH, { "cronjob-controller.dev/managed": "true" });
  writeStatusAs(starting, "kube-controller-manager", "10:02:31");
  await starting.comeToRest();
  assertEquals(told(starting), []);
});

test("A leader that is not sure to lead takes its successor for no rival", async () => {
  const starting = await twoRunsOld(BATCH);
  starting.inChargeSince = undefined;
  putJob(starting, "10:03");
  await starting.comeToRest();
  assertEquals(told(starting), []);
});

test("Its own creation is no rival's, whatever became of the answer", async () => {
  for (const fate of ["lostAfter", "serverError"] as const) {
    const starting = await twoRunsOld(BATCH);
    starting.set("10:03");
    starting.fates = [fate];
    await starting.fire().catch(() => {});
    // The cache is behind when it is tried again.
    starting.set("10:03:30");
    await starting.fire();
    await starting.settle();
    await starting.comeToRest();
    assertEquals([starting.slots(), told(starting)], [["10:01", "10:02", "10:03"], []]);
  }
});

test("Its own creation is no rival's, when it takes effect late", async () => {
  const starting = await twoRunsOld(BATCH);
  starting.set("10:03");
  starting.fates = ["refused"];
  await starting.fire();
  await starting.settle();
  starting.set("10:03:30");
  putJob(starting, "10:03");
  await starting.settle();
  await starting.comeToRest();
  assertEquals([starting.slots(), told(starting)], [["10:01", "10:02"], []]);
});

test("A Job by kubectl create job --from is no rival's, nor is one with a time of its user's choice", async () => {
  const starting = await twoRunsOld(BATCH);
  putJob(starting, "10:03", { name: "by-hand", annotations: { "cronjob.kubernetes.io/instantiate": "manual" } });
  putJob(starting, "10:04", { name: "copied" });
  await starting.comeToRest();
  assertEquals(told(starting), []);
});

test("A Job that was there before, and ends, is no rival's", async () => {
  const starting = new Starting({});
  putJob(starting, "10:00");
  starting.jobs.deliver();
  await starting.comeToRest();
  starting.set("10:02:30");
  starting.finish("10:00");
  await starting.comeToRest();
  assertEquals(told(starting), []);
});

test("A rival that is not seen for an hour is gone", () => {
  const rivals = new Rivals();
  rivals.noteVersion(world(BATCH, { now: "10:00" }).cronJob, 0, { now: 0, since: 0 });
  rivals.noteFoundJob("c-1", { now: 60_000, since: 0 });
  assertEquals([rivals.signAt(60_000), rivals.signAt(3_659_999), rivals.signAt(3_660_000)], [
    "it created job c-1",
    "it created job c-1",
    undefined,
  ]);
});
