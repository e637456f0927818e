import { assert, assertEquals } from "@std/assert";
import type { RequestError } from "../../src/dashboard/http/answers.ts";
import { checkOrigin } from "../../src/dashboard/http/guards.ts";
import { LoginCodes } from "../../src/dashboard/visitors/login_codes.ts";
import { READS } from "../../src/dashboard/routes.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { must } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { rawRequest, startTestDashboard } from "./support/dashboard.ts";

interface Attack {
  readonly does: string;
  readonly request: string;
  /** In place of what the page itself sends; null: nothing of that name. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string;
  readonly code: number;
}

const GET = "GET /api/session HTTP/1.1";
const POST = "POST /api/login HTTP/1.1";

/** Each is what the page itself sends, but for one thing: alone for that it is refused. */
const ATTACKS: readonly Attack[] = [
  { does: "comes by another name", request: GET, headers: { Host: "evil.example" }, code: 421 },
  {
    does: "comes by a name that begins as the address does",
    request: GET,
    headers: { Host: "127.evil.com" },
    code: 421,
  },
  { does: "comes by a name that ends as ours does", request: GET, headers: { Host: "evil-localhost" }, code: 421 },
  { does: "comes by the right name and another port", request: GET, headers: { Host: "127.0.0.1:1" }, code: 421 },
  { does: "comes by the right name and no port", request: GET, headers: { Host: "127.0.0.1" }, code: 421 },
  { does: "names a user before the host", request: GET, headers: { Host: "evil.example@127.0.0.1:PORT" }, code: 421 },
  { does: "comes by a name that is none", request: GET, headers: { Host: "[::1" }, code: 421 },
  { does: "comes by a name with a space", request: GET, headers: { Host: "127.0.0.1 :PORT" }, code: 421 },
  { does: "names two hosts", request: GET, headers: { Host: "127.0.0.1:PORT, evil.example" }, code: 421 },
  { does: "wants to be led to another site", request: "CONNECT evil.example:443 HTTP/1.1", code: 421 },
  { does: "names another site before the path", request: "GET http://evil.example/api/session HTTP/1.1", code: 421 },
  {
    does: "says of another site's page that it sends it",
    request: POST,
    headers: { Origin: "http://evil.example" },
    code: 403,
  },
  { does: "hides which site's page sends it", request: POST, headers: { Origin: "null" }, code: 403 },
  { does: "does not say which site's page sends it", request: POST, headers: { Origin: null }, code: 403 },
  { does: "comes from our own name over TLS", request: POST, headers: { Origin: "https://127.0.0.1" }, code: 403 },
  { does: "posts a form", request: POST, headers: { "Content-Type": "application/x-www-form-urlencoded" }, code: 415 },
  { does: "posts JSON as a form can", request: POST, headers: { "Content-Type": "text/plain" }, code: 415 },
  { does: "posts what has no type", request: POST, headers: { "Content-Type": null }, code: 415 },
  { does: "says two lengths", request: POST, headers: { "X-First": "1\r\nContent-Length: 0" }, code: 400 },
  { does: "folds a header", request: GET, headers: { "X-First": "1\r\n Host: evil.example" }, code: 400 },
  { does: "posts more than the page does", request: POST, body: " ".repeat(70_000), code: 413 },
  { does: "is put into another site's page", request: GET, headers: { "Sec-Fetch-Site": "cross-site" }, code: 403 },
  {
    does: "is put into a page of another port here",
    request: GET,
    headers: { "Sec-Fetch-Site": "same-site" },
    code: 403,
  },
  { does: "has no session", request: GET, headers: { Cookie: null }, code: 401 },
  { does: "guesses a session", request: GET, headers: { Cookie: "cronjob-controller-PORT=AAAA" }, code: 401 },
  {
    does: "has the session of another port",
    request: GET,
    headers: { Cookie: "cronjob-controller-1=SESSION" },
    code: 401,
  },
  {
    does: "puts a session into the address",
    request: "GET /api/session?cookie=SESSION HTTP/1.1",
    headers: { Cookie: null },
    code: 401,
  },
  { does: "asks for the Kubernetes API", request: "GET /apis/batch/v1/cronjobs HTTP/1.1", code: 404 },
  { does: "asks for the Kubernetes API below ours", request: "GET /api/v1/secrets HTTP/1.1", code: 404 },
  { does: "climbs out of the page's files", request: "GET /page/../../../etc/passwd HTTP/1.1", code: 404 },
  { does: "climbs out with what is escaped", request: "GET /page/%2e%2e%2f%2e%2e%2fdeno.json HTTP/1.1", code: 404 },
  { does: "asks for what every object has", request: "GET /api/__proto__ HTTP/1.1", code: 404 },
  { does: "asks for what every object has, as a file", request: "GET /constructor HTTP/1.1", code: 404 },
  { does: "acts by reading", request: "GET /api/actions/run HTTP/1.1", code: 404 },
  { does: "reads by acting", request: "POST /api/rows HTTP/1.1", code: 404 },
  { does: "puts", request: "PUT /api/session HTTP/1.1", code: 405 },
  { does: "deletes", request: "DELETE /api/session HTTP/1.1", code: 405 },
  { does: "has itself sent back", request: "TRACE /api/session HTTP/1.1", code: 405 },
  { does: "asks whether another site may ask", request: "OPTIONS /api/session HTTP/1.1", code: 405 },
  {
    does: "logs in by a code that there never was",
    request: "POST /api/login HTTP/1.1",
    body: '{"code":"AAAA"}',
    code: 401,
  },
  {
    does: "logs in by a code that is no text",
    request: "POST /api/login HTTP/1.1",
    body: '{"code":{"$ne":""}}',
    code: 400,
  },
  {
    does: "asks for a link without the secret of the program",
    request: "POST /api/link HTTP/1.1",
    body: '{"secret":"AAAA"}',
    code: 401,
  },
  { does: "logs in by what is no JSON", request: "POST /api/login HTTP/1.1", body: "code=", code: 400 },
  { does: "logs in by what is no object", request: "POST /api/login HTTP/1.1", body: "null", code: 400 },
];

test("what the page itself would not send is refused, from every visitor", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  await using dashboard = startTestDashboard({ client: api.client });
  const { port, origin } = dashboard;
  const cookie = await dashboard.logIn();
  const own: Record<string, string> = {
    Host: `127.0.0.1:${port}`,
    Origin: origin,
    Cookie: cookie,
    "Content-Type": "application/json",
    "Sec-Fetch-Site": "same-origin",
  };
  const send = async ({ request, headers = {}, body }: Pick<Attack, "request" | "headers" | "body">) => {
    const filled = (text: string) => text.replace("SESSION", must(cookie.split("=")[1])).replace("PORT", String(port));
    const lines = Object.entries({ ...own, ...headers })
      .flatMap(([name, value]) => value === null ? [] : [`${name}: ${filled(value)}`]);
    return await rawRequest(port, [filled(request), ...lines], body ?? (request.startsWith("POST") ? "{}" : ""));
  };
  const codeOf = (answer: string) => Number(answer.split(" ")[1]);

  const answers: Record<string, number> = {};
  for (const { does, ...attack } of ATTACKS) {
    const answer = await send(attack);
    answers[does] = codeOf(answer);
    assert(!/access-control-allow/i.test(answer), `${does}: another site may read it`);
    assert(!answer.includes("set-cookie"), `${does}: it gets a session`);
  }
  assertEquals(answers, Object.fromEntries(ATTACKS.map(({ does, code }) => [does, code])));
  // None of them was refused for anything else: without what is wrong with it, each is answered.
  assertEquals(codeOf(await send({ request: GET })), 200);
  const code = dashboard.code();
  assertEquals(codeOf(await send({ request: POST, body: JSON.stringify({ code }) })), 204);
});

