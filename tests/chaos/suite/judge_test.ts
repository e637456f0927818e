import { assertEquals } from "@std/assert";
import type { AuditEvent } from "../../support/audit.ts";
import { test } from "../../support/test.ts";
import type { CronJobPlan } from "./cron_jobs.ts";
import type { Episode, History, SeenCronJob, SeenJob, SeenPod } from "./history.ts";
import { doubledAsDocumented, judge, latenessOfNeighbours, namelessRequests } from "./judge.ts";

/** Seconds after the creation of the CronJob. */
function at(seconds: number): number {
  return Date.parse("2026-03-10T10:00:00Z") + seconds * 1_000;
}

function cronJob(spec: CronJobPlan["spec"], more: Partial<SeenCronJob> = {}): SeenCronJob {
  const plan: CronJobPlan = {
    flavour: "tutorial",
    namespace: "a",
    name: "c",
    everySeconds: 10,
    spec,
    end: { by: "completion", afterMs: 0 },
  };
  return { plan, createdAt: at(0), statuses: [], refused: new Map(), ...more };
}

/** Of a slot, created at once and over a second later: versions are tenths of a second. */
function job(seconds: number, more: Partial<SeenJob> = {}): SeenJob {
  return {
    uid: `uid-${seconds}`,
    name: `c-${seconds}`,
    cronJob: "a/c",
    slot: at(seconds),
    createdVersion: seconds * 10,
    seenAt: at(seconds),
    endedVersion: seconds * 10 + 10,
    ...more,
  };
}

function episode(from: number, to: number, more: Partial<Episode> = {}): Episode {
  return {
    kind: "a-fault",
    index: 0,
    from: at(from),
    to: at(to),
    recoveredAt: at(to + 5),
    stuck: [],
    maxRequestsPerSecond: 10,
    mostOftenPerSecond: 5,
    exceptions: [],
    ...more,
  };
}

function history(more: Partial<History>): History {
  return {
    cronJobs: [],
    jobs: [],
    pods: [],
    episodes: [],
    from: at(0),
    until: at(35),
    crashes: [],
    nameless: [],
    ...more,
  };
}

function found(more: Partial<History>): string[] {
  return judge(history(more)).map(({ wrong, message }) => `${wrong}: ${message}`);
}

const ALL: CronJobPlan["spec"] = { catchUp: { policy: "All" } };
const THREE = [job(10), job(20), job(30)];

test("The judge finds nothing where every slot has its Job in time", () => {
  assertEquals(found({ cronJobs: [cronJob(ALL)], jobs: THREE }), []);
});

test("The judge finds a slot without a Job, whatever happened meanwhile, if every one is to be caught up", () => {
  const lost = ["lost: a/c: 2026-03-10T10:00:20.000Z has no Job"];
  const jobs = [job(10), job(30)];
  assertEquals(found({ cronJobs: [cronJob(ALL)], jobs, episodes: [episode(15, 25)] }), lost);
});

test("The judge lets a slot go without a Job that passed during a fault, or was visibly refused, and no other", () => {
  const jobs = [job(10), job(30)];
  assertEquals(found({ cronJobs: [cronJob({})], jobs, episodes: [episode(15, 25)] }), []);
  const refused = new Map([[at(20), "Skipped: JobAlreadyActive"]]);
  const long = [job(10, { endedAt: at(25) }), job(30)];
  assertEquals(found({ cronJobs: [cronJob({}, { refused })], jobs: long }), []);
  assertEquals(found({ cronJobs: [cronJob({}, { refused })], jobs: [job(10, { endedAt: at(11) }), job(30)] }), [
    'lost: a/c: 2026-03-10T10:00:20.000Z has no Job, wrongly "Skipped: JobAlreadyActive"',
  ]);
  assertEquals(found({ cronJobs: [cronJob({})], jobs }), ["lost: a/c: 2026-03-10T10:00:20.000Z has no Job"]);
});

test("The judge finds two Jobs of one slot, unless a restored server has forgotten one", () => {
  const twin = job(20, { uid: "other", name: "c-20-again", createdVersion: 215, endedVersion: 220 });
  const doubled = ["doubled: a/c: 2026-03-10T10:00:20.000Z has c-20 at version 200 and c-20-again at version 215"];
  assertEquals(found({ cronJobs: [cronJob(ALL)], jobs: [...THREE, twin] }), doubled);
  const undone = [job(10), job(20, { isUndone: true }), twin, job(30)];
  assertEquals(found({ cronJobs: [cronJob(ALL)], jobs: undone }), []);
});

