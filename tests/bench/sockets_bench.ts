// CPU that this process takes for a creation of 2 kB over TLS, 64 in flight, answered by a server in a process of its own: by
// the client over its own sockets, by the same client over fetch, and by node:https and fetch alone, without any client.
//
//   deno task bench:sockets

import https from "node:https";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { JOBS } from "../../src/kube/resource.ts";
import { collectionPath } from "../../src/kube/resource_path.ts";
import { TestCa } from "../kube/support/certificates.ts";
import { must } from "../support/expected.ts";
import { lines } from "../support/lines.ts";
import { inParallel } from "./support/in_parallel.ts";
import { cpuMs } from "./support/usage.ts";

const REQUESTS = 6_000;
const IN_FLIGHT = 64;
const ROUNDS = 3;
const SERVER = `Deno.serve({
  hostname: "127.0.0.1", port: 0, cert: Deno.env.get("CERT"), key: Deno.env.get("KEY"),
  onListen: ({ port }) => console.log(port),
}, async (request) => new Response(await request.text(), { status: 201 }))`;
const PATH = collectionPath(JOBS, "a");

type Send = (name: string, body: string) => Promise<unknown>;

const ca = await TestCa.make();
const { certificate, key } = await ca.issueServer();
await using server = new Deno.Command(Deno.execPath(), {
  args: ["eval", SERVER],
  env: { CERT: certificate, KEY: key },
  stdout: "piped",
}).spawn();
const port = must((await lines(server.stdout).next()).value);
const caCertificates = [ca.certificate];
await using own = HttpKubeClient.to({ server: `https://127.0.0.1:${port}`, caCertificates });
// A server with a user in its URL is asked by fetch.
await using fetching = HttpKubeClient.to({ server: `https://u@127.0.0.1:${port}`, caCertificates });
using http = Deno.createHttpClient({ http2: false, caCerts: caCertificates });
const agent = new https.Agent({ keepAlive: true, maxSockets: IN_FLIGHT, ca: ca.certificate });

const WAYS: Record<string, Send> = {
  "the client, its own sockets": (name, body) => own.createText(JOBS, { namespace: "a", name }, body, { lane: "run" }),
  "the client, fetch": (name, body) => fetching.createText(JOBS, { namespace: "a", name }, body, { lane: "run" }),
  "fetch alone": async (_, body) =>
    await (await fetch(`https://127.0.0.1:${port}${PATH}`, { method: "POST", body, client: http })).text(),
  "node:https alone": (_, body) => sendByNode(body),
};

const rows: Record<string, unknown>[] = [];
for (let round = 1; round <= ROUNDS; round++) {
  for (const [way, send] of Object.entries(WAYS)) {
    await sendAll(send, REQUESTS / 10);
    const [before, began] = [cpuMs(), performance.now()];
    await sendAll(send, REQUESTS);
    const ms = (value: number) => (value / REQUESTS).toFixed(3);
    rows.push({
      round,
      way,
      "CPU a request, ms": ms(cpuMs() - before),
      "time a request, ms": ms(performance.now() - began),
    });
  }
}
rows.sort((a, b) => String(a.way).localeCompare(String(b.way)));
console.table(rows);
agent.destroy();
server.kill("SIGKILL");

function sendAll(send: Send, count: number): Promise<void> {
  return inParallel(count, IN_FLIGHT, (i) => send(`job-${i}`, jobOf(`job-${i}`)));
}

function jobOf(name: string): string {
  const metadata = { name, namespace: "a", uid: "u", annotations: { padding: "x".repeat(1_900) } };
  return JSON.stringify({ apiVersion: "batch/v1", kind: "Job", metadata, spec: {} });
}

function sendByNode(body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = https.request({ host: "127.0.0.1", port, path: PATH, method: "POST", agent }, (answer) => {
      answer.on("data", () => {}).on("end", resolve).on("error", reject);
    });
    request.on("error", reject).end(body);
  });
}
