import { assertEquals } from "@std/assert";
import { CONFIG_MAPS, type ConfigMap, NAMESPACES } from "../../src/kube/resource.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { test } from "../support/test.ts";

interface TerminatingNamespace {
  status: { phase: string; conditions?: { type: string; status: string; reason: string; message: string }[] };
}

interface Wanted {
  name: string;
  namespace?: string;
  owners?: { object: ConfigMap; blocks?: boolean }[];
  finalizers?: string[];
}

function make(
  client: KubeClient,
  { name, namespace = "default", owners = [], finalizers }: Wanted,
): Promise<ConfigMap> {
  const ownerReferences = owners.map(({ object, blocks }) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: object.metadata.name,
    uid: object.metadata.uid,
    ...(blocks ? { blockOwnerDeletion: true } : {}),
  }));
  const metadata = { name, namespace, ownerReferences, ...(finalizers ? { finalizers } : {}) };
  return client.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
}

/** Waits until the ConfigMaps of a namespace are these. */
async function settled(client: KubeClient, names: readonly string[], namespace = "default"): Promise<void> {
  const { items, metadata } = await client.list(CONFIG_MAPS, { namespace });
  const present = new Set(items.map(({ metadata }) => metadata.name));
  const done = () => present.size === names.length && names.every((name) => present.has(name));
  if (done()) return;
  const options = { namespace, resourceVersion: metadata.resourceVersion, timeoutSeconds: 10 };
  for await (const { type, object } of client.watch(CONFIG_MAPS, options)) {
    if (type === "DELETED") present.delete(object.metadata.name);
    else present.add(object.metadata.name);
    if (done()) return;
  }
  assertEquals([...present], [...names]);
}

test("a whole tree goes with its root", async () => {
  await using api = await startTestApiServer();
  const root = await make(api.client, { name: "root" });
  const child = await make(api.client, { name: "child", owners: [{ object: root }] });
  await make(api.client, { name: "grandchild", owners: [{ object: child }] });
  await make(api.client, { name: "stranger" });
  await api.client.delete(CONFIG_MAPS, { name: "root", namespace: "default" });
  await settled(api.client, ["stranger"]);
});

test("in the foreground a whole tree goes leaves first", async () => {
  await using api = await startTestApiServer();
  const root = await make(api.client, { name: "root" });
  const child = await make(api.client, { name: "child", owners: [{ object: root, blocks: true }] });
  await make(api.client, { name: "grandchild", owners: [{ object: child, blocks: true }], finalizers: ["a.b/hold"] });
  const { metadata } = await api.client.list(CONFIG_MAPS);
  await api.client.delete(CONFIG_MAPS, { name: "root", namespace: "default" }, { propagationPolicy: "Foreground" });
  const gone: string[] = [];
  const options = { resourceVersion: metadata.resourceVersion, timeoutSeconds: 10 };
  for await (const { type, object } of api.client.watch(CONFIG_MAPS, options)) {
    const { name, deletionTimestamp, finalizers } = object.metadata;
    if (name === "grandchild" && type === "MODIFIED" && deletionTimestamp && finalizers) {
      const body = { metadata: { finalizers: null } };
      await api.client.patch(CONFIG_MAPS, { name, namespace: "default" }, { type: "merge", body });
    }
    if (type === "DELETED") gone.push(name);
    if (name === "root" && type === "DELETED") break;
  }
  assertEquals(gone, ["grandchild", "child", "root"]);
});

test("a dependent in another namespace than its owner has none", async () => {
  await using api = await startTestApiServer();
  const owner = await make(api.client, { name: "owner" });
  await make(api.client, { name: "elsewhere", namespace: "kube-public", owners: [{ object: owner }] });
  await settled(api.client, [], "kube-public");
  await settled(api.client, ["owner"]);
});

