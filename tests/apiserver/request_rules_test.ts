import { assertEquals } from "@std/assert";
import type { Json } from "../../src/apiserver/resource_kind.ts";
import { startTestApiServer, type TestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";
import { readBy } from "./support/read_by.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const MERGE = "application/merge-patch+json", APPLY = "application/apply-patch+yaml";
const TABLE = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const token = (value: unknown) =>
  new TextEncoder().encode(JSON.stringify(value)).toBase64({ alphabet: "base64url", omitPadding: true });

interface Request {
  readonly path?: string;
  readonly method?: string;
  readonly type?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** What a request says that it must not, and how it is answered. */
const REFUSED: readonly (readonly [query: string, code: number, message: string, request?: Request])[] = [
  [
    "resourceVersionMatch=Exact&resourceVersion=1&continue=x",
    422,
    "Invalid resourceVersionMatch: FieldValueForbidden",
  ],
  [
    "resourceVersionMatch=Exact&sendInitialEvents=true",
    422,
    "Invalid resourceVersionMatch: FieldValueForbidden sendInitialEvents: FieldValueForbidden",
  ],
  [
    "watch=1&sendInitialEvents=true&resourceVersionMatch=Exact",
    422,
    "Invalid resourceVersionMatch: FieldValueForbidden resourceVersionMatch: FieldValueNotSupported",
  ],
  ["limit=a&timeoutSeconds=b", 400, "BadRequest"],
  ["limit=9223372036854775808", 400, "BadRequest"],
  [
    "resourceVersion=a",
    500,
    "",
    { path: "/api/v1/namespaces/default" },
  ],
  [
    "fieldSelector=nonsense&resourceVersionMatch=Exact",
    400,
    "BadRequest",
  ],
  ["continue=a", 400, "BadRequest"],
  ["continue=abcd!", 400, "BadRequest"],
  ["continue=%C3%A9", 400, "BadRequest"],
  ["continue=abc", 400, "BadRequest"],
  ["continue=garbage", 400, "BadRequest"],
  [`continue=${token(null)}`, 400, "BadRequest"],
  [`continue=${token([])}`, 400, "BadRequest"],
  [
    `continue=${token({ v: "meta.k8s.io/v1", rv: "1", start: "a" })}`,
    400,
    "BadRequest",
  ],
  [
    `continue=${token({ v: 1 })}`,
    400,
    "BadRequest",
  ],
  [
    `continue=${token({ v: "v2", rv: 1, start: "a" })}`,
    400,
    "BadRequest",
  ],
  [
    `continue=${token({ v: "meta.k8s.io/v1", start: "a" })}`,
    400,
    "BadRequest",
  ],
  [
    `continue=${token({ v: "meta.k8s.io/v1", rv: 1 })}`,
    400,
    "BadRequest",
  ],
  [
    `continue=${token({ v: "meta.k8s.io/v1", rv: 1, start: "../a" })}`,
    400,
    "BadRequest",
  ],
  [
    "includeObject=All",
    400,
    "BadRequest",
    { headers: TABLE },
  ],
  [
    "",
    415,
    "UnsupportedMediaType",
    {
      method: "PATCH",
      type: "application/json",
    },
  ],
  ["force=false", 422, "Invalid force: FieldValueForbidden", {
    method: "PATCH",
    type: MERGE,
  }],
  [
    "fieldManager=a%00b&dryRun=Some&fieldValidation=Much",
    422,
    "Invalid fieldManager: FieldValueInvalid dryRun: FieldValueNotSupported fieldValidation: FieldValueNotSupported",
    {
      method: "PATCH",
      type: MERGE,
    },
  ],
  [
    "dryRun=Some",
    422,
    "Invalid fieldManager: FieldValueRequired dryRun: FieldValueNotSupported",
    { method: "PATCH", type: APPLY },
  ],
  [
    "fieldManager=me",
    409,
    "Conflict",
    {
      method: "PATCH",
      type: APPLY,
      body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", uid: "u" } }),
    },
  ],
  [
    "propagationPolicy=Half&orphanDependents=true&dryRun=Some",
    422,
    "Invalid propagationPolicy: FieldValueInvalid propagationPolicy: FieldValueNotSupported dryRun: FieldValueNotSupported",
    { method: "DELETE", path: `${MAPS}/a` },
  ],
];

test("what a request may not ask for is refused", async () => {
  await using api = await startTestApiServer();
  for (const [query, code, message, request = {}] of REFUSED) {
    const { method = "GET", type, body = "{}", headers = {} } = request;
    const path = request.path ?? (method === "GET" ? MAPS : `${MAPS}/a`);
    const answer = await fetchStatus(api, `${path}?${query}`, {
      method,
      headers: { ...headers, ...(type ? { "content-type": type } : {}) },
      ...(method === "PATCH" ? { body } : {}),
    });
    assertEquals([answer.code, readBy(answer)], [code, message], `${method} ${path}?${query}`);
  }
});

test("a page whose version is gone is refused with a token that goes on with what there is now", async () => {
  await using api = await startTestApiServer();
  for (const name of ["a", "b"]) {
    const body = JSON.stringify({ metadata: { name } });
    await fetchStatus(api, MAPS, { method: "POST", headers: { "content-type": "application/json" }, body });
  }
  const first = await fetchStatus(api, `${MAPS}?limit=1`, {});
  const bytes = Uint8Array.fromBase64(first.metadata.continue, { alphabet: "base64url" });
  const { start } = JSON.parse(new TextDecoder().decode(bytes));
  const over = await fetchStatus(api, `${MAPS}?limit=1&continue=${token({ v: "meta.k8s.io/v1", rv: 1, start })}`, {});
  assertEquals([over.code, over.reason], [410, "Expired"]);
  const next = await fetchStatus(api, `${MAPS}?limit=1&continue=${over.metadata.continue}`, {});
  assertEquals(next.items.map(({ metadata }: Json) => metadata.name), ["b"]);
});

async function fetchStatus({ server }: TestApiServer, path: string, init: RequestInit): Promise<Json> {
  using client = Deno.createHttpClient({ caCerts: [server.caCertificate] });
  const headers = { authorization: `Bearer ${server.token}`, ...init.headers };
  const response = await fetch(server.url + path, { ...init, headers, client });
  return await response.json();
}
