import { assertEquals } from "@std/assert";
import type { Json } from "../../src/apiserver/resource_kind.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";
import { readBy } from "./support/read_by.ts";

const MAPS = "/api/v1/namespaces/default/configmaps", LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs";
const UID = "11111111-2222-3333-4444-555555555555";
const OWNER = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u1" };
const DUPLICATES = "metadata.ownerReferences: owners that are named twice are kept once: u1";
const DOTS = "metadata.name: it is used in Pod names and hostnames, which a name that is no DNS label can break: " +
  "must have lower case letters, digits and '-' alone, and must begin and end with a letter or digit, as in my-name";
const map = (metadata: Json, more = {}) => ({ metadata: { name: "a", ...metadata }, ...more });
const cronJob = (name: string, spec = {}) => ({
  metadata: { name },
  spec: {
    schedule: "* * * * *",
    jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "m", image: "i" }] } } } },
    ...spec,
  },
});
interface Answered {
  readonly code: number;
  /** As {@linkcode readBy} has it. */
  readonly read?: string;
  readonly warnings?: readonly string[];
}

/** One after the other: a request, and how it is answered. */
const CONVERSATION: readonly (readonly [method: string, path: string, body: unknown, answer: Answered])[] = [
  ["POST", MAPS, map({ resourceVersion: "0" }), { code: 201 }],
  ["POST", MAPS, map({ resourceVersion: "5" }), {
    code: 500,
  }],
  // What is wrong with it is found first.
  ["POST", MAPS, map({ name: "A!", resourceVersion: "5" }), { code: 422 }],
  ["PUT", `${MAPS}/a`, map({ uid: UID, resourceVersion: "1" }), {
    code: 409,
    read: "Conflict",
  }],
  ["PATCH", `${MAPS}/a`, { metadata: { uid: UID } }, {
    code: 422,
    read: "Invalid metadata.uid: FieldValueInvalid",
  }],
  ["PUT", `${MAPS}/a`, map({ resourceVersion: "18446744073709551616" }), {
    code: 500,
  }],
  ["PUT", `${MAPS}/absent`, map({ uid: UID }), {
    code: 400,
    read: "BadRequest",
  }],
  ["PUT", `${MAPS}/absent`, map({ name: "other", namespace: "elsewhere" }), {
    code: 400,
    read: "BadRequest",
  }],
  ["PUT", `${MAPS}/absent`, map({ name: "absent", uid: UID }), {
    code: 404,
    read: "NotFound",
  }],
  ["PUT", `${LEASES}/absent`, { metadata: { name: "absent", uid: UID } }, {
    code: 409,
    read: "Conflict",
  }],
  ["PUT", `${LEASES}/absent`, { metadata: { name: "absent", resourceVersion: "7" } }, { code: 201 }],
  ["POST", "/api/v1/namespaces", { metadata: { name: "new", namespace: "other" } }, { code: 201 }],
  ["POST", MAPS, map({ name: "b", ownerReferences: [OWNER, OWNER] }), { code: 201, warnings: [DUPLICATES] }],
  ["PATCH", `${MAPS}/a`, { metadata: { ownerReferences: [OWNER, OWNER] } }, {
    code: 200,
    warnings: [DUPLICATES],
  }],
  // Warnings are given whatever comes of the request.
  ["POST", CRON_JOBS, cronJob("a.b", { nope: 1, schedule: "" }), {
    code: 422,
    warnings: ['unknown field \\"spec.nope\\"'],
  }],
  ["POST", CRON_JOBS, cronJob("a.b"), { code: 201, warnings: [DOTS] }],
  ["POST", CRON_JOBS, cronJob("a.b", { nope: 1 }), { code: 409, warnings: ['unknown field \\"spec.nope\\"', DOTS] }],
  ["PUT", `${CRON_JOBS}/absent`, cronJob("absent", { nope: 1 }), {
    code: 404,
    warnings: ['unknown field \\"spec.nope\\"'],
  }],
  ["PATCH", `${CRON_JOBS}/a.b`, { spec: { nope: 1, schedule: "" } }, {
    code: 422,
    warnings: ['unknown field \\"spec.nope\\"'],
  }],
  ["POST", "/apis/batch/v1/namespaces/absent/cronjobs", cronJob("a", { nope: 1 }), {
    code: 404,
    warnings: ['unknown field \\"spec.nope\\"'],
  }],
];

test("writes are judged in kube-apiserver's order, and warned of whatever comes of them", async () => {
  await using api = await startTestApiServer();
  using http = Deno.createHttpClient({ caCerts: [api.server.caCertificate] });
  for (const [method, path, body, wanted] of CONVERSATION) {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const response = await fetch(api.server.url + path, {
      method,
      headers: { authorization: `Bearer ${api.server.token}`, "content-type": type },
      body: JSON.stringify(body),
      client: http,
    });
    const answer: Json = await response.json();
    const warnings = (wanted.warnings ?? []).map((text) => `299 - "${text}"`).join(", ") || null;
    const what = `${method} ${path} ${JSON.stringify(body)}`;
    assertEquals([response.status, response.headers.get("warning")], [wanted.code, warnings], what);
    if (wanted.read) assertEquals(readBy(answer), wanted.read, what);
  }
});
