import type {
  ActionName,
  Calendar,
  Detail,
  Explained,
  LoadOfDay,
  LogMessage,
  RightsAnswer,
  Row,
  RowRun,
  Session,
  Timeline,
} from "../../../../src/dashboard/wire.ts";
import { readDurations } from "../../../../src/cli/simulate/durations.ts";
import { simulate } from "../../../../src/cli/simulate/simulation.ts";
import type { CronJob } from "../../../../src/cronjob/api/cron_job.ts";
import { readCronJob } from "../../../../src/cronjob/api/read_cron_job.ts";
import { PRODUCTION } from "../../../../src/cronjob/api/flavour.ts";
import { NEEDS_ATTENTION, type State, STATES } from "../../../../src/view/cron_job_view.ts";
import { storedCronJob } from "../../../cronjob/support/stored_cron_job.ts";
import { must } from "../../../support/expected.ts";

// A fleet as one finds it at night: some of it in trouble, most of it fine.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const NOW = Date.parse("2026-11-20T01:58:00Z");
const ZONE = "Europe/Berlin";
const API = PRODUCTION.apiVersion;

export const SESSION: Session = {
  login: "code",
  isLoggedIn: true,
  user: "ana",
  isReadOnly: false,
  server: "https://minikube:8443",
  namespaces: [],
  hasLoad: true,
};

const ALL_ACTIONS: readonly ActionName[] = ["run", "pause", "resume", "delete-job", "backfill", "cancel-backfill"];
export const RIGHTS: RightsAnswer = { actions: { [API]: ALL_ACTIONS, "batch/v1": ALL_ACTIONS }, mayReadLogs: true };

/** A row of which only that is said which matters. */
export function row(given: Partial<Row> & { readonly name: string; readonly state: State }): Row {
  const namespace = given.namespace ?? "default";
  return {
    id: `${namespace}/${given.name}`,
    apiVersion: API,
    namespace,
    schedule: "0 * * * *",
    zone: ZONE,
    needsAttention: NEEDS_ATTENTION.includes(given.state),
    since: undefined,
    cause: undefined,
    active: [],
    lastRuns: [],
    lastSuccess: undefined,
    failuresInARow: { count: 0, atLeast: false },
    nextRun: { kind: "known", scheduledTime: NOW + 2 * MINUTE, startsAt: NOW + 2 * MINUTE, expected: "Start" },
    durations: undefined,
    actions: [],
    runner: undefined,
    notes: [],
    ...given,
  };
}

/** Runs every so often until now, the newest first: a letter of OUTCOMES each. */
export function runs(outcomes: string, everyMs: number, tookMs: number, lastAt = NOW - 10 * MINUTE): RowRun[] {
  return Array.from(outcomes, (letter, index): RowRun => {
    const outcome = must(OUTCOMES[letter]);
    const at = lastAt - index * everyMs;
    const ms = Math.round(tookMs * (0.7 + 0.6 * ((index * 37 + tookMs % 101) % 17) / 17));
    const hasRun = outcome === "Succeeded" || outcome === "Failed";
    return {
      at,
      outcome,
      ...hasRun && { ms },
      ...outcome === "Failed" && { reason: "exit 1" },
      job: `job-${at / MINUTE}`,
    };
  });
}

const OUTCOMES: Record<string, RowRun["outcome"]> = {
  s: "Succeeded",
  f: "Failed",
  k: "Skipped",
  m: "Missed",
  r: "Running",
  p: "Pending",
};

function next(inMs: number, expected: "Start" | "Wait" | "Replace" = "Start"): Row["nextRun"] {
  return { kind: "known", scheduledTime: NOW + inMs, startsAt: NOW + inMs, expected };
}

function durations(p50Seconds: number): Row["durations"] {
  return { runs: 40, p50Seconds, p95Seconds: p50Seconds * 1.4 };
}

/** What needs attention. */
const TROUBLE: readonly Row[] = [
  row({
    namespace: "team-a",
    name: "nightly-report",
    state: "Blocked",
    since: NOW - 58 * MINUTE,
    schedule: "0 2 * * *",
    cause: {
      reason: "ImagePullBackOff",
      message:
        'concurrencyPolicy Forbid waits for nightly-report-29393460: ImagePullBackOff, "registry.example/report:1.9: not found"',
      job: "nightly-report-29393460",
    },
    active: ["nightly-report-29393460"],
    lastRuns: runs("kpsssssss", DAY, 3 * MINUTE, NOW - 58 * MINUTE),
    lastSuccess: NOW - 2 * DAY,
    nextRun: next(23 * HOUR + 2 * MINUTE, "Wait"),
    durations: durations(181),
    actions: [{ do: "DeleteJob", job: "nightly-report-29393460" }, { do: "SetPendingTimeout" }],
  }),
  row({
    namespace: "team-b",
    name: "sync",
    state: "Failing",
    since: NOW - 88 * MINUTE,
    schedule: "*/30 * * * *",
    zone: "UTC",
    cause: { reason: "Error", message: "exit 1: connection refused 10.0.3.7:5432", job: "sync-29393490" },
    lastRuns: runs("ffffssssss", 30 * MINUTE, 12_000, NOW - 28 * MINUTE),
    lastSuccess: NOW - 118 * MINUTE,
    failuresInARow: { count: 4, atLeast: false },
    durations: durations(12),
    actions: [{ do: "ReadLogs", job: "sync-29393490" }, { do: "RunNow" }],
  }),
  row({
    namespace: "infra",
    name: "etcd-backup",
    state: "Overdue",
    since: NOW - 118 * MINUTE,
    schedule: "0 1 * * *",
    cause: {
      reason: "FailedCreate",
      message: "exceeded quota: pods, requested: pods=1, used: pods=50, limited: pods=50",
    },
    lastRuns: runs("ssssssssss", DAY, 9 * MINUTE, NOW - DAY - 118 * MINUTE),
    lastSuccess: NOW - DAY - 109 * MINUTE,
    nextRun: next(12_000),
    durations: durations(560),
  }),
];

