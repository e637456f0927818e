import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ServerError } from "../../src/apiserver/errors.ts";
import type { Sink } from "../../src/apiserver/http/exchange.ts";
import { HttpsServer, type HttpsServerOptions } from "../../src/apiserver/http/https_server.ts";
import { Authenticator } from "../../src/apiserver/security/authentication.ts";
import { serverCertificate } from "../../src/apiserver/security/certificates.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";

interface Fixture {
  url: string;
  http: Deno.HttpClient;
  options: HttpsServerOptions;
  port: number;
  caCertificate: string;
  server: HttpsServer;
}

async function serving(
  handle: HttpsServerOptions["handle"],
  body: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  const { caCertificate, certificate, privateKey } = await serverCertificate(dir, Date.now());
  const options = {
    port: 0,
    clock: new SystemClock(),
    certificate,
    privateKey,
    authenticator: new Authenticator(),
    handle,
  };
  const server = new HttpsServer(options);
  const http = Deno.createHttpClient({ caCerts: [caCertificate] });
  try {
    await body({
      url: `https://127.0.0.1:${server.port}`,
      http,
      options,
      port: server.port,
      caCertificate,
      server,
    });
  } finally {
    http.close();
    await server.close();
    await Deno.remove(dir, { recursive: true });
  }
}

test("HttpsServer hands requests on and answers back", async () => {
  await serving(async (request) => {
    request.warnings.push('say "so"', "twice");
    const body = `${request.method} ${request.path} ${request.query.get("a")} ${request.header("x-b")} ` +
      new TextDecoder().decode(await request.body());
    return { code: 201, contentType: "text/plain", body };
  }, async ({ url, http }) => {
    const response = await fetch(`${url}/a%20b/?a=1`, {
      method: "POST",
      headers: { "x-b": "2" },
      body: "body",
      client: http,
    });
    assertEquals(response.status, 201);
    assertEquals(response.headers.get("warning"), '299 - "say \\"so\\"", 299 - "twice"');
    assertEquals(await response.text(), "POST /a b/ 1 2 body");
  });
});

