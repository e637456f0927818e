import { assert, assertEquals } from "@std/assert";
import type { ActionAnswer, LogMessage, RowsMessage, Timeline } from "../../src/dashboard/wire.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { FIRST_INSTANT, LAST_INSTANT } from "../../src/base/epoch_ms.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { atLeast, must } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { ownPort } from "../support/own_port.ts";
import { eventually } from "../support/program.ts";
import { serve } from "../support/serve.ts";
import { test } from "../support/test.ts";
import { applyCronJob, linesOf, startTestDashboard, type TestDashboard } from "./support/dashboard.ts";

/** The id of the only row. */
async function idOfRow(dashboard: TestDashboard): Promise<string> {
  for await (const message of linesOf<RowsMessage>(await dashboard.get("/api/rows"))) {
    if (message.kind === "rows") return must(message.rows[0]).id;
  }
  throw new Error("there is no row");
}

test("a timeline of times that there are not is refused, and one at their end is shown", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  await applyCronJob(api.client, { name: "nightly", spec: { timeZone: "Europe/Berlin" } });
  await using dashboard = startTestDashboard({ client: api.client });
  const id = await idOfRow(dashboard);
  const asked = async (from: unknown, to: unknown) =>
    await dashboard.get(`/api/timeline?from=${from}&to=${to}&id=${id}`);
  for (
    const [from, to] of [
      [LAST_INSTANT, LAST_INSTANT + 1],
      [FIRST_INSTANT - 1, FIRST_INSTANT],
      [4e15, 4e15 + 1e8],
      [8.64e15, 8.64e15 + 1],
      [-8.64e15, 1 - 8.64e15],
      ["1e300", "1.1e300"],
      ["-Infinity", 0],
      ["NaN", 1],
      [2, 1],
    ]
  ) {
    const response = await asked(from, to);
    assertEquals([response.status, (await response.json()).reason], [400, "BadRequest"], `${from} to ${to}`);
  }
  for (const [from, to] of [[LAST_INSTANT - 86_400_000, LAST_INSTANT], [FIRST_INSTANT, FIRST_INSTANT + 1]]) {
    const timeline: Timeline = await (await asked(from, to)).json();
    assertEquals(timeline.rows.map((row) => row.id), [id]);
  }
});

test("no name that the page is given leads to another path of the API server", async () => {
  const paths: string[] = [];
  await using server = serve(({ url }) => {
    paths.push(new URL(url).pathname);
    return Response.json({ kind: "Status", code: 404, reason: "NotFound", message: "nothing" }, { status: 404 });
  });
  await using client = HttpKubeClient.to({ server: server.url });
  await using dashboard = startTestDashboard({ client });
  await (await dashboard.get("/api/session")).body?.cancel();
  paths.length = 0;
  for (
    const [namespace, job] of [
      ["..", "a"],
      [".", "a"],
      ["team-a/services/http:web:80/proxy", "a"],
      ["team-a/pods/a/log?", "a"],
      ["team-a%2Fpods", "a"],
      ["team-a", ".."],
      ["team-a", "../../../../api/v1/secrets"],
      ["team-a", "a/status"],
    ] as const
  ) {
    const response = await dashboard.get(`/api/logs?${new URLSearchParams({ namespace, job })}`);
    const [{ kind, message }] = atLeast(1, await Array.fromAsync(linesOf<LogMessage & { message: string }>(response)));
    assertEquals(kind, "trouble");
    assert(/^Cannot use the name(space)? ".*": it may not /.test(message), message);
    const body = { targets: [{ apiVersion: "batch/v1", namespace, name: job, job }] };
    const { results }: ActionAnswer = await (await dashboard.post("/api/actions/delete-job", body)).json();
    assertEquals(results.map(({ result, message }) => [result, message]), [["failed", message]]);
  }
  // Who acts is asked at a path that no name is part of.
  assertEquals(paths.filter((path) => path !== "/apis/authentication.k8s.io/v1/selfsubjectreviews"), []);
});

test("an API server that does not answer is named as such, and is no fault of the program", async () => {
  await using client = HttpKubeClient.to({ server: `http://127.0.0.1:${ownPort()}` });
  await using dashboard = startTestDashboard({ client });
  const response = await dashboard.get("/api/session");
  assertEquals([response.status, await response.json()], [502, {
    reason: "Unreachable",
    message: "The API server gives no answer",
  }]);
});

test("a request whose body does not come is answered after twenty seconds, and its connection ends", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  const clock = new FakeClock();
  await using dashboard = startTestDashboard({ client: api.client, clock });
  const { port, origin } = dashboard;
  using slow = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = [
    "POST /api/login HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    `Origin: ${origin}`,
    "Content-Type: application/json",
    "Content-Length: 20",
  ];
  const before = clock.pending;
  await slow.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n{"co`));
  await eventually("it is being read", () => Promise.resolve(clock.pending === before + 1));
  await clock.advance(20_000);
  const answer = new Uint8Array(10_000);
  const text = new TextDecoder().decode(answer.subarray(0, must(await slow.read(answer) ?? undefined)));
  assert(text.startsWith("HTTP/1.1 408 ") && text.includes("RequestTimeout"), text);
  const ended = slow.read(answer).catch(() => null);
  await eventually("it is about to end", () => Promise.resolve(clock.pending > before));
  await clock.advance(1_000);
  assertEquals(await ended, null);
});