test("every answer forbids a browser to run, load or frame anything but the page's own", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  await using dashboard = startTestDashboard({ client: api.client });
  for (const path of ["/", "/page.js", "/nothing", "/api/session", "/api/nothing"]) {
    const response = await fetch(dashboard.origin + path);
    await response.body?.cancel();
    const headers = Object.fromEntries(response.headers);
    const policy = must(headers["content-security-policy"]).split("; ");
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
      assert(policy.includes(part), `${path}: ${part}`);
    }
    assertEquals(
      [headers["x-content-type-options"], headers["cache-control"], headers["referrer-policy"]],
      ["nosniff", "no-store", "no-referrer"],
    );
  }
});

test("a code lets one in once, and its session is no secret that a script can read", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  await using dashboard = startTestDashboard({ client: api.client });
  const code = dashboard.code();
  const first = await dashboard.post("/api/login", { code });
  assertEquals(first.status, 204);
  const cookie = first.headers.get("set-cookie")!;
  assert(/^cronjob-controller-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/.test(cookie), cookie);
  assert(!cookie.includes(code));
  const again = await dashboard.post("/api/login", { code });
  assertEquals(again.status, 401);
  await again.body?.cancel();
});

test("a cookie that something on another port has planted shuts no one out, and lets no one in", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  await using dashboard = startTestDashboard({ client: api.client });
  const cookie = await dashboard.logIn();
  const planted = `${cookie.split("=")[0]}=planted`;
  const codes: number[] = [];
  for (const cookies of [`${planted}; ${cookie}`, `${cookie}; ${planted}`, planted]) {
    const response = await fetch(`${dashboard.origin}/api/session`, { headers: { cookie: cookies } });
    await response.body?.cancel();
    codes.push(response.status);
  }
  assertEquals(codes, [200, 200, 401]);
});