test("HttpsServer streams, and says how much its client has not taken", async () => {
  const opened = Promise.withResolvers<Sink>();
  await serving(() => {
    return Promise.resolve({ code: 200, contentType: "text/plain", stream: opened.resolve });
  }, async ({ url, http }) => {
    const response = await fetch(url, { client: http });
    const sink = await opened.promise;
    const chunk = new Uint8Array(1024 * 1024).fill(65);
    for (let index = 0; index < 32; index++) {
      sink.write(chunk);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert(sink.waitingBytes > 8 * chunk.length, `Nothing waits: ${sink.waitingBytes}`);
    sink.end();
    assertEquals((await response.arrayBuffer()).byteLength, 32 * chunk.length);
  });
});

test("HttpsServer notices that a client goes, and ends streams when it closes", async () => {
  const sinks: Sink[] = [];
  const opened = Promise.withResolvers<void>();
  let left: Promise<unknown> | undefined;
  await serving(() => {
    const stream = (sink: Sink) => {
      sinks.push(sink);
      opened.resolve();
    };
    return Promise.resolve({ code: 200, contentType: "text/plain", stream });
  }, async ({ url, http }) => {
    const stop = new AbortController();
    const response = await fetch(url, { client: http, signal: stop.signal });
    await opened.promise;
    const gone = new Promise<void>((resolve) => must(sinks[0]).onClose(resolve));
    stop.abort();
    await response.body?.cancel().catch(() => {});
    await gone;
    left = (await fetch(url, { client: http })).arrayBuffer().catch(() => "broken off");
  });
  assertEquals(await left, "broken off");
});

test("HttpsServer refuses large bodies, web pages, unknown tokens and a port in use", async () => {
  await serving(async (request) => {
    await request.body();
    return { code: 200, contentType: "text/plain", body: "ok" };
  }, async ({ url, http, options, port }) => {
    const status = async (init: RequestInit) => {
      const response = await fetch(url, { ...init, client: http });
      await response.body?.cancel();
      return response.status;
    };
    assertEquals(await status({ method: "POST", body: "x".repeat(3 * 1024 * 1024) }), 200);
    assertEquals(await status({ method: "POST", body: "x".repeat(3 * 1024 * 1024 + 1) }), 413);
    assertEquals(await status({ headers: { origin: "https://evil.example.com" } }), 403);
    assertEquals(await status({ headers: { authorization: "Bearer nobody" } }), 401);
    assertEquals(await status({}), 200);
    assertThrows(() => new HttpsServer({ ...options, port }), ServerError, "the port is in use");
  });
});

test("HttpsServer closes at once, whatever its clients have left half done", async () => {
  const opened = Promise.withResolvers<void>();
  const connections: Deno.Conn[] = [];
  let began = 0;
  await serving(async (request) => {
    opened.resolve();
    await request.body();
    return { code: 200, contentType: "text/plain", body: "ok" };
  }, async ({ port, caCertificate }) => {
    const address = { hostname: "127.0.0.1", port };
    // No handshake at all, half a head, half a body.
    connections.push(await Deno.connect(address));
    for (const text of ["GET /ap", "POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"]) {
      const connection = await Deno.connectTls({ ...address, caCerts: [caCertificate] });
      connections.push(connection);
      await connection.write(new TextEncoder().encode(text));
    }
    await opened.promise;
    began = performance.now();
  });
  assert(performance.now() - began < 20_000, `It took ${performance.now() - began} ms`);
  for (const connection of connections) connection.close();
});

test("HttpsServer answers the next request though the body of the one before was not read", async () => {
  await serving(() => Promise.resolve({ code: 415 }), async ({ url, http }) => {
    const refused = { method: "POST", body: "x".repeat(300_000), client: http };
    for (let i = 0; i < 3; i++) {
      const response = await fetch(url, { ...refused, signal: AbortSignal.timeout(60_000) });
      assertEquals([response.status, await response.text()], [415, ""]);
    }
  });
});

test("HttpsServer sends warnings that any client can take", async () => {
  const unknown = Array.from({ length: 1_000 }, (_, i) => `unknown field "spec.f${i}"`);
  const texts: Record<string, string[]> = { "/": ["\u{1F4A3} é", 'a "b"', "control \u0001"], "/many": unknown };
  const handle = ({ path, warnings }: { path: string; warnings: string[] }) => {
    warnings.push(...texts[path]!);
    return Promise.resolve({ code: 200 });
  };
  await serving(handle, async ({ url, http }) => {
    const warningOf = async (path: string) => {
      const response = await fetch(url + path, { client: http });
      await response.body?.cancel();
      return response.headers.get("warning")!;
    };
    assertEquals(await warningOf("/"), String.raw`299 - "\\U0001f4a3 \\u00e9", 299 - "a \"b\""`);
    const many = await warningOf("/many");
    assert(many.startsWith('299 - "unknown field \\"spec.f0\\"", 299 - "') && many.length < 16_000, many);
  });
});

test("HttpsServer listens with another certificate on the same port, and what was open ends", async () => {
  const stream = () => {};
  await serving(
    ({ path }) => Promise.resolve(path === "/open" ? { code: 200, stream } : { code: 200, body: "ok" }),
    async ({ server, url, http }) => {
      const open = await fetch(`${url}/open`, { client: http });
      const dir = await Deno.makeTempDir();
      const other = await serverCertificate(dir, Date.now());
      await Promise.all([server.renew(other), assertRejects(() => open.text())]);
      await assertRejects(() => fetch(url, { client: http }));
      using trusting = Deno.createHttpClient({ caCerts: [other.caCertificate] });
      assertEquals(await (await fetch(url, { client: trusting })).text(), "ok");
      await Deno.remove(dir, { recursive: true });
    },
  );
});

test("a request may name the whole URL, in any scheme", async () => {
  const echo: HttpsServerOptions["handle"] = ({ path, query }) =>
    Promise.resolve({ code: 200, contentType: "text/plain", body: `<${path} ${query}>` });
  await serving(echo, async ({ port, caCertificate }) => {
    for (const origin of [`http://127.0.0.1:${port}`, `https://127.0.0.1:${port}`, "HTTP://other", ""]) {
      using connection = await Deno.connectTls({ hostname: "127.0.0.1", port, caCerts: [caCertificate] });
      await connection.write(
        new TextEncoder().encode(`GET ${origin}/a/b?c=d/e HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`),
      );
      const answer = await new Response(connection.readable).text();
      assertEquals([answer.split("\r\n")[0], /<.*>/.exec(answer)?.[0]], ["HTTP/1.1 200 OK", "</a/b c=d%2Fe>"], origin);
    }
  });
});
