import { assertEquals } from "@std/assert";
import { healthAnswer } from "../../src/telemetry/health.ts";
import { formatListenAddress, parseListenAddress } from "../../src/telemetry/listen_address.ts";
import { test } from "../support/test.ts";

const WELL = { name: "ping", check: () => ({ ok: true }) };
const BUSY = { name: "queue", check: () => ({ ok: true, detail: "3 waiting" }) };
const ILL = { name: "watch jobs", check: () => ({ ok: false, detail: "refused" }) };
const BROKEN = {
  name: "broken",
  check: () => {
    throw new Error("oops");
  },
};

const ANSWERS: [checks: (typeof BUSY | typeof WELL | typeof BROKEN)[], query: string, status: number, text: string][] =
  [
    [[WELL, BUSY], "", 200, "ok"],
    [[WELL, BUSY], "verbose", 200, "[+]ping ok\n[+]queue ok: 3 waiting\nreadyz check passed\n"],
    [[WELL, ILL], "", 500, "[+]ping ok\n[-]watch jobs failed: refused\nreadyz check failed\n"],
    [[WELL, ILL], "exclude=watch+jobs", 200, "ok"],
    [[ILL], "verbose&exclude=watch%20jobs", 200, "[+]watch jobs excluded: ok\nreadyz check passed\n"],
    [
      [WELL, ILL],
      "exclude=watch+jobs&exclude=nothing&verbose",
      200,
      [
        "[+]ping ok",
        "[+]watch jobs excluded: ok",
        'warn: some health checks cannot be excluded: no matches for "nothing"',
        "readyz check passed\n",
      ].join("\n"),
    ],
    [
      [{ name: "a", check: () => ({ ok: false, detail: "Bearer abcdef0123 is refused" }) }],
      "",
      500,
      "[-]a failed: Bearer [redacted] is refused\nreadyz check failed\n",
    ],
    [[BROKEN], "", 500, "[-]broken failed: oops\nreadyz check failed\n"],
  ];

test("healthAnswer() answers as Kubernetes' programs do, and says why", async () => {
  for (const [checks, query, status, text] of ANSWERS) {
    const response = await healthAnswer("readyz", () => checks)(new URLSearchParams(query), "");
    assertEquals([response?.status, await response?.text()], [status, text], query);
  }
});

test("healthAnswer() answers for one check alone below its path, as all of that name do", async () => {
  const answer = healthAnswer("readyz", () => [WELL, { ...ILL, name: "ping" }, BUSY]);
  const told = async (below: string) => {
    const response = await answer(new URLSearchParams(), below);
    return response && [response.status, await response.text()];
  };
  assertEquals(await told("queue"), [200, "ok"]);
  assertEquals(await told("ping"), [500, "internal server error: refused\n"]);
  assertEquals(await told("other"), undefined);
});

test("parseListenAddress() reads the addresses that Kubernetes' programs take, and nothing else", () => {
  for (const text of [":8080", "127.0.0.1:0", "localhost:80", "[::1]:8443"]) {
    const address = parseListenAddress(text);
    assertEquals(address === undefined || address === "none" ? address : formatListenAddress(address), text);
  }
  assertEquals(parseListenAddress(":8080"), { port: 8080 });
  assertEquals(parseListenAddress("0"), "none");
  for (const bad of ["", "8080", ":", ":65536", "::1:80", "[::1]", "a b:1", "http://a:1", ":-1", ":080000"]) {
    assertEquals(parseListenAddress(bad), undefined, bad);
  }
});
