import https from "node:https";
import type { AddressInfo } from "node:net";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { ConnectionConfig } from "../../src/kube/connection_config.ts";
import { fixedCredential } from "../../src/kube/credentials.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { NAMESPACES } from "../../src/kube/resource.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { test } from "../support/test.ts";
import { type Pair, TestCa } from "./support/certificates.ts";
import { json, ScriptedServer, stored } from "./support/scripted_server.ts";

test("KubeClient trusts the CA that it is given", async () => {
  const ca = await TestCa.make();
  await using server = new ScriptedServer(await ca.issueServer());
  server.on("GET /api/v1/namespaces/a", json(stored(NAMESPACES)));
  const big = { note: "x".repeat(900_000) };
  server.on("POST /api/v1/namespaces", ({ body }) => {
    const object = JSON.parse(body);
    return Response.json({ ...object, metadata: { ...object.metadata, uid: "u" } }, { status: 201 });
  });
  await using client = HttpKubeClient.to({ server: server.url, caCertificates: [ca.certificate] });
  assertEquals((await client.get(NAMESPACES, { name: "a" })).metadata.name, "a");
  for (let sent = 0; sent < 2; sent++) {
    const metadata = { name: "a", annotations: big };
    const created = await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata });
    assertEquals(created.metadata.annotations, big);
  }
});

test("KubeClient speaks HTTP/1.1 to a server that would rather have HTTP/2, each watch on a connection of its own", async () => {
  const ca = await TestCa.make();
  const { certificate: cert, key } = await ca.issueServer();
  using listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key, alpnProtocols: ["h2", "http/1.1"] });
  const requests: string[] = [];
  const connections: Deno.TlsConn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      connections.push(connection);
      const { alpnProtocol } = await connection.handshake();
      const bytes = new Uint8Array(10_000);
      const text = new TextDecoder().decode(bytes.subarray(0, await connection.read(bytes) ?? 0));
      requests.push(`${alpnProtocol} ${text.slice(0, text.indexOf(" "))}`);
      const bookmark = { type: "BOOKMARK", object: { metadata: { resourceVersion: "1" } } };
      const body = requests.length < 3 ? `${JSON.stringify(bookmark)}\n` : JSON.stringify(stored(NAMESPACES));
      const framing = requests.length < 3
        ? `transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`
        : `content-length: ${body.length}\r\n\r\n${body}`;
      await connection.write(
        new TextEncoder().encode(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${framing}`),
      );
    }
  })().catch(() => {/* the listener was closed */});
  {
    const server = `https://127.0.0.1:${listener.addr.port}`;
    await using client = HttpKubeClient.to({ server, caCertificates: [ca.certificate] });
    const watches = [client.watch(NAMESPACES), client.watch(NAMESPACES)].map((watch) => watch[Symbol.asyncIterator]());
    for (const watch of watches) await watch.next();
    await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } });
    for (const watch of watches) await watch.return(undefined);
  }
  assertEquals(requests, ["http/1.1 GET", "http/1.1 GET", "http/1.1 POST"]);
  listener.close();
  for (const connection of connections) connection.close();
  await accepting;
});

test("KubeClient refuses a server whose certificate another CA made, and says why", async () => {
  const ca = await TestCa.make();
  const other = await TestCa.make("other CA");
  await using server = new ScriptedServer(await ca.issueServer());
  await using client = HttpKubeClient.to({ server: server.url, caCertificates: [other.certificate] });
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } };
  const requests = {
    get: () => client.get(NAMESPACES, { name: "a" }),
    create: () => client.create(NAMESPACES, namespace),
  };
  for (const [verb, send] of Object.entries(requests)) {
    const error = await assertRejects<Error>(send, UnreachableError);
    assertStringIncludes(error.message, `Cannot ${verb} namespaces a: `);
    assertStringIncludes(error.message, "invalid peer certificate");
  }
  assertEquals(server.requests.length, 0);
});

test("KubeClient shows its client certificate to a server over HTTP/1.1", async () => {
  const ca = await TestCa.make();
  await using server = await CertificateServer.start(ca);
  const connection = { server: server.url, caCertificates: [ca.certificate] };
  const credentials = fixedCredential({ clientCertificate: await ca.issueClient("system:admin") });

  await using client = HttpKubeClient.to({ ...connection, credentials });
  const { metadata: { uid } } = await client.get(NAMESPACES, { name: "a" });
  // Deno 2.7's server cannot ask for certificates; there, only that a client with one gets through can be shown.
  if (!server.canAsk) return assertEquals(uid, "nobody");
  assertEquals(uid, "system:admin");

  await assertRefused(connection);
  const stranger = await (await TestCa.make("other CA")).issueClient("system:admin");
  await assertRefused({ ...connection, credentials: fixedCredential({ clientCertificate: stranger }) });
});

test("KubeClient makes new connections when its client certificate is renewed", async () => {
  const ca = await TestCa.make();
  await using server = await CertificateServer.start(ca);
  let clientCertificate = await ca.issueClient("first");
  const credentials = { current: () => ({ clientCertificate }), invalidate: () => {} };
  await using client = HttpKubeClient.to({ server: server.url, caCertificates: [ca.certificate], credentials });
  const who = async () => (await client.get(NAMESPACES, { name: "a" })).metadata.uid;
  const names = [await who(), await who()];
  const connections = server.connections;
  clientCertificate = await ca.issueClient("second");
  names.push(await who());
  assertEquals(names, server.canAsk ? ["first", "first", "second"] : ["nobody", "nobody", "nobody"]);
  assert(server.connections > connections);
});

async function assertRefused(connection: ConnectionConfig): Promise<void> {
  await using client = HttpKubeClient.to(connection);
  await assertRejects(() => client.get(NAMESPACES, { name: "a" }), UnreachableError);
}

/** Demands client certificates of its CA, where the runtime can, and answers with the name in them as UID. */
class CertificateServer implements AsyncDisposable {
  readonly #ports = new Set<number | undefined>();
  canAsk = true;
  readonly #server: https.Server;

  private constructor(ca: TestCa, { certificate: cert, key }: Pair) {
    const options = { cert, key, ca: ca.certificate, requestCert: true, rejectUnauthorized: true };
    this.#server = https.createServer(options, (request, response) => {
      const socket = request.socket as unknown as { getPeerCertificate?: () => { subject: { CN: string } } };
      this.#ports.add(request.socket.remotePort);
      this.canAsk = socket.getPeerCertificate !== undefined;
      response.setHeader("content-type", "application/json");
      const metadata = { name: "a", uid: socket.getPeerCertificate?.().subject.CN ?? "nobody" };
      response.end(JSON.stringify({ ...stored(NAMESPACES), metadata }));
    });
  }

  static async start(ca: TestCa): Promise<CertificateServer> {
    const server = new CertificateServer(ca, await ca.issueServer());
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get connections(): number {
    return this.#ports.size;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