test("The judge finds two Jobs of one name, unless two controllers were at work", () => {
  const twin = job(20, { uid: "other", createdVersion: 215, endedVersion: 220 });
  const doubled = ["doubled: a/c: 2026-03-10T10:00:20.000Z has c-20 at version 200 and c-20 at version 215"];
  const jobs = [...THREE, twin];
  assertEquals(found({ cronJobs: [cronJob(ALL)], jobs }), doubled);
  const episodes = [episode(15, 25, { exceptions: ["again"] })];
  assertEquals(found({ cronJobs: [cronJob(ALL)], jobs, episodes }), []);
  const deleted = [episode(15, 25, { exceptions: ["deleted"] })];
  assertEquals(found({ cronJobs: [cronJob(ALL)], jobs, episodes: deleted }), doubled);
  const vanishing = { ...cronJob(ALL), plan: { ...cronJob(ALL).plan, end: { by: "deletion", afterMs: 0 } as const } };
  assertEquals(found({ cronJobs: [vanishing], jobs, episodes: deleted }), []);
  assertEquals(doubledAsDocumented(history({ cronJobs: [vanishing], jobs, episodes: deleted })), 1);
  const strict = { ...vanishing, plan: { ...vanishing.plan, neverTwice: true } };
  assertEquals(found({ cronJobs: [strict], jobs, episodes: deleted }), doubled);
  const renamed = [...THREE, { ...twin, name: "c-20-again" }];
  assertEquals(found({ cronJobs: [cronJob(ALL)], jobs: renamed, episodes }).length, 1);
});

test("The judge finds a Job that began before the one before it had ended, under every policy but Allow", () => {
  const jobs = [job(10, { endedVersion: 200 }), job(20, { createdVersion: 200 }), job(30)];
  const overlapping = (policy: string) =>
    `overlapping: a/c: c-20 began at version 200 beside c-10, which ended at 200, under ${policy}`;
  assertEquals(found({ cronJobs: [cronJob({})], jobs }), []);
  for (const policy of ["Forbid", "Replace", "Queue"] as const) {
    assertEquals(found({ cronJobs: [cronJob({ concurrencyPolicy: policy })], jobs }), [overlapping(policy)]);
  }
  const episodes = [episode(15, 25, { exceptions: ["overlap"] })];
  assertEquals(found({ cronJobs: [cronJob({ concurrencyPolicy: "Forbid" })], jobs, episodes }), []);
});

test("The judge finds a Job before its time, long after it, and after its deadline", () => {
  const jobs = [job(10, { seenAt: at(7) }), job(20, { seenAt: at(26) }), job(30)];
  assertEquals(found({ cronJobs: [cronJob({ startingDeadlineSeconds: 3 })], jobs }), [
    "early: a/c: c-10 began 3000 ms before its time",
    "past its deadline: a/c: c-20 began 6000 ms after its time, its deadline is 3 s",
  ]);
  assertEquals(found({ cronJobs: [cronJob({})], jobs: [job(10), job(20, { seenAt: at(26) }), job(30)] }), [
    "late: a/c: c-20 began 6000 ms after its time, undisturbed",
  ]);
  // What counts is when its creation was asked for.
  const asked = [job(10), job(20, { seenAt: at(26), askedAt: at(20) }), job(30)];
  assertEquals(found({ cronJobs: [cronJob({ startingDeadlineSeconds: 3 })], jobs: asked }), []);
});

test("The judge compares what a status counts with the slots that have no Job", () => {
  const counts = { succeeded: 2, failed: 0, missed: 0, skipped: 0, consecutiveFailures: 0 };
  const status = { counts, lastScheduleTime: "2026-03-10T10:00:30Z" };
  const those = { jobs: [job(10), job(30)], episodes: [episode(15, 25)] };
  const wrong = "miscounted: a/c: 1 slots up to 2026-03-10T10:00:30.000Z have no Job " +
    `(2026-03-10T10:00:20.000Z), the status counts 0 missed and 0 skipped: ${JSON.stringify(status)}`;
  assertEquals(found({ cronJobs: [cronJob({}, { statuses: [status] })], ...those }), [wrong]);
  const counted = { ...status, counts: { ...counts, missed: 1 } };
  assertEquals(found({ cronJobs: [cronJob({}, { statuses: [status, counted] })], ...those }), []);
  assertEquals(found({ cronJobs: [cronJob({}, { statuses: [counted, status, status] })], ...those }), [wrong]);
  const waiting = { ...counted, lastScheduleTime: "2026-03-10T10:00:10Z", queuedScheduleTime: "2026-03-10T10:00:30Z" };
  const queued = cronJob({ concurrencyPolicy: "Queue" }, { statuses: [waiting] });
  assertEquals(found({ cronJobs: [queued], jobs: [job(10)], episodes: [episode(15, 31)] }), []);
});

