import { assert, assertEquals } from "@std/assert";
import type { KeptHistory } from "../../src/dashboard/commands.ts";
import { logMessages } from "../../src/dashboard/reads/log_lines.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

/** A run with one container, which writes so many bytes. */
function runThatWrites(
  chunks: readonly string[],
  states: unknown = { state: { terminated: {} } },
): { readonly client: KubeClient; readonly taken: () => number } {
  let taken = 0;
  const body = () =>
    new ReadableStream({
      pull(controller) {
        if (taken === chunks.length) return controller.close();
        controller.enqueue(new TextEncoder().encode(chunks[taken++]));
      },
    });
  const pod = {
    metadata: { name: "a-1", uid: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
    status: { containerStatuses: [{ name: "main", containerID: "c", ...states as object }] },
  };
  const client = {
    get: () => Promise.resolve({ status: { conditions: [{ type: "Complete", status: "True" }] } }),
    list: () => Promise.resolve({ items: [pod] }),
    raw: () => Promise.resolve(new Response(body())),
  } as unknown as KubeClient;
  return { client, taken: () => taken };
}

function follow(client: KubeClient, history?: KeptHistory, clock = new FakeClock()) {
  const { signal } = new AbortController();
  const of = { namespace: "default", name: "c", job: "a" };
  return logMessages({ client, clock, ...of, tailLines: 5_000, history, signal });
}

test("a page that takes no more of a log holds little of it", async () => {
  const line = `${"x".repeat(16_000)}\n`;
  const { client, taken } = runThatWrites(Array(1_000).fill(line));
  const messages = follow(client);
  assertEquals((await messages.next()).value?.kind, "line");
  for (let i = 0; i < 100; i++) await new Promise((resolve) => setTimeout(resolve, 0));
  assert(taken() * line.length < 700_000, `${taken() * line.length} bytes are held`);

  let lines = 1;
  for await (const { kind } of messages) if (kind === "line") lines++;
  assertEquals(lines, 1_000);
});

test("what a container wrote that waits to be started again is shown", async () => {
  const states = { state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated: { exitCode: 1 } } };
  const messages = await Array.fromAsync(follow(runThatWrites(["no luck\n"], states).client));
  assertEquals(messages.map((message) => message.kind === "line" ? message.text : message.kind), [
    "waits",
    "no luck",
    "end",
  ]);
});

test("a line that never ends is cut, and is marked as cut", async () => {
  const { client } = runThatWrites([...Array(50).fill("x".repeat(10_000)), "\nshort"]);
  const texts = (await Array.fromAsync(follow(client))).flatMap((message) =>
    message.kind === "line" ? [[message.text.length, message.isCut]] : []
  );
  assertEquals(texts, [[16_384, true], [5, undefined]]);
});

test("what a run wrote is shown though its Pods go as it is asked for", async () => {
  const log = { file: "f", pod: "a-1", container: "main", restartCount: 0 };
  let looks = 0;
  const history = {
    runs: () => Promise.resolve(looks++ === 0 ? [] : [{ run: { job: "a" }, logs: [log] }]),
    linesOf: async function* () {
      yield "over";
    },
  } as unknown as KeptHistory;
  const client = {
    get: () => Promise.reject(new ApiError("gone", { code: 404 })),
    list: () => Promise.resolve({ items: [] }),
  } as unknown as KubeClient;
  const clock = new FakeClock();
  const messages = Array.fromAsync(follow(client, history, clock));
  await settle();
  await clock.advance(1_000);
  assertEquals(await messages, [
    { kind: "line", pod: "a-1", container: "main", text: "over" },
    { kind: "end", isWithoutPods: true },
  ]);
});
