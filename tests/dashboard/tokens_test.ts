import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ResourceRequest } from "../../src/apiserver/http/resource_request.ts";
import type { User } from "../../src/apiserver/security/authentication.ts";
import { BUSY_PAGE_COMMANDS } from "../../src/cli/shared/page_commands.ts";
import { namesOf, openTokenDashboard } from "../../src/dashboard/open_for_tokens.ts";
import { READS } from "../../src/dashboard/routes.ts";
import type { Detail, RightsAnswer, RowsMessage, Session } from "../../src/dashboard/wire.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { TestCa } from "../kube/support/certificates.ts";
import { startTestApiServer, type TestApiServer } from "../support/api_server.ts";
import { readAuditLog } from "../support/audit.ts";
import { eventually } from "../support/program.ts";
import { test } from "../support/test.ts";
import { applyCronJob, linesOf } from "./support/dashboard.ts";

interface Cluster extends AsyncDisposable {
  readonly api: TestApiServer;
  readonly origin: string;
  readonly auditLog: string;
  /** Asks with this token; none: with nothing. */
  get(path: string, token?: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, token: string, body: unknown): Promise<Response>;
}

/** A clock on which more time passes than in truth. */
class SkippingClock extends SystemClock {
  skippedMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.skippedMs;
  }
}

