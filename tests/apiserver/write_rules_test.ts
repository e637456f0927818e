import { assertEquals } from "@std/assert";
import type { Json } from "../../src/apiserver/resource_kind.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

const MAPS = "/api/v1/namespaces/default/configmaps", LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const PODS = "/api/v1/namespaces/default/pods", CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs";
const UID = "11111111-2222-3333-4444-555555555555";
const OWNER = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u1" };
const DUPLICATES = (when = "") =>
  `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may ` +
  "reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u1";
const DOTS = "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; " +
  "a DNS label is recommended: [must not contain dots]";
const map = (metadata: Json, more = {}) => ({ metadata: { name: "a", ...metadata }, ...more });
const cronJob = (name: string, spec = {}) => ({
  metadata: { name },
  spec: {
    schedule: "* * * * *",
    jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "m", image: "i" }] } } } },
    ...spec,
  },
});
const pod = (spec: Json) => ({ metadata: { name: "p" }, spec: { containers: [{ name: "m", image: "i" }], ...spec } });
const priority = (what: string, computed: string) =>
  `pods "p" is forbidden: the ${what} must not be provided in pod spec; priority admission controller computed ` +
  `${computed} from the given PriorityClass name`;

interface Answered {
  readonly code: number;
  readonly message?: string;
  readonly warnings?: readonly string[];
}

/** One after the other: a request, and how it is answered. `$uid` is the UID of the ConfigMap `a`. */
const CONVERSATION: readonly (readonly [method: string, path: string, body: unknown, answer: Answered])[] = [
  ["POST", MAPS, map({ resourceVersion: "0" }), { code: 201 }],
  ["POST", MAPS, map({ resourceVersion: "5" }), {
    code: 500,
    message: "resourceVersion should not be set on objects to be created",
  }],
  // What is wrong with it is found first.
  ["POST", MAPS, map({ name: "A!", resourceVersion: "5" }), { code: 422 }],
  ["PUT", `${MAPS}/a`, map({ uid: UID, resourceVersion: "1" }), {
    code: 409,
    message: 'Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: ' +
      "/registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in " +
      `precondition: ${UID}, UID in object meta: $uid`,
  }],
  ["PATCH", `${MAPS}/a`, { metadata: { uid: UID } }, {
    code: 422,
    message: `ConfigMap "a" is invalid: metadata.uid: Invalid value: "${UID}": field is immutable`,
  }],
  ["PUT", `${MAPS}/a`, map({ resourceVersion: "18446744073709551616" }), {
    code: 500,
    message: 'strconv.ParseUint: parsing "18446744073709551616": value out of range',
  }],
  ["PUT", `${MAPS}/absent`, map({ uid: UID }), {
    code: 400,
    message: "the name of the object (a) does not match the name on the URL (absent)",
  }],
  ["PUT", `${MAPS}/absent`, map({ name: "other", namespace: "elsewhere" }), {
    code: 400,
    message: "the namespace of the provided object does not match the namespace sent on the request",
  }],
  ["PUT", `${MAPS}/absent`, map({ name: "absent", uid: UID }), {
    code: 404,
    message: 'configmaps "absent" not found',
  }],
  ["PUT", `${LEASES}/absent`, { metadata: { name: "absent", uid: UID } }, {
    code: 409,
    message: 'Operation cannot be fulfilled on leases.coordination.k8s.io "absent": StorageError: invalid object, ' +
      "Code: 4, Key: /registry/leases/default/absent, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " +
      `UID in precondition: ${UID}, UID in object meta: `,
  }],
  ["PUT", `${LEASES}/absent`, { metadata: { name: "absent", resourceVersion: "7" } }, { code: 201 }],
  ["POST", "/api/v1/namespaces", { metadata: { name: "new", namespace: "other" } }, { code: 201 }],
  ["POST", MAPS, map({ name: "b", ownerReferences: [OWNER, OWNER] }), { code: 201, warnings: [DUPLICATES()] }],
  ["PATCH", `${MAPS}/a`, { metadata: { ownerReferences: [OWNER, OWNER] } }, {
    code: 200,
    warnings: [DUPLICATES(" after mutating admission happens")],
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
  ["POST", PODS, pod({ priority: 5 }), {
    code: 403,
    message: priority("integer value of priority (5)", "0"),
  }],
  ["POST", PODS, pod({ preemptionPolicy: "Never" }), {
    code: 403,
    message: priority("string value of PreemptionPolicy (Never)", "PreemptLowerPriority"),
  }],
  ["POST", PODS, pod({ priorityClassName: "system-node-critical", priority: 2000001000 }), { code: 201 }],
];

test("writes are looked at in kube-apiserver's order, and warned of whatever comes of them", async () => {
  await using api = await startTestApiServer();
  using http = Deno.createHttpClient({ caCerts: [api.server.caCertificate] });
  let uid = "";
  for (const [method, path, body, wanted] of CONVERSATION) {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const response = await fetch(api.server.url + path, {
      method,
      headers: { authorization: `Bearer ${api.server.token}`, "content-type": type },
      body: JSON.stringify(body),
      client: http,
    });
    const answer: Json = await response.json();
    uid ||= answer.metadata.uid;
    const warnings = (wanted.warnings ?? []).map((text) => `299 - "${text}"`).join(", ") || null;
    const what = `${method} ${path} ${JSON.stringify(body)}`;
    assertEquals([response.status, response.headers.get("warning")], [wanted.code, warnings], what);
    if (wanted.message) assertEquals(answer.message, wanted.message.replace("$uid", uid), what);
  }
});