const HELD: readonly Row[] = [
  row({
    namespace: "infra",
    name: "vacuum",
    state: "Paused",
    since: NOW - 3 * DAY,
    schedule: "0 3 * * *",
    cause: { reason: "Paused", message: "ana paused it: db migration, until Mon 2026-11-23 08:00 Europe/Berlin" },
    lastRuns: runs("sssssss", DAY, 40_000, NOW - 3 * DAY),
    lastSuccess: NOW - 3 * DAY,
    nextRun: next(3 * DAY + 6 * HOUR),
    durations: durations(38),
    actions: [{ do: "Resume" }],
  }),
  row({
    apiVersion: "batch/v1",
    namespace: "shop",
    name: "newsletter",
    state: "Suspended",
    since: NOW - 20 * DAY,
    schedule: "0 9 * * 1",
    cause: { reason: "Suspended", message: "spec.suspend is true" },
    nextRun: undefined,
    actions: [{ do: "Unsuspend", in: "spec" }],
  }),
];

const RUNNING: readonly Row[] = [
  row({
    namespace: "shop",
    name: "search-index",
    state: "Running",
    since: NOW - 4 * MINUTE,
    schedule: "*/15 * * * *",
    active: ["search-index-29393514"],
    lastRuns: runs("rsssssfsss", 15 * MINUTE, 5 * MINUTE, NOW - 4 * MINUTE),
    lastSuccess: NOW - 14 * MINUTE,
    nextRun: next(2 * MINUTE, "Wait"),
    durations: durations(290),
  }),
];

const NAMES = "ship invoice prune digest rotate-keys certs warm-cache snapshot mail-queue stats geo-update reindex"
  .split(" ");
const NAMESPACES = ["team-a", "team-b", "infra", "shop", "data"];

const REGIONS = ["eu", "us", "ap", "sa", "me"];

/** How often, as a schedule says it. */
const RHYTHMS: readonly (readonly [everyMs: number, schedule: string])[] = [
  [HOUR, "H * * * *"],
  [30 * MINUTE, "*/30 * * * *"],
  [DAY, "H 4 * * *"],
  [2 * HOUR, "15 */2 * * *"],
  [6 * HOUR, "30 */6 * * *"],
  [15 * MINUTE, "*/15 * * * *"],
  [DAY, "H 22 * * *"],
];

/** Those of which there is nothing to say. */
export function fineRows(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const [everyMs, schedule] = must(RHYTHMS[index % RHYTHMS.length]);
    const lastAt = Math.floor((NOW - (index * 7_919_000) % everyMs) / MINUTE) * MINUTE;
    const tookMs = 2_000 + (index * 7_877) % 240_000;
    const round = Math.floor(index / NAMES.length);
    return row({
      namespace: must(NAMESPACES[index % NAMESPACES.length]),
      name: `${NAMES[index % NAMES.length]}-${REGIONS[round % REGIONS.length]}${
        Math.floor(round / REGIONS.length) + 1
      }`,
      id: `fine-${index}`,
      state: "Waiting",
      schedule,
      zone: must(["Europe/Berlin", "UTC", "America/New_York"][index % 3]),
      lastRuns: runs("ssssssssss", everyMs, tookMs, lastAt),
      lastSuccess: lastAt,
      nextRun: next(lastAt + everyMs - NOW),
      durations: durations(tookMs / 1_000),
    });
  });
}

export const FLEET: readonly Row[] = [...TROUBLE, ...HELD, ...RUNNING, ...fineRows(208)];

/** One in each state. */
export const EVERY_STATE: readonly Row[] = STATES.map((state) =>
  row({ name: state.toLowerCase(), state, since: NOW - HOUR, lastRuns: runs("rpkmfsssss", HOUR, MINUTE) })
);

export const LOGS: readonly LogMessage[] = [
  "connecting to postgres://sync@10.0.3.7:5432/shop",
  "retry 1 of 3 in 2s",
  "retry 2 of 3 in 4s",
  "retry 3 of 3 in 8s",
  "error: connection refused 10.0.3.7:5432",
].map((text): LogMessage => ({ kind: "line", pod: "sync-29393490-x7k2p", container: "main", text }))
  .concat([{ kind: "end" }]);

