// What is followed comes from an API server that answers from a list, in no time.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { followBackfill } from "../../src/cli/backfill/follow_backfill.ts";
import { followRun } from "../../src/cli/trigger/follow_run.ts";
import { BACKFILL, TRIGGER } from "../../src/cronjob/api/annotations.ts";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { RunRecord } from "../../src/cronjob/api/types.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { JOBS, type Resource } from "../../src/kube/resource.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { at, type Given, world } from "../cronjob/support/world.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { type Printed, runCommand } from "./support/run_command.ts";

const { cronJob } = world(TUTORIAL, { now: "10:00" });
const JOB = "report-m1234567";

/** Each sleep is over at once. */
class QuickClock extends FakeClock {
  override sleep(delayMs: number): Promise<void> {
    return this.advance(delayMs);
  }
}

/** There are no Jobs; Events are listed after these outages; each look at the CronJob finds the next of these versions, or fails so, and then the last. */
function cluster(
  versions: readonly (Partial<Given> | Error)[],
  events: readonly unknown[] = [],
  outages: Error[] = [],
): KubeClient {
  let looks = 0;
  return {
    get: (resource: Resource) => {
      if (resource === JOBS) return Promise.reject(new ApiError("not found", { code: 404 }));
      const given = versions[Math.min(looks++, versions.length - 1)];
      if (given instanceof Error) return Promise.reject(given);
      return Promise.resolve(world(TUTORIAL, { now: "10:00", ...given }).cronJob.object);
    },
    list: () => {
      const outage = outages.pop();
      return outage ? Promise.reject(outage) : Promise.resolve({ items: events, metadata: {} });
    },
  } as unknown as KubeClient;
}

function printed(follow: (clock: QuickClock) => Promise<void>): Promise<Printed> {
  return runCommand(
    (program) => void program.command("follow").action(() => follow(new QuickClock(at("10:00")))),
    "follow",
  );
}

function followed(client: KubeClient): Promise<Printed> {
  const asked = { cronJob, job: JOB, trigger: "mine" };
  return printed((clock) => followRun(client, asked, { clock, kubeconfig: "/no/such/file" }));
}

const MINE: Partial<Given> = { annotations: { [TRIGGER]: "mine" } };
const ANSWERED: Partial<Given> = { ...MINE, status: { lastTrigger: "mine" } };

test("trigger --follow ends when another trigger takes the place of the run, or the request is taken away", async () => {
  const { stdout, exitCode } = await followed(cluster([MINE, { annotations: { [TRIGGER]: "other" } }]));
  assertEquals([stdout, exitCode], ["report was not run: another trigger (other) took its place", 1]);
  assertEquals(
    (await followed(cluster([MINE, {}]))).stdout,
    "report was not run: its Job, or the request for it, is gone",
  );
});

test("trigger --follow says once why the controller could not create the Job", async () => {
  const message = `Cannot create jobs default/${JOB}: exceeded quota`;
  const event = {
    metadata: { name: "e" },
    type: "Warning",
    reason: "FailedCreate",
    message,
    involvedObject: { name: "report", uid: cronJob.metadata.uid },
    lastTimestamp: "2026-03-10T10:00:00Z",
  };
  const versions = [...Array<Partial<Given>>(40).fill(MINE), ANSWERED];
  const { stderr } = await followed(cluster(versions, [event]));
  assertEquals(stderr, `cronjob-controller: ${message}; the request stays if you stop waiting`);
  const another = { ...event, message: "Cannot create jobs default/report-9: exceeded quota" };
  assertEquals(
    (await followed(cluster(versions, [another]))).stderr,
    `cronjob-controller: There is no trace of this run yet, and another one of it was refused: ${another.message}; the ` +
      "request stays if you stop waiting",
  );
  const { stderr: unanswered } = await followed(cluster(versions, []));
  assertEquals(unanswered, "cronjob-controller: No controller has answered yet; the request stays if you stop waiting");
});

const ENDS: readonly (readonly [Partial<RunRecord>, message: string, exitCode: number])[] = [
  [{ outcome: "Succeeded" }, `${JOB} succeeded`, 0],
  [{ outcome: "Failed", reason: "BackoffLimitExceeded", message: "x" }, `${JOB} failed: x`, 1],
  [{ outcome: "Deleted", reason: "Replaced" }, `${JOB} is gone: Replaced`, 1],
  [{ outcome: "Running" }, `${JOB} is gone: no record says how it ended`, 1],
];

test("trigger --follow knows how a run ended whose Job is gone", async () => {
  for (const [record, message, exitCode] of ENDS) {
    const run = { trigger: "Manual", jobName: JOB, ...record } as RunRecord;
    const result = await followed(cluster([{ ...MINE, status: { lastTrigger: "mine", recentRuns: [run] } }]));
    assertEquals([result.stdout, result.exitCode], [message, exitCode]);
  }
});

const OUTAGE = [
  new UnreachableError("Cannot reach the API server: connection refused"),
  new UnreachableError("Cannot reach the API server: connection refused"),
  new ApiError("Cannot get cronjobs: etcd has no leader", { code: 500 }),
];
const OUTAGE_TOLD = [
  "cronjob-controller: Cannot reach the API server: connection refused; asking again until there is an answer",
  "cronjob-controller: Cannot get cronjobs: etcd has no leader; asking again until there is an answer",
].join("\n");

test("trigger --follow and backfill --follow outlast an API server that is away, and end where it refuses", async () => {
  const run = { trigger: "Manual", jobName: JOB, outcome: "Succeeded" } as RunRecord;
  const ended = { ...MINE, status: { lastTrigger: "mine", recentRuns: [run] } };
  const { stdout, stderr, exitCode } = await followed(cluster([MINE, ...OUTAGE, ended]));
  assertEquals([stdout, exitCode], [`${JOB} succeeded`, 0]);
  assert(stderr.startsWith(OUTAGE_TOLD), stderr);
  const filled = await printed((clock) => followBackfill(cluster([...OUTAGE, {}]), { cronJob, id: "mine" }, clock));
  assertEquals([filled.stdout, filled.stderr], ["report back-fill ends: it was cancelled", OUTAGE_TOLD]);
  const waiting = await followed(cluster([...Array<Partial<Given>>(40).fill(MINE), ended], [], OUTAGE.slice(0, 1)));
  assertEquals(waiting.stdout, `${JOB} succeeded`);
  const refused = new ApiError("Cannot get cronjobs: forbidden", { code: 403 });
  await assertRejects(() => followed(cluster([MINE, refused])), ApiError, refused.message);
});

test("backfill --follow ends when its request is replaced or taken away", async () => {
  const asking = (id: string): Partial<Given> => ({
    annotations: { [BACKFILL]: JSON.stringify({ id, from: "2026-03-10T06:00:00Z", to: "2026-03-10T09:00:00Z" }) },
  });
  const follow = (last: Partial<Given>) =>
    printed((clock) => followBackfill(cluster([asking("mine"), last]), { cronJob, id: "mine" }, clock));
  const { stdout, exitCode } = await follow(asking("other"));
  assertEquals([stdout, exitCode], ["report back-fill ends: back-fill other took its place", 1]);
  assertEquals((await follow({})).stdout, "report back-fill ends: it was cancelled");
});