test("The judge finds a status that takes back when runs were and how many succeeded, unless a server was restored", () => {
  const counts = { succeeded: 1, failed: 0, missed: 0, skipped: 0, consecutiveFailures: 0 };
  const status = (seconds: number, succeeded: number) => ({
    counts: { ...counts, succeeded },
    lastScheduleTime: new Date(at(seconds)).toISOString(),
  });
  const wrong = (statuses: SeenCronJob["statuses"], exceptions: Episode["exceptions"] = []) =>
    judge(history({
      cronJobs: [cronJob(ALL, { statuses })],
      jobs: THREE,
      episodes: [episode(15, 25, { exceptions })],
    })).map(({ wrong }) => wrong);
  assertEquals(wrong([status(10, 1), status(20, 1), status(20, 2)]), []);
  assertEquals(wrong([status(20, 1), status(10, 1)]), ["taken back"]);
  assertEquals(wrong([status(20, 2), status(20, 1)]), ["taken back"]);
  assertEquals(wrong([status(20, 2), status(20, 1)], ["counts"]), []);
});

test("The judge finds who does not go on, who asks too often, and who ends by an error of its own", () => {
  const episodes = [
    episode(5, 10, { recoveredAt: undefined, stuck: ["a/c"] }),
    episode(15, 20, { mostOftenPerSecond: 100_000 }),
  ];
  const crashes = [{ at: at(21), message: "TypeError: x is undefined" }];
  assertEquals(judge(history({ episodes, crashes })).map(({ wrong }) => wrong), ["stuck", "hot loop", "crashed"]);
});

test("The judge finds requests that name no object and have to", () => {
  const audited = (verb: string, path: string, name?: string): AuditEvent => ({
    verb,
    stage: "ResponseComplete",
    user: { username: "u" },
    requestURI: path,
    requestReceivedTimestamp: new Date(at(21)).toISOString(),
    objectRef: { resource: "jobs", namespace: "a", name },
    responseStatus: { code: 200 },
  });
  const jobs = "/apis/batch/v1/namespaces/a/jobs";
  const nameless = namelessRequests([
    audited("delete", `${jobs}/b`, "b"),
    audited("create", jobs),
    audited("list", jobs),
    audited("delete", jobs),
    audited("deletecollection", jobs),
  ]);
  assertEquals(judge(history({ nameless })).map(({ wrong, message }) => [wrong, message]), [
    ["nameless", `delete ${jobs}`],
    ["nameless", `deletecollection ${jobs}`],
  ]);
});

test("The judge finds Jobs with fewer Pods than they ask for, with more, and with too many at a time", () => {
  const base = cronJob({ ...ALL, jobTemplate: { spec: { completions: 2, parallelism: 1 } } as never });
  const cronJobs = [{ ...base, plan: { ...base.plan, end: { by: "its Pods" as const } } }];
  const pod = (version: number, more: Partial<SeenPod> = {}): SeenPod => {
    const uid = `pod-${version}`;
    return {
      uid,
      name: uid,
      jobUid: "uid-10",
      createdVersion: version,
      endedVersion: version + 1,
      succeeded: true,
      ...more,
    };
  };
  const of = (pods: SeenPod[]) => found({ cronJobs, jobs: [job(10)], pods, until: at(15) });
  assertEquals(of([pod(101), pod(103)]), []);
  assertEquals(of([pod(101), pod(103, { succeeded: false })]), [
    "Pods: a/c: c-10 is over with 1 of 2 Pods that succeeded",
  ]);
  assertEquals(of([pod(101), pod(103), pod(105)]), [
    "Pods: a/c: c-10 had 3 Pods that succeeded, 2 were asked for",
  ]);
  assertEquals(of([pod(101, { endedVersion: 104 }), pod(103)]), [
    "Pods: a/c: c-10 had 2 Pods at a time, its parallelism is 1",
  ]);
});

test("The judge says how late the neighbours of a namespace were that a fault was aimed at", () => {
  const cronJobs = [cronJob({})];
  const jobs = [job(10), job(20, { seenAt: at(20.5) }), job(30)];
  const lateness = (aimedAt?: string) =>
    latenessOfNeighbours(history({ cronJobs, jobs, episodes: [episode(15, 25, { aimedAt })] }));
  assertEquals(lateness("b"), [500]);
  assertEquals(lateness("a"), []);
  assertEquals(lateness(), []);
});

test("The judge finds a neighbour late, though the fault disturbs everything", () => {
  const cronJobs = [cronJob({})];
  const jobs = [job(10), job(20, { seenAt: at(26) }), job(30)];
  const found = judge(history({ cronJobs, jobs, episodes: [episode(15, 25, { aimedAt: "b" })] }));
  assertEquals(found.map(({ wrong, message }) => `${wrong}: ${message}`), [
    "late: a/c: c-20 began 6000 ms after its time, beside b",
  ]);
});
