import { assertEquals } from "@std/assert";
import { lastLinesKept, lastLinesOf, lastLinesOfRun } from "../../src/cli/cluster/last_lines.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { world } from "../cronjob/support/world.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

const POD = { namespace: "default", pod: "report-x", container: "main" };

/** What is read of a server that answers so; `meanwhile` is called once it was asked. */
async function linesFrom(
  answer: (request: Request) => Response,
  meanwhile: (clock: FakeClock) => Promise<void> = () => Promise.resolve(),
  read: (client: KubeClient, clock: FakeClock) => Promise<string[]> = (client, clock) =>
    lastLinesOf(client, POD, clock),
): Promise<string[]> {
  const clock = new FakeClock();
  const asked = Promise.withResolvers<void>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    asked.resolve();
    return answer(request);
  });
  await using client = HttpKubeClient.to({ server: `http://127.0.0.1:${server.addr.port}` }, { userAgent: "test" });
  const lines = read(client, clock);
  await asked.promise;
  await meanwhile(clock);
  const seen = await lines;
  assertEquals(clock.pending, 0);
  await server.shutdown();
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
  const log = { file: "uid_main_0", pod: "report-x", container: "main", restartCount: 0 };
  const lines = await linesFrom(
    ({ url }) => {
      asked = url.slice(new URL(url).origin.length);
      return new Response(`reading\n${"x".repeat(20_000)}\n`);
    },
    undefined,
    (client, clock) => lastLinesKept(client, log, clock),
  );
  assertEquals(lines.map(({ length }) => length), [7, 16_384]);
  assertEquals(asked, "/history/log?file=uid_main_0&tailLines=5");
});

test("the last lines of a run whose Pods are gone are those of its termination message, unless it is one line", async () => {
  const { cronJob, jobs, now } = world(BATCH, { now: "10:30" });
  const run = { job: "report-1", trigger: "Schedule", outcome: "Failed", reason: "BackoffLimitExceeded" } as const;
  const lastLines = (message: string) =>
    lastLinesOfRun(
      {} as KubeClient,
      { cronJob, jobs, now },
      { ...run, scheduledTime: now, startedAt: now, endedAt: now, terminated: { exitCode: 3, message } },
      new FakeClock(),
    );
  assertEquals(await lastLines("1\n2\n3\n4\nreading\nno such table\n"), ["2", "3", "4", "reading", "no such table"]);
  assertEquals(await lastLines("no such table\n"), []);
});

test("lines that are not to be had keep nothing back", async () => {
  assertEquals(await linesFrom(() => new Response("no", { status: 502 })), []);
  const endless = () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array([97])) }));
  assertEquals(await linesFrom(endless, (clock) => clock.advance(3_000)), []);
});
