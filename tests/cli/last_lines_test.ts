import { assertEquals } from "@std/assert";
import { lastLinesOf } from "../../src/cli/explain/last_lines.ts";
import { createKubeClient } from "../../src/kube/http_client.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

const POD = { namespace: "default", pod: "report-x", container: "main" };

/** What is read of a server that answers so; `meanwhile` is called once it was asked. */
async function linesFrom(
  answer: (request: Request) => Response,
  meanwhile: (clock: FakeClock) => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const clock = new FakeClock();
  const asked = Promise.withResolvers<void>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    asked.resolve();
    return answer(request);
  });
  await using client = createKubeClient({ server: `http://127.0.0.1:${server.addr.port}` }, { userAgent: "test" });
  const lines = lastLinesOf(client, POD, clock);
  await asked.promise;
  await meanwhile(clock);
  const read = await lines;
  assertEquals(clock.pending, 0);
  await server.shutdown();
  return read;
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

test("lines that are not to be had keep nothing back", async () => {
  assertEquals(await linesFrom(() => new Response("no", { status: 502 })), []);
  const endless = () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array([97])) }));
  assertEquals(await linesFrom(endless, (clock) => clock.advance(3_000)), []);
});
