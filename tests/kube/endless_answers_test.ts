import { assert, assertEquals, assertRejects } from "@std/assert";
import type { KubeClient } from "../../src/kube/client.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { EVENTS, JOBS, LEASES } from "../../src/kube/resource.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { EndlessServer } from "./sockets/support/endless_server.ts";
import { job } from "./support/connected_client.ts";
import { ApiError } from "../../src/kube/api_error.ts";

const NAME = { name: "a", namespace: "default" };
const EVENT = { apiVersion: "v1", kind: "Event", metadata: NAME, involvedObject: {} };
const OK = "HTTP/1.1 201 Created\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

const create = (client: KubeClient) => client.create(JOBS, job("a"));
const CREATIONS: Readonly<Record<string, [beginning: string, piece: string, complaint: string]>> = {
  "a body until the connection ends": [`${OK}\r\n`, "x", "the body of the server's answer is longer than 8192 KiB"],
  "a body of chunks": [CHUNKED, "8\r\n12345678\r\n", "the body of the server's answer is longer than 8192 KiB"],
  "one long chunk": [`${CHUNKED}ffffffff\r\n`, "x", "the body of the server's answer is longer than 8192 KiB"],
  "a body that says so": [`${OK}Content-Length: 99999999999\r\n\r\n`, "x", "longer than 8192 KiB"],
  "headers": [OK, "X: y\r\n", "the headers of the server's answer are longer than 64 KiB"],
  "informational heads": [
    "",
    "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n",
    "the headers of the server's answer are longer than 64 KiB",
  ],
  "trailers": [`${CHUNKED}0\r\n`, "Later: x\r\n", "the trailers of the server's answer are longer than 64 KiB"],
};

for (const [what, [beginning, piece, complaint]] of Object.entries(CREATIONS)) {
  test(`KubeClient refuses an answer to a write that has ${what} without end, and closes the connection`, async () => {
    await using server = new EndlessServer(beginning, piece);
    await using client = HttpKubeClient.to({ server: server.url });
    const { message, retryAfterMs } = await assertRejects(() => create(client), UnreachableError, complaint);
    assert(message.startsWith("Cannot create jobs default/a: "), message);
    assertEquals(retryAfterMs, 1_000);
    await isLeft(server);
  });
}

const OTHERS: Readonly<Record<string, (client: KubeClient) => Promise<unknown>>> = {
  "a Lease that is read": (client) => client.get(LEASES, NAME),
  "an Event that is written": (client) => client.createText(EVENTS, NAME, JSON.stringify(EVENT)),
};

for (const [what, ask] of Object.entries(OTHERS)) {
  test(`KubeClient bounds the answer about ${what}`, async () => {
    await using server = new EndlessServer("HTTP/1.1 200 OK\r\n\r\n", "x");
    await using client = HttpKubeClient.to({ server: server.url });
    await assertRejects(() => ask(client), UnreachableError, "the body of the server's answer is longer than 8192 KiB");
    await isLeft(server);
  });
}

test("KubeClient bounds what a refusal says, of a list too", async () => {
  await using server = new EndlessServer("HTTP/1.1 403 Forbidden\r\n\r\n", "x");
  await using client = HttpKubeClient.to({ server: server.url });
  await assertRejects(() => client.list(JOBS), ApiError, "Cannot list jobs: HTTP 403 Forbidden");
  await isLeft(server);
});

/** Resolves when the server has noticed; what lies between the two may be full. */
async function isLeft(server: EndlessServer): Promise<void> {
  while (server.taken.length === 0) await settle();
  assert(server.taken[0]! < 40 * 1024 * 1024, `the client took ${server.taken[0]} bytes`);
}