test("who guesses codes is soon not heard any more", async () => {
  await using api = await startTestApiServer({ ephemeral: true });
  await using dashboard = startTestDashboard({ client: api.client, clock: new FakeClock() });
  const codes: number[] = [];
  for (let i = 0; i < 12; i++) {
    const response = await fetch(`${dashboard.origin}/api/login`, {
      method: "POST",
      headers: { origin: dashboard.origin, "content-type": "application/json" },
      body: JSON.stringify({ code: `guess-${i}` }),
    });
    await response.body?.cancel();
    codes.push(response.status);
  }
  assertEquals(codes, [...Array(10).fill(401), 429, 429]);
});

test("codes are good for an hour, and sessions for twelve without a request", async () => {
  const clock = new FakeClock();
  const codes = new LoginCodes(clock);
  const old = codes.issue();
  await clock.advance(60 * 60_000);
  assertEquals(codes.redeem(old), undefined);

  const session = codes.redeem(codes.issue())!;
  await clock.advance(11 * 60 * 60_000);
  assert(codes.knows(session));
  await clock.advance(11 * 60 * 60_000);
  assert(codes.knows(session), "a request does not keep it");
  await clock.advance(12 * 60 * 60_000);
  assert(!codes.knows(session));
  assertEquals(codes.redeem(""), undefined);
});

test("the page's own origin over TLS is its https address, also where the server hands on plain HTTP", () => {
  const hosts = { names: ["dash.example"], port: undefined, protocol: "https:" } as const;
  const codeFor = (host: string, origin: string) => {
    const headers = { host, origin, "content-type": "application/json" };
    const request = new Request(`http://${host}/api/login`, { method: "POST", headers });
    try {
      return checkOrigin(request, hosts);
    } catch (error) {
      return (error as RequestError).code;
    }
  };
  assertEquals(codeFor("dash.example", "https://dash.example"), undefined);
  assertEquals(codeFor("dash.example:8443", "https://dash.example:8443"), undefined);
  assertEquals(codeFor("dash.example", "http://dash.example"), 403);
  assertEquals(codeFor("other.example", "https://other.example"), 421);
});

test("only so much can be read, and all of it is listed", () => {
  assertEquals(Object.keys(READS).sort(), [
    "/api/calendar",
    "/api/cronjob",
    "/api/explain",
    "/api/history/all",
    "/api/history/runs",
    "/api/history/watched",
    "/api/load",
    "/api/logs",
    "/api/rights",
    "/api/rows",
    "/api/run",
    "/api/session",
    "/api/timeline",
  ]);
});