test("what was left to collect is collected after a restart", async () => {
  const dataDir = await Deno.makeTempDir();
  {
    await using bare = await startTestApiServer({ dataDir, controllers: [] });
    const owner = await make(bare.client, { name: "owner" });
    await make(bare.client, { name: "dependent", owners: [{ object: owner }] });
    await bare.client.delete(CONFIG_MAPS, { name: "owner", namespace: "default" });
    await bare.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "demo" } });
    await make(bare.client, { name: "inside", namespace: "demo" });
    await bare.client.delete(NAMESPACES, { name: "demo" });
    await settled(bare.client, ["inside"], "demo");
  }
  {
    await using api = await startTestApiServer({ dataDir });
    await settled(api.client, []);
    await settled(api.client, [], "demo");
  }
  await Deno.remove(dataDir, { recursive: true });
});

test("a namespace with a thousand objects is emptied and goes", async () => {
  await using api = await startTestApiServer();
  await api.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "demo" } });
  const names = Array.from({ length: 1000 }, (_, index) => `a${index}`);
  await Promise.all(names.map((name) => make(api.client, { name, namespace: "demo" })));
  const { metadata } = await api.client.list(NAMESPACES);
  await api.client.delete(NAMESPACES, { name: "demo" });
  const options = { resourceVersion: metadata.resourceVersion, timeoutSeconds: 20 };
  let gone = false;
  for await (const { type, object } of api.client.watch(NAMESPACES, options)) {
    if (type === "DELETED" && object.metadata.name === "demo") {
      gone = true;
      break;
    }
  }
  assertEquals(gone, true);
  await settled(api.client, [], "demo");
});

test("a namespace that is being emptied says what is left, of however many finalizers", async () => {
  await using api = await startTestApiServer();
  const { client } = api;
  const created = await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "demo" } });
  // More than a function takes as arguments.
  await make(client, { name: "held", namespace: "demo", finalizers: Array(200_000).fill("x/a") });
  await client.delete(NAMESPACES, { name: "demo" });
  let told: string | undefined;
  const watch = { resourceVersion: created.metadata.resourceVersion, timeoutSeconds: 10 };
  for await (const { object } of client.watch(NAMESPACES, watch)) {
    if (object.metadata.name !== "demo") continue;
    told = (object as unknown as TerminatingNamespace).status.conditions?.at(-1)?.message;
    if (told) break;
  }
  assertEquals(told, "Some content in the namespace has finalizers remaining: x/a in 200000 resource instances");
});

test("a namespace that is being emptied says what is left, and goes when that goes", async () => {
  await using api = await startTestApiServer();
  const { client } = api;
  const created = await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "demo" } });
  await make(client, { name: "free", namespace: "demo" });
  for (const name of ["held", "kept"]) {
    await make(client, { name, namespace: "demo", finalizers: ["example.com/hold"] });
  }
  await client.delete(NAMESPACES, { name: "demo" });
  const seen: string[][] = [];
  const watch = { resourceVersion: created.metadata.resourceVersion, timeoutSeconds: 20 };
  for await (const { type, object } of client.watch(NAMESPACES, watch)) {
    if (object.metadata.name !== "demo") continue;
    if (type === "DELETED") break;
    const { phase, conditions } = (object as unknown as TerminatingNamespace).status;
    if (!conditions) continue;
    assertEquals(phase, "Terminating");
    const told = conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
    assertEquals(told, [
      "NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered",
      "NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions",
      "NamespaceDeletionContentFailure=False ContentDeleted",
      "NamespaceContentRemaining=True SomeResourcesRemain",
      "NamespaceFinalizersRemaining=True SomeFinalizersRemain",
    ]);
    seen.push(conditions.slice(3).map(({ message }) => message));
    const name = seen.length === 1 ? "held" : "kept";
    await client.patch(CONFIG_MAPS, { name, namespace: "demo" }, {
      type: "merge",
      body: { metadata: { finalizers: null } },
    });
  }
  assertEquals(
    seen,
    [2, 1].map((count) => [
      `Some resources are remaining: configmaps. has ${count} resource instances`,
      `Some content in the namespace has finalizers remaining: example.com/hold in ${count} resource instances`,
    ]),
  );
});
