import { assertEquals } from "@std/assert";
import type { Json } from "../../src/apiserver/resource_kind.ts";
import { startTestApiServer, type TestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const LIST = 'ListOptions.meta.k8s.io "" is invalid: ';
const PATCH = 'PatchOptions.meta.k8s.io "" is invalid: ';
const TOKEN = "invalid continue token: continue key is not valid: ";
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
    `${LIST}resourceVersionMatch: Forbidden: ` +
    "resourceVersionMatch is forbidden when continue is provided",
  ],
  [
    "resourceVersionMatch=Exact&sendInitialEvents=true",
    422,
    `${LIST}[resourceVersionMatch: Forbidden: ` +
    "resourceVersionMatch is forbidden unless resourceVersion is provided, sendInitialEvents: Forbidden: " +
    "sendInitialEvents is forbidden for list]",
  ],
  [
    "watch=1&sendInitialEvents=true&resourceVersionMatch=Exact",
    422,
    `${LIST}[resourceVersionMatch: Forbidden: ` +
    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, " +
    'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
  ],
  ["limit=a&timeoutSeconds=b", 400, 'strconv.ParseInt: parsing "b": invalid syntax'],
  ["limit=9223372036854775808", 400, 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
  [
    "resourceVersion=a",
    500,
    'resourceVersion: Invalid value: "a": strconv.ParseUint: parsing "a": invalid syntax',
    { path: "/api/v1/namespaces/default" },
  ],
  [
    "fieldSelector=nonsense&resourceVersionMatch=Exact",
    400,
    "invalid selector: 'nonsense'; can't understand 'nonsense'",
  ],
  ["fieldSelector=metadata.name=b", 400, "fieldSelector metadata.name doesn't match requested name", {
    path: "/api/v1/watch/namespaces/default/configmaps/a",
  }],
  ["continue=a", 400, `${TOKEN}illegal base64 data at input byte 0`],
  ["continue=abcd!", 400, `${TOKEN}illegal base64 data at input byte 4`],
  ["continue=%C3%A9", 400, `${TOKEN}illegal base64 data at input byte 0`],
  [
    `continue=${token({ v: "meta.k8s.io/v1", rv: 1, start: "a" })}=`,
    400,
    `${TOKEN}illegal base64 data at input byte 55`,
  ],
  ["continue=abc", 400, `${TOKEN}invalid character 'i' looking for beginning of value`],
  ["continue=garbage", 400, `${TOKEN}invalid character '\\u0081' looking for beginning of value`],
  [`continue=${token(null)}`, 400, `${TOKEN}server does not recognize this encoded version `],
  [`continue=${token([])}`, 400, `${TOKEN}json: cannot unmarshal array into Go value of type storage.continueToken`],
  [
    `continue=${token({ v: "meta.k8s.io/v1", rv: "1", start: "a" })}`,
    400,
    `${TOKEN}json: cannot unmarshal string into Go struct field continueToken.rv of type int64`,
  ],
  [
    `continue=${token({ v: 1 })}`,
    400,
    `${TOKEN}json: cannot unmarshal number into Go struct field continueToken.v of type string`,
  ],
  [
    `continue=${token({ v: "v2", rv: 1, start: "a" })}`,
    400,
    "invalid continue token: continue key is not valid: server does not recognize this encoded version v2",
  ],
  [
    `continue=${token({ v: "meta.k8s.io/v1", start: "a" })}`,
    400,
    "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
  ],
  [
    `continue=${token({ v: "meta.k8s.io/v1", rv: 1 })}`,
    400,
    "invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
  ],
  [
    `continue=${token({ v: "meta.k8s.io/v1", rv: 1, start: "../a" })}`,
    400,
    "invalid continue token: continue key is not valid: ../a",
  ],
  [
    "includeObject=All",
    400,
    "Unable to convert to Table as requested: includeObject: Invalid value: " +
    "\"All\": must be 'Metadata', 'Object', 'None', or empty",
    { headers: TABLE },
  ],
  [
    "",
    415,
    "415: Unsupported Media Type",
    {
      method: "PATCH",
      type: "application/json",
    },
  ],
  ["force=false", 422, `${PATCH}force: Forbidden: may not be specified for non-apply patch`, {
    method: "PATCH",
    type: MERGE,
  }],
  [
    "fieldManager=a%00b&dryRun=Some&fieldValidation=Much",
    422,
    `${PATCH}[fieldManager: Invalid value: "a\\u0000b": ` +
    'invalid character U+0000 (at position 1), dryRun: Unsupported value: ["Some"]: supported values: "All", ' +
    'fieldValidation: Unsupported value: "Much": supported values: "", "Ignore", "Strict", "Warn"]',
    {
      method: "PATCH",
      type: MERGE,
    },
  ],
  [
    "dryRun=Some",
    422,
    `${PATCH}[fieldManager: Required value: is required for apply patch, ` +
    'dryRun: Unsupported value: ["Some"]: supported values: "All"]',
    { method: "PATCH", type: APPLY },
  ],
  [
    "fieldManager=me",
    409,
    'Operation cannot be fulfilled on configmaps "a": uid mismatch: ' +
    "the provided object specified uid u, and no existing object was found",
    {
      method: "PATCH",
      type: APPLY,
      body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", uid: "u" } }),
    },
  ],
  [
    "propagationPolicy=Half&orphanDependents=true&dryRun=Some",
    422,
    'DeleteOptions.meta.k8s.io "" is invalid: ' +
    '[propagationPolicy: Invalid value: "Half": orphanDependents and deletionPropagation cannot be both set, ' +
    'propagationPolicy: Unsupported value: "Half": supported values: "Foreground", "Background", "Orphan", "nil", ' +
    'dryRun: Unsupported value: ["Some"]: supported values: "All"]',
    { method: "DELETE", path: `${MAPS}/a` },
  ],
];

test("what a request may not ask for is refused in kube-apiserver's words", async () => {
  await using api = await startTestApiServer();
  for (const [query, code, message, request = {}] of REFUSED) {
    const { method = "GET", type, body = "{}", headers = {} } = request;
    const path = request.path ?? (method === "GET" ? MAPS : `${MAPS}/a`);
    const answer = await fetchStatus(api, `${path}?${query}`, {
      method,
      headers: { ...headers, ...(type ? { "content-type": type } : {}) },
      ...(method === "PATCH" ? { body } : {}),
    });
    assertEquals([answer.code, answer.message], [code, message], `${method} ${path}?${query}`);
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