/** A dashboard of a controller that may do everything itself, and people who may do less. */
async function startCluster(
  { clock = new SystemClock(), namespaces = [], mayAlso = anaMay, tls, headlines = [] }: {
    clock?: SystemClock;
    headlines?: readonly string[];
    namespaces?: string[];
    mayAlso?: typeof anaMay;
    tls?: { cert: string; key: string };
  } = {},
): Promise<Cluster> {
  const folder = await Deno.makeTempDir();
  const [tokenFile, auditLog] = [`${folder}/tokens`, `${folder}/audit.jsonl`];
  await Deno.writeTextFile(tokenFile, "anas-token,ana,1\nbens-token,ben,2\n");
  const api = await startTestApiServer({ ephemeral: true, tokenFile, auditLogPath: auditLog, mayAlso });
  const { url: server, caCertificate, token } = api.server;
  const dashboard = openTokenDashboard({
    // With the controller's own token, which is the administrator's here.
    connection: { server, caCertificates: [caCertificate], token },
    clock,
    address: { hostname: "127.0.0.1", port: 0 },
    tls,
    session: { isReadOnly: false, server, namespaces },
    commands: BUSY_PAGE_COMMANDS,
    program: { isBusy: false, headlines },
    userAgent: "cronjob-controller/0.0.0 dashboard",
  });
  const stop = new AbortController();
  const running = dashboard.run(stop.signal);
  const origin = `http://localhost:${dashboard.port}`;
  return {
    api,
    origin,
    auditLog,
    get: (path, token, headers = {}) =>
      fetch(origin + path, {
        headers: { ...token === undefined ? {} : { authorization: `Bearer ${token}` }, ...headers },
      }),
    post: (path, token, body) =>
      fetch(origin + path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, origin, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await api[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Ana reads all of one namespace, and pauses there. */
function anaMay({ name }: User, { verb, plural, namespace }: ResourceRequest): boolean {
  if (name !== "ana" || namespace !== "team-a") return false;
  return ["get", "list", "watch"].includes(verb) || (verb === "patch" && plural === "cronjobs");
}

async function firstRows(response: Response): Promise<RowsMessage[]> {
  const messages: RowsMessage[] = [];
  for await (const message of linesOf<RowsMessage>(response)) {
    messages.push(message);
    if (message.kind === "ready" || message.kind === "trouble") break;
  }
  return messages;
}

test("without a token that the cluster takes there is nothing but the page itself", async () => {
  await using cluster = await startCluster();
  const { api: { server }, get } = cluster;
  const answers = {
    "the page": await get("/"),
    "no token": await get("/api/rows"),
    "a token that no one has": await get("/api/rows", "guessed"),
    "a token in the address": await get("/api/rows?token=anas-token&authorization=Bearer+anas-token"),
    "a token in a cookie": await get("/api/rows", undefined, { cookie: "token=anas-token" }),
    "another kind of credential": await get("/api/rows", undefined, { authorization: "Basic YW5hOmFuYXMtdG9rZW4=" }),
    "a token, and another user's name": await get("/api/session", "guessed", { "impersonate-user": "ana" }),
  };
  const codes: Record<string, number> = {};
  for (const [what, response] of Object.entries(answers)) {
    codes[what] = response.status;
    assert(!(await response.text()).includes(server.token), what);
  }
  assertEquals(codes, {
    "the page": 200,
    "no token": 401,
    "a token that no one has": 401,
    "a token in the address": 401,
    "a token in a cookie": 401,
    "another kind of credential": 401,
    "a token, and another user's name": 401,
  });
});

test("a visitor who is not logged in learns how to log in, and nothing of the cluster", async () => {
  await using cluster = await startCluster({ namespaces: ["team-a"] });
  const session: Session = await (await cluster.get("/api/session")).json();
  assertEquals(session, {
    login: "token",
    isLoggedIn: false,
    isReadOnly: true,
    server: "",
    namespaces: [],
    hasLoad: false,
  });
});

test("a visitor sees and may do what their own token allows, in the namespaces where it does", async () => {
  await using cluster = await startCluster({ namespaces: ["team-a"] });
  await applyCronJob(cluster.api.client, { namespace: "team-a", name: "of-ana" });
  await applyCronJob(cluster.api.client, { namespace: "team-b", name: "of-ben" });

  const messages = await firstRows(await cluster.get("/api/rows", cluster.api.server.token));
  const names = messages.flatMap((message) => message.kind === "rows" ? message.rows.map(({ name }) => name) : []);
  assertEquals(names, ["of-ana"]);
  const rights: RightsAnswer = await (await cluster.get("/api/rights?namespace=team-a", "anas-token")).json();
  assertEquals(rights, {
    actions: {
      "batch.tutorial.kubebuilder.io/v1": ["run", "pause", "resume", "backfill", "cancel-backfill"],
      "cronjob-controller.dev/v1": ["run", "pause", "resume", "backfill", "cancel-backfill"],
      "batch/v1": ["pause", "resume", "backfill", "cancel-backfill"],
    },
    mayReadLogs: true,
  });
  const elsewhere = await cluster.get("/api/cronjob?api=batch/v1&namespace=team-b&name=of-ben", "anas-token");
  assertEquals(elsewhere.status, 404);
  await elsewhere.body?.cancel();
  // What Ana may see is not shown to Ben, though it is known here already.
  const ofBen = await cluster.get("/api/rows", "bens-token");
  assertEquals([ofBen.status, await ofBen.json()], [403, {
    reason: "Forbidden",
    message: "You may not list and watch CronJobs in team-a",
  }]);
});

test("what limits the program is to be read before all rows, by visitors whose token the cluster takes", async () => {
  const headlines = ["The API server refuses requests"];
  await using cluster = await startCluster({ headlines });
  const messages = await firstRows(await cluster.get("/api/rows", cluster.api.server.token));
  assertEquals(messages.filter(({ kind }) => kind === "headlines"), [{ kind: "headlines", lines: headlines }]);
});

test("no request of a person leaves under the controller's identity", async () => {
  const clock = new SkippingClock();
  await using cluster = await startCluster({ clock, namespaces: ["team-a"], mayAlso: () => true });
  const { api, get, post, auditLog } = cluster;
  await applyCronJob(api.client, { namespace: "team-a", name: "report" });
  const known = (await readAuditLog(auditLog)).length;
  const name = "namespace=team-a&api=batch/v1&name=report&job=x&trigger=t&from=1&to=2";
  const target = { apiVersion: "batch/v1", namespace: "team-a", name: "report", job: "x" };
  const body = { targets: [target], from: "2026-01-01 00:00", to: "2026-01-02 00:00" };
  const codes: Record<string, number[]> = {};
  for (const token of ["anas-token", "bens-token", "guessed"]) {
    codes[token] = [];
    for (const path of Object.keys(READS)) {
      const response = await get(`${path}?${name}`, token);
      // Beyond a burst, unknown tokens are shown to the API server once a second.
      clock.skippedMs += 1_000;
      codes[token].push(response.status);
      if (path === "/api/rows" && response.ok) await firstRows(response);
      else await response.text();
    }
    for (const action of ["run", "pause", "resume", "delete-job", "backfill", "cancel-backfill"]) {
      const response = await post(`/api/actions/${action}`, token, body);
      codes[token].push(response.status);
      await response.text();
    }
  }
  // A program that starts runs does not say the load, and this one keeps no history.
  const isServed = (path: string) => path !== "/api/load" && !path.startsWith("/api/history/");
  const done = Object.keys(READS).map((path) => isServed(path) ? 200 : 404).concat(Array(6).fill(200));
  assertEquals(codes, { "anas-token": done, "bens-token": done, "guessed": done.map(() => 401) });
  // Whatever it calls itself: no one else asked meanwhile.
  const asked = (await readAuditLog(auditLog)).slice(known);
  assertEquals([...new Set(asked.map(({ user }) => user.username))].sort(), ["ana", "ben"]);
  const writes = asked.filter(({ verb, objectRef }) => verb !== "create" || objectRef?.resource === "jobs");
  assert(writes.some(({ verb }) => verb === "patch") && writes.some(({ verb }) => verb === "create"));
});

test("a certificate's names are those that it is served under, patterns left out", async () => {
  const folder = await Deno.makeTempDir();
  const names = "DNS:Dash.example,DNS:*.example,IP:10.0.0.1,IP:::1";
  const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout"];
  args.push(`${folder}/key`, "-out", `${folder}/cert`, "-subj", "/CN=cn.example", "-addext", `subjectAltName=${names}`);
  await new Deno.Command("openssl", { args, stderr: "null" }).output();
  assertEquals(namesOf(await Deno.readTextFile(`${folder}/cert`)), ["dash.example", "10.0.0.1", "[::1]"]);
  await Deno.remove(folder, { recursive: true });
});

test("the page offers HTTP/1.1 alone to a client that would rather have HTTP/2", async () => {
  const ca = await TestCa.make();
  const { certificate: cert, key } = await ca.issueServer();
  await using cluster = await startCluster({ tls: { cert, key } });
  using client = await Deno.connectTls({
    hostname: "127.0.0.1",
    port: Number(new URL(cluster.origin).port),
    caCerts: [ca.certificate],
    alpnProtocols: ["h2", "http/1.1"],
  });
  assertEquals((await client.handshake()).alpnProtocol, "http/1.1");
});

test("a visitor of one namespace sees its CronJobs by naming it, and no others", async () => {
  await using cluster = await startCluster();
  const { api, get } = cluster;
  await applyCronJob(api.client, { namespace: "team-a", name: "report" });
  await applyCronJob(api.client, { namespace: "team-b", name: "secret" });
  const seen = await firstRows(await get("/api/rows?in=team-a", "anas-token"));
  assertEquals(seen.flatMap((message) => message.kind === "rows" ? message.rows.map(({ name }) => name) : []), [
    "report",
  ]);
  const about = "api=batch/v1&namespace=team-a&name=report";
  const { yaml }: Detail = await (await get(`/api/cronjob?${about}&in=team-a`, "anas-token")).json();
  assertStringIncludes(yaml, "name: report\n");
  for (const query of ["", "?in=team-b", "?in=team-a&in=team-b"]) {
    const response = await get(`/api/rows${query}`, "anas-token");
    assertEquals([response.status, (await response.json()).reason], [403, "Forbidden"], query);
  }
  for (const query of ["?in=..%2Fteam-a", "?in=", `?${Array.from({ length: 21 }, (_, i) => `in=n${i}`).join("&")}`]) {
    const response = await get(`/api/rows${query}`, "anas-token");
    assertEquals([response.status, (await response.json()).reason], [400, "BadRequest"], query);
  }
});

test("of a page that shows some namespaces no others can be asked for", async () => {
  await using cluster = await startCluster({ namespaces: ["team-a"] });
  // Where nothing is followed, no run is remembered either: an answer without runs would say that there was none.
  for (
    const path of [
      "/api/rows?in=team-b",
      "/api/history/runs?cronjob=team-b/report",
      "/api/history/runs?namespace=team-b",
    ]
  ) {
    const response = await cluster.get(path, "anas-token");
    assertEquals(await response.json(), { reason: "Forbidden", message: "This page shows team-a, and not team-b" });
  }
});

test("one person looks at three sets of namespaces at a time, and leaves room for others", async () => {
  await using cluster = await startCluster({ mayAlso: ({ name }) => name !== "ben" });
  const open = async (namespace: string) => {
    const response = await cluster.get(`/api/rows?in=${namespace}`, "anas-token");
    return { status: response.status, body: response.body };
  };
  const opened = [await open("a"), await open("b"), await open("c"), await open("d")];
  assertEquals(opened.map(({ status }) => status), [200, 200, 200, 503]);
  await opened[0]?.body?.cancel();
  await opened[3]?.body?.cancel();
  await eventually("the place of the first is free", async () => {
    const next = await open("d");
    await next.body?.cancel();
    return next.status === 200;
  });
  for (const { body } of opened.slice(1, 3)) await body?.cancel();
});
