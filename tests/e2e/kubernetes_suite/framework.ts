import { assert, assertEquals } from "@std/assert";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import { must } from "../../support/expected.ts";
import type { ProtobufClient, ResourceClient } from "./protobuf_client.ts";

// What Kubernetes' suite does around its tests.

/** What a test of the suite works with: clients, and a namespace of its own. */
export class Bench {
  readonly jobs: ResourceClient;
  readonly cronJobs: ResourceClient;
  readonly pods: ResourceClient;
  readonly events: ResourceClient;

  constructor(readonly client: ProtobufClient, readonly namespace: string) {
    this.jobs = client.resource("jobs", namespace);
    this.cronJobs = client.resource("cronjobs", namespace);
    this.pods = client.resource("pods", namespace);
    this.events = client.resource("events", namespace);
  }

  /** Those that have the label that the suite gives a Job's Pods. */
  async podsOf(job: string): Promise<Json[]> {
    return (await this.pods.list({ labelSelector: `job=${job}` })).items;
  }

  /** What client-go's `Search` finds of an object. */
  async eventsOf({ metadata, kind }: Json): Promise<Json[]> {
    const { name, namespace, uid } = metadata;
    const fields = { name, namespace, kind, uid };
    const fieldSelector = Object.entries(fields).map(([key, value]) => `involvedObject.${key}=${value}`).join(",");
    return (await this.events.list({ fieldSelector })).items;
  }
}

/** Looks each `pollMs` until `look` gives something. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  { timeoutMs = 300_000, pollMs = 500 } = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    assert(performance.now() < deadline, `Not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Before the suite's first test. Gives the name of a node that takes Pods. */
export async function startSuite(client: ProtobufClient): Promise<string> {
  const fieldSelector = "spec.unschedulable=false";
  const node = await until("a node is ready", async () => {
    return (await client.resource("nodes").list({ fieldSelector, resourceVersion: "0" })).items.find(isReady);
  });
  assertEquals((await client.resource("nodes").list({ fieldSelector })).items.length, 1);
  assert(Number(node.status.allocatable.cpu) >= 1);
  assertEquals(node.metadata.labels["kubernetes.io/hostname"], node.metadata.name);
  assertEquals((await client.resource("pods", "kube-system").list()).items, []);
  const service = await client.resource("services", "default").get("kubernetes");
  assert(/^[0-9a-f.:]+$/.test(service.spec.clusterIP), service.spec.clusterIP);
  assert((await client.json("/version")).gitVersion.startsWith("v1."));
  return node.metadata.name;
}

function isReady({ spec = {}, status }: Json): boolean {
  const condition = (type: string) => status?.conditions?.find((one: Json) => one.type === type)?.status;
  const isRepelling = (spec.taints ?? []).some(({ effect }: Json) => effect !== "PreferNoSchedule");
  return condition("Ready") === "True" && condition("NetworkUnavailable") !== "True" && !isRepelling;
}

/** Before each test. */
export async function makeBench(client: ProtobufClient, name: string, level: string): Promise<Bench> {
  const labels = {
    "e2e-framework": name,
    "e2e-run": crypto.randomUUID(),
    ...Object.fromEntries(["enforce", "warn", "audit"].map((mode) => [`pod-security.kubernetes.io/${mode}`, level])),
  };
  const namespaces = client.resource("namespaces");
  const made = await namespaces.create({ metadata: { name, labels } });
  assertEquals((await namespaces.get(name)).metadata.uid, made.metadata.uid);
  await appears(client.resource("serviceaccounts", name), "default");
  await appears(client.resource("configmaps", name), "kube-root-ca.crt");
  return new Bench(client, name);
}

/** As an informer of one object sees it, whose list is the beginning of its watch, up to a bookmark. */
async function appears(resource: ResourceClient, name: string): Promise<void> {
  const query = { sendInitialEvents: "true", allowWatchBookmarks: "true", resourceVersionMatch: "NotOlderThan" };
  const missing = new Set(["the object", "the end of the list"]);
  for await (const { type, object } of resource.watch({ fieldSelector: `metadata.name=${name}`, ...query })) {
    if (type === "ADDED" && object.metadata.name === name) missing.delete("the object");
    const isEnd = object.metadata.annotations?.["k8s.io/initial-events-end"] === "true";
    if (type === "BOOKMARK" && isEnd) missing.delete("the end of the list");
    if (missing.size === 0) return;
  }
  throw new Error(`The watch of ${name} ended without ${[...missing].join(" and ")}`);
}

/** After each test: what it left goes with its namespace. */
export async function endBench(bench: Bench): Promise<void> {
  const namespaces = bench.client.resource("namespaces");
  await namespaces.delete(bench.namespace);
  const isThere = async () => (await namespaces.list()).items.some(({ metadata }) => metadata.name === bench.namespace);
  await until(`namespace ${bench.namespace} is gone`, async () => !(await isThere()));
}

/** What is shown of a test that failed. */
export async function dump({ client, namespace }: Bench): Promise<Json> {
  const [jobs, pods, events] = await Promise.all(
    ["jobs", "pods", "events"].map(async (plural) => (await client.resource(plural, namespace).list()).items),
  );
  const node = must((await client.resource("nodes").list()).items[0]).metadata.name;
  const ofNode = { kind: "Node", name: node, namespace: "" };
  const fieldSelector = Object.entries(ofNode).map(([key, value]) => `involvedObject.${key}=${value}`);
  await client.resource("events", "kube-system").list({
    fieldSelector: [...fieldSelector, "source=kubelet"].join(","),
  });
  return {
    jobs: must(jobs).map(({ metadata, status }) => [metadata.name, status]),
    pods: must(pods).map(({ metadata, status }) => [metadata.name, status]),
    events: must(events).map(({ reason, message }) => `${reason}: ${message}`),
  };
}
