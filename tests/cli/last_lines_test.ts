import { assertEquals } from "@std/assert";
import { lastLinesOf } from "../../src/cli/explain/last_lines.ts";
import { createKubeClient } from "../../src/kube/http_client.ts";
import { test } from "../support/test.ts";

const POD = { namespace: "default", pod: "report-x", container: "main" };

async function linesFrom(answer: (request: Request) => Response, patienceMs = 5_000): Promise<string[]> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answer);
  await using client = createKubeClient({ server: `http://127.0.0.1:${server.addr.port}` }, { userAgent: "test" });
  const lines = await lastLinesOf(client, POD, { patienceMs });
  await server.shutdown();
  return lines;
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
  assertEquals(await linesFrom(endless, 30), []);
});