export function detailOf(name: string): Detail | undefined {
  const found = FLEET.find((row) => row.name === name);
  if (!found) return undefined;
  const { lastRuns, zone, schedule, namespace } = found;
  return {
    facts: [
      { label: "Schedule", value: schedule },
      { label: "Time zone", value: zone },
      { label: "While a run is active", value: "Forbid: the next waits, unless a later time comes first" },
      { label: "Start deadline", value: "none" },
      { label: "Missed runs", value: "the latest starts" },
      { label: "Keeps", value: "3 that succeeded, 1 that failed" },
    ],
    runs: lastRuns.map((run, index) => ({
      scheduledTime: index === 2 ? undefined : run.at,
      trigger: index === 2 ? "Manual" : "Schedule",
      outcome: run.outcome,
      reason: run.reason === undefined ? undefined : "BackoffLimitExceeded",
      job: index === 0 ? "sync-29393490" : run.job,
      startedAt: run.at + 200,
      endedAt: run.ms === undefined ? undefined : run.at + 200 + run.ms,
      ms: run.ms,
    })),
    nextRuns: Array.from({ length: 10 }, (_, index) => ({
      scheduledTime: NOW + 2 * MINUTE + index * 30 * MINUTE,
      startsAt: NOW + 2 * MINUTE + index * 30 * MINUTE,
    })),
    events: [
      {
        lastAt: NOW - 28 * MINUTE,
        isWarning: true,
        reason: "BackoffLimitExceeded",
        message: "Job has reached the specified backoff limit",
        count: 4,
        about: "Job sync-29393490",
      },
      {
        lastAt: NOW - 28 * MINUTE,
        isWarning: false,
        reason: "SuccessfulCreate",
        message: "Created job sync-29393490",
        count: 1,
        about: "CronJob sync",
      },
    ],
    yaml:
      `apiVersion: ${API}\nkind: CronJob\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\nspec:\n  schedule: "${schedule}"\n  timeZone: ${zone}\n  concurrencyPolicy: Forbid\n`,
  };
}

export function timelineOf(ids: readonly string[], from: number, to: number): Timeline {
  const rows = ids.flatMap((id) => FLEET.find((row) => row.id === id) ?? []);
  return {
    rows: rows.map(({ id, lastRuns, nextRun }) => {
      const everyMs = lastRuns.length > 1 ? must(lastRuns[0]).at - must(lastRuns[1]).at : DAY;
      const planned: number[] = [];
      if (nextRun?.kind === "known") { for (let at = nextRun.startsAt; at < to; at += everyMs) planned.push(at); }
      const isInfra = id === "infra/etcd-backup";
      return {
        id,
        runs: lastRuns.filter(({ at, ms = 0 }) => at + ms > from),
        planned,
        hasMore: false,
        // The status has room for ten runs.
        knownSince: lastRuns.length < 10 ? undefined : must(lastRuns.at(-1)).at,
        gaps: [],
        passedOver: isInfra ? [[NOW - 5 * HOUR, NOW - 3.5 * HOUR]] : [],
      };
    }),
    clockChanges: [],
  };
}

export function calendarOf(name: string, from: number, to: number): Calendar | undefined {
  const id = FLEET.find((row) => row.name === name)?.id;
  const [row] = id === undefined ? [] : timelineOf([id], from, to).rows;
  return row && { ...row, runs: row.runs.map(({ at, outcome }) => [at, outcome]) };
}

function cronJobOf({ namespace, name, schedule, zone }: Row): CronJob {
  const stored = storedCronJob(PRODUCTION, { createdAt: NOW - 90 * DAY, spec: { schedule, timeZone: zone } });
  return readCronJob(PRODUCTION, { ...stored, metadata: { ...stored.metadata, namespace, name } });
}

/** The load of the fleet, as `simulate` finds it. */
export const { report: LOAD }: { report: LoadOfDay } = await simulate(undefined, FLEET.map(cronJobOf), {
  now: NOW,
  controllers: { isEmbedded: true },
  from: "0s",
  durations: readDurations("2m"),
});

export function explainedOf(name: string): Explained | undefined {
  const found = FLEET.find((row) => row.name === name);
  return found && {
    ...found,
    scheduledTime: NOW - 28 * MINUTE,
    run: undefined,
    verdict: {
      kind: "Failed",
      message: "ran at Fri 2026-11-20 01:30 UTC, and failed",
      why: "exit 1: connection refused 10.0.3.7:5432",
    },
    checks: [
      { result: "ok", message: "*/30 * * * * names that time in UTC; no change of the clocks near it" },
      { result: "ok", message: "not suspended, not paused, not excluded" },
      { result: "ok", message: "concurrency: 0 active, 1 allowed" },
      { result: "-", message: "startingDeadlineSeconds: none set" },
      { result: "FAIL", message: "its Pod ended with exit code 1" },
      { result: "?", message: "whether the controller led then: the Lease may not be read" },
    ],
    sinceSuccess: { failed: 4, skipped: 0, missed: 0 },
    lastLines: ["error: connection refused 10.0.3.7:5432"],
  };
}
