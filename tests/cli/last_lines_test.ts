import { assertEquals } from "@std/assert";
import { lastLinesOfRun } from "../../src/cli/cluster/last_lines.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import type { RunView } from "../../src/view/cron_job_view.ts";
import type { ViewInput } from "../../src/view/look.ts";
import { at, world } from "../cronjob/support/world.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { must } from "../support/expected.ts";
import { serve } from "../support/serve.ts";
import { test } from "../support/test.ts";
import { failedPod } from "../view/support/facts.ts";

const { cronJob, jobs, now } = world(BATCH, { now: "10:30", jobs: [{ time: "10:00", state: "failed" }] });
const { name: job } = must(jobs[0]).metadata;
const RUN: RunView = {
  job,
  trigger: "Schedule",
  outcome: "Failed",
  reason: "BackoffLimitExceeded",
  scheduledTime: at("10:00"),
  startedAt: at("10:00"),
  endedAt: now,
};

const POD = { ...failedPod(job, 3), name: "report-x" };
const LOG = { file: "uid_main_0", pod: "report-x", container: "main", restartCount: 0 };
const KEPT = { apiVersion: "batch/v1", namespace: "default", name: "report", run: RUN, logs: [LOG] };

/** What is read of a server that answers so; `meanwhile` is called once it was asked. */
async function linesFrom(
  answer: (request: Request) => Response,
  meanwhile: (clock: FakeClock) => Promise<void> = () => Promise.resolve(),
  known: Pick<ViewInput, "pods" | "kept"> = { pods: [POD] },
): Promise<string[]> {
  const clock = new FakeClock();
  const asked = Promise.withResolvers<void>();
  await using server = serve((request) => {
    asked.resolve();
    return answer(request);
  });
  await using client = HttpKubeClient.to({ server: server.url }, { userAgent: "test" });
  const lines = lastLinesOfRun(client, { cronJob, jobs, now, ...known }, RUN, clock);
  await asked.promise;
  await meanwhile(clock);
  const seen = await lines;
  assertEquals(clock.pending, 0);
  return seen;
}

test("the last lines are few, and not long", async () => {
  let asked = "";
  const lines = await linesFrom(({ url }) => {
    asked = new URL(url).search;
    return new Response("reading\n\nno such table\n");
  });
  assertEquals(lines, ["reading", "no such table"]);
  assertEquals(asked, "?container=main&tailLines=5&limitBytes=16384");
});

test("the last lines of a log that is remembered are as few and as short", async () => {
  let asked = "";
  const answer = ({ url }: Request) => {
    asked = url.slice(new URL(url).origin.length);
    return new Response(`reading\n${"x".repeat(20_000)}\n`);
  };
  const lines = await linesFrom(answer, undefined, { kept: [KEPT] });
  assertEquals(lines.map(({ length }) => length), [7, 16_384]);
  assertEquals(asked, "/history/log?file=uid_main_0&tailLines=5");
});

test("the last lines of a run whose Pods are gone are those of its termination message, unless it is one line", async () => {
  const lastLines = (message: string) => {
    const run = { ...RUN, terminated: { exitCode: 3, message } };
    return lastLinesOfRun({} as KubeClient, { cronJob, jobs, now }, run, new FakeClock());
  };
  assertEquals(await lastLines("1\n2\n3\n4\nreading\nno such table\n"), ["2", "3", "4", "reading", "no such table"]);
  assertEquals(await lastLines("no such table\n"), []);
});

test("lines that are not to be had keep nothing back", async () => {
  assertEquals(await linesFrom(() => new Response("no", { status: 502 })), []);
  const endless = () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array([97])) }));
  assertEquals(await linesFrom(endless, (clock) => clock.advance(3_000)), []);
});
