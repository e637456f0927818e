// Failed Jobs that go once a run has succeeded, in each flavour, with the reconciler that removes them.
import { assert, assertEquals } from "@std/assert";
import { FAILED_RUNS, PREFIX, TRIGGER } from "../../src/cronjob/api/annotations.ts";
import { type Flavour, FLAVOURS, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { readJob } from "../../src/cronjob/api/job.ts";
import type { CronJobObject, CronJobSpec, FailedRun, PodEnd } from "../../src/cronjob/api/types.ts";
import type { EndOf } from "../../src/cronjob/knowledge/knowledge.ts";
import { arrivalsRead } from "../../src/base/clock.ts";
import { onAbort } from "../../src/base/abort.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { checkFailedJobs } from "./support/failed_jobs.ts";
import { progressOf, REQUEST, runOut } from "./support/backfilling.ts";
import { Crash } from "../support/fateful_client.ts";
import { Running } from "./support/running.ts";
import { Starting } from "./support/starting.ts";
import { at } from "./support/world.ts";

const END: PodEnd = { container: "main", exitCode: 3, reason: "Error", message: "no such table\nreport" };

const DAY = "2026-03-10";
const refused: EndOf = () => Promise.reject(new ApiError("not allowed", { code: 403 }));

interface Given {
  readonly spec?: Partial<CronJobSpec>;
  readonly annotations?: Record<string, string> | undefined;
  readonly endOf?: EndOf;
}

/** An hourly CronJob that keeps failed Jobs until a success. */
function keeping(flavour: Flavour, { spec, annotations, endOf = () => Promise.resolve(END) }: Given = {}): Starting {
  const isAnnotated = flavour.extrasIn === "annotations";
  return new Starting({
    flavour,
    endOf,
    spec: {
      schedule: "0 * * * *",
      failedJobsHistoryLimit: 5,
      ...spec,
      ...!isAnnotated && { failedJobs: "KeepUntilSuccess" },
    },
    annotations: { ...annotations, ...isAnnotated && { [`${PREFIX}/failed-jobs`]: "KeepUntilSuccess" } },
  });
}

function recordOf({ flavour, cronJob }: Starting): FailedRun[] {
  if (flavour.openStatus) return [...cronJob.status?.failedRuns ?? []];
  return JSON.parse(cronJob.metadata.annotations?.[FAILED_RUNS] ?? "[]");
}

/** The failed Jobs that there are, by the time that they ran for. */
function failedJobs(s: Starting): string[] {
  return [...s.server.jobs.values()].filter(({ status }) => status?.conditions?.some(({ type }) => type === "Failed"))
    .map(({ metadata }) => metadata.annotations?.[s.flavour.scheduledTimeAnnotation]?.slice(11, 16) ?? "by hand");
}

for (const flavour of FLAVOURS) {
  const name = flavour.controllerName;

  test(`Failed Jobs stay until a run succeeds, and the record has what they and their Pods said (${name})`, async () => {
    const s = keeping(flavour);
    await s.run("11:00", "Failed");
    await s.run("12:00", "Failed");
    assertEquals(failedJobs(s), ["11:00", "12:00"]);
    await s.run("13:00", "Complete");
    assertEquals(failedJobs(s), []);
    const record = recordOf(s);
    assertEquals(record.map(({ scheduledTime, terminated }) => [scheduledTime?.slice(11, 16), terminated]), [
      ["12:00", END],
      ["11:00", END],
    ]);
    assertEquals(record.map(({ outcome, endTime }) => [outcome, endTime?.slice(11, 16)]), [
      ["Failed", "12:01"],
      ["Failed", "11:01"],
    ]);
    await s.run("14:00", "Failed");
    assertEquals(failedJobs(s), ["14:00"]);
  });

  test(`Failed Jobs stay by default, and no Pod is read, but with the API of our own (${name})`, async () => {
    const reads: string[] = [];
    const endOf: EndOf = ({ metadata: { name } }) => Promise.resolve((reads.push(name), END));
    const s = new Starting({ flavour, endOf, spec: { schedule: "0 * * * *", failedJobsHistoryLimit: 5 } });
    await s.run("11:00", "Failed");
    await s.run("12:00", "Complete");
    const isOurs = flavour === PRODUCTION;
    assertEquals([failedJobs(s), recordOf(s).length, reads.length], isOurs ? [[], 1, 1] : [["11:00"], 0, 0]);
  });

  test(`A failed Job stays as long as its Pods cannot be read (${name})`, async () => {
    let mayRead = false;
    const endOf = () => mayRead ? Promise.resolve(END) : Promise.reject(new ApiError("not allowed", { code: 403 }));
    const s = keeping(flavour, { endOf });
    await s.run("11:00", "Failed");
    const job = must([...s.server.jobs.keys()][0]).slice("default/".length);
    assertEquals(s.events.filter((event) => event.startsWith("FailedGet")), [
      `FailedGet: Job ${job} stays, as its Pods cannot be read: not allowed`,
    ]);
    await s.run("12:00", "Complete");
    assertEquals([failedJobs(s), recordOf(s)], [["11:00"], []]);
    mayRead = true;
    s.pass(60_000);
    await s.comeToRest();
    assertEquals([failedJobs(s), recordOf(s).length], [[], 1]);
  });

  test(`A run is recorded although the Pods of a failed Job give no answer, and those are read again later (${name})`, async () => {
    for (const silence of ["for ever", "until it breaks"] as const) {
      let isSilent = true;
      const silent = (signal: AbortSignal) =>
        new Promise<never>((_, reject) => void onAbort(signal, () => reject(signal.reason)));
      const broken = () => Promise.reject(new UnreachableError("no answer within 30 s"));
      const noAnswer = silence === "for ever" ? silent : broken;
      const s = keeping(flavour, {
        endOf: (_job, { signal }) => isSilent ? noAnswer(signal) : Promise.resolve(END),
      });
      s.set("11:00");
      await s.fire();
      s.finish("11:00", "Failed");
      const settling = s.comeToRest();
      await arrivalsRead();
      s.pass(5_000);
      await settling;
      assertEquals([s.cronJob.status?.lastScheduleTime, recordOf(s)], [`${DAY}T11:00:00Z`, []]);
      isSilent = false;
      s.pass(60_000);
      await s.comeToRest();
      assertEquals(recordOf(s).map(({ terminated }) => terminated), [END]);
    }
  });

  test(`The next run keeps its instant while Pods of a failed Job are read (${name})`, async () => {
    const s = keeping(flavour);
    s.set("11:00");
    await s.fire();
    s.finish("11:00", "Failed");
    s.deliverAll();
    const { requeueAt, again } = await s.reconciler.reconcile("default/c", new AbortController().signal);
    assertEquals([again, requeueAt], [true, at("12:00")]);
  });

  test(`A failed Job that history has no room for is recorded before it goes, also if its Pods cannot be read (${name})`, async () => {
    for (const [endOf, end] of [[() => Promise.resolve(END), END], [refused, {}]] as const) {
      const s = keeping(flavour, { endOf, spec: { failedJobsHistoryLimit: 1, concurrencyPolicy: "Allow" } });
      for (const time of ["11:00", "12:00", "13:00"]) {
        s.set(time);
        await s.fire();
      }
      for (const time of ["11:00", "12:00", "13:00"]) s.finish(time, "Failed");
      await s.comeToRest();
      assertEquals(failedJobs(s), ["13:00"]);
      const gone = recordOf(s).filter(({ scheduledTime }) => scheduledTime?.slice(11, 16) !== "13:00");
      assertEquals(gone.map(({ scheduledTime, terminated }) => [scheduledTime?.slice(11, 16), terminated]), [
        ["11:00", end],
        ["12:00", end],
      ]);
    }
  });

  test(`A failed Job stays while a Pod of it has not ended, and is looked at again (${name})`, async () => {
    const ends: PodEnd[] = [];
    const s = keeping(flavour, { endOf: () => Promise.resolve(ends[0]) });
    await s.run("11:00", "Failed");
    s.set("11:02");
    assertEquals(await s.settle(), "11:03");
    ends.push({});
    s.set("11:03");
    await s.comeToRest();
    assertEquals(recordOf(s).map(({ terminated }) => terminated), [{}]);
  });

  test(`Failed Jobs by hand stay (${name})`, async () => {
    const s = keeping(flavour);
    s.edit({ metadata: { annotations: { [TRIGGER]: "once" } } });
    await s.comeToRest();
    s.finishJob(must([...s.server.jobs.values()][0]), "Failed");
    await s.comeToRest();
    await s.run("11:00", "Failed");
    await s.run("12:00", "Complete");
    assertEquals(failedJobs(s), ["by hand"]);
  });

  test(`Failed Jobs of a back-fill stay while it goes on, and go once it has ended (${name})`, async () => {
    const s = keeping(flavour);
    s.ask(REQUEST);
    await s.comeToRest();
    s.finish("06:00", "Failed");
    await s.comeToRest();
    await s.run("11:00", "Complete");
    assertEquals([failedJobs(s), progressOf(s)?.state], [["06:00"], "Running"]);
    await runOut(s);
    assertEquals([failedJobs(s), progressOf(s)?.state], [[], "Completed"]);
    assertEquals(recordOf(s).map(({ trigger }) => trigger), ["Backfill"]);
  });

  test(`failedJobsHistoryLimit stays the upper bound of failed Jobs (${name})`, async () => {
    const s = keeping(flavour, { spec: { failedJobsHistoryLimit: 1 } });
    await s.run("11:00", "Failed");
    await s.run("12:00", "Failed");
    assertEquals([failedJobs(s), recordOf(s).length], [["12:00"], 2]);
    await s.run("13:00", "Complete");
    assertEquals([failedJobs(s), recordOf(s).length], [[], 2]);
  });

  test(`All failed Jobs go after a success, however many there are (${name})`, async () => {
    const s = keeping(flavour, { spec: { schedule: "* * * * *", failedJobsHistoryLimit: 20 } });
    for (let minute = 31; minute < 46; minute++) await s.run(`10:${minute}`, "Failed");
    assertEquals([failedJobs(s).length, recordOf(s).length], [15, 10]);
    await s.run("10:46", "Complete");
    for (let i = 0; i < 3; i++) await s.comeToRest();
    assertEquals([failedJobs(s), recordOf(s).length], [[], 10]);
  });

  test(`A success in the same second does not remove a failed Job (${name})`, async () => {
    const s = keeping(flavour, { spec: { concurrencyPolicy: "Allow" } });
    for (const time of ["11:00", "12:00"]) {
      s.set(time);
      await s.fire();
    }
    s.finish("12:00", "Complete");
    s.finish("11:00", "Failed");
    await s.comeToRest();
    assertEquals(failedJobs(s), ["11:00"]);
  });

  test(`The end of a process at any moment leaves no failed Job without a record (${name})`, async () => {
    for (const fate of ["crashBefore", "crashAfter", "lostBefore", "lostAfter", "refused"] as const) {
      for (let request = 0; request < 10; request++) {
        const s = keeping(flavour);
        s.set("11:00");
        await s.fire();
        s.fates = [...Array(request).fill("ok"), fate];
        const step = async () => {
          await s.comeToRest().catch((error) => error instanceof Crash ? s.boot() : undefined);
          s.deliverAll();
          if (failedJobs(s).length === 0 && s.slots().length > 1) {
            assertEquals(recordOf(s).length, 1, `${fate} ${request}`);
          }
        };
        for (const [time, type] of [["11:00", "Failed"], ["12:00", "Complete"]] as const) {
          s.set(time);
          if (time === "12:00") await s.fire().catch(() => s.boot());
          s.deliverAll();
          s.pass(60_000);
          if (s.slots().includes(time)) s.finish(time, type);
          for (let i = 0; i < 4; i++) await step();
          s.pass(61_000);
        }
        assertEquals(s.slots().slice(0, 1), ["11:00"]);
      }
    }
  });

  test(`A run that is due starts before Pods of a failed Job are read (${name})`, async () => {
    const order: string[] = [];
    const s = keeping(flavour, { endOf: () => Promise.resolve((order.push("read"), END)) });
    s.server.onCreated = () => void order.push("start");
    s.set("11:00");
    await s.fire();
    s.finish("11:00", "Failed");
    s.set("12:00");
    s.deliverAll();
    await s.fire();
    await s.comeToRest();
    assertEquals(order, ["start", "start", "read"]);
  });

  test(`A server whose definition is older keeps the failed Jobs, and an Event says so (${name})`, async () => {
    if (!flavour.openStatus) return;
    const s = keeping(flavour);
    s.server.prune = ({ status }: CronJobObject) => void delete status?.failedRuns;
    await s.run("11:00", "Failed");
    await s.run("12:00", "Complete");
    assertEquals(failedJobs(s), ["11:00"]);
    assert(s.events.some((event) => event.startsWith("NotRecorded: ")), s.events.join("\n"));
  });

  test(`Failures in a row count the same, whether failed Jobs stay or go (${name})`, async () => {
    const limit = flavour.extrasIn === "spec"
      ? { spec: { pauseAfterFailures: 2 } }
      : { annotations: { [`${PREFIX}/pause-after-failures`]: "2" } };
    const s = keeping(flavour, limit);
    await s.run("11:00", "Failed");
    await s.run("12:00", "Complete");
    await s.run("13:00", "Failed");
    s.set("14:00");
    assertEquals(await s.fire(), ["14:00"]);
    s.finish("14:00", "Failed");
    await s.comeToRest();
    s.set("15:00");
    assertEquals([await s.fire(), failedJobs(s)], [[], ["13:00", "14:00"]]);
  });
}

test("Pods that give no answer are read for one CronJob, and no other one waits for them", async () => {
  await using running = await Running.start(`${DAY}T10:30:00Z`, { controller: false });
  const reads: string[] = [];
  const endOf: EndOf = ({ metadata: { name } }) => {
    reads.push(name);
    return Promise.reject(new UnreachableError("no answer"));
  };
  await running.startControllers({ endOf });
  for (const name of ["c", "d"]) await running.create(TUTORIAL, { failedJobs: "KeepUntilSuccess" }, { name });
  await running.known("c", "d");
  running.clock.set(`${DAY}T11:00:00Z`);
  const jobs = await running.until("both Jobs", async () => {
    const jobs = await running.jobs();
    return jobs.length === 2 && jobs;
  });
  for (const job of jobs) {
    await running.finish(job, "Failed");
    const name = must(job.metadata.ownerReferences?.[0]?.name);
    await running.until("the record", async () => (await running.get(TUTORIAL, name)).status?.counts?.failed === 1);
  }
  assertEquals(reads, [jobs[0]?.metadata.name]);
});

test("A message is cut between whole characters, which an API server would replace", async () => {
  const message = `a${"😀".repeat(3_000)}`;
  const s = keeping(TUTORIAL, { endOf: () => Promise.resolve({ message }) });
  await s.run("11:00", "Failed");
  assert(must(recordOf(s)[0]).terminated.message?.isWellFormed());
  const job = must([...s.server.jobs.values()][0]);
  const read = (text: string) => {
    const status = { conditions: [{ type: "Failed", status: "True" as const, message: text }] };
    return readJob([TUTORIAL], { ...job, status }).failureMessage;
  };
  assert([message, message.slice(1)].map(read).every((text) => text?.isWellFormed()));
});

test("Which failed Jobs are there is what a plain count of all ends says, in random histories", async () => {
  await checkFailedJobs(20);
});
