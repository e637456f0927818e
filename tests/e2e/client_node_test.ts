import type { CoreV1Api, KubernetesObject } from "@kubernetes/client-node";
import { assertEquals } from "@std/assert";
import { loadClientNode } from "../support/client_node.ts";
import { test } from "../support/test.ts";
import { startApi } from "./support/api.ts";

const NAMESPACE = { namespace: "default" };

function configMap(name: string, labels: Record<string, string> = {}) {
  return { metadata: { name, labels }, data: { k: "v" } };
}

// client-node keeps connections open that nothing can close.
const options = { sanitize: false };

test("@kubernetes/client-node lists, patches, replaces and deletes", async () => {
  const { KubeConfig, CoreV1Api, PatchStrategy, setHeaderOptions } = await loadClientNode();
  await using api = await startApi();
  const config = new KubeConfig();
  config.loadFromFile(api.kubeconfigPath);
  const core = config.makeApiClient(CoreV1Api);
  await core.createNamespacedConfigMap({ ...NAMESPACE, body: configMap("a", { app: "x" }) });
  await core.createNamespacedConfigMap({ ...NAMESPACE, body: configMap("b") });
  const list = await core.listNamespacedConfigMap({ ...NAMESPACE, labelSelector: "app=x" });
  assertEquals(list.items.map(({ metadata }) => metadata?.name), ["a"]);
  const patched = await core.patchNamespacedConfigMap(
    { ...NAMESPACE, name: "a", body: { data: { k: "w" } } },
    setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
  );
  assertEquals(patched.data, { k: "w" });
  const replaced = await core.replaceNamespacedConfigMap({ ...NAMESPACE, name: "a", body: { ...patched, data: {} } });
  assertEquals(replaced.data, undefined);
  await core.deleteNamespacedConfigMap({ ...NAMESPACE, name: "a" });
  const error = await core.readNamespacedConfigMap({ ...NAMESPACE, name: "a" }).catch(({ code }) => code);
  assertEquals(error, 404);
}, options);

test("@kubernetes/client-node watches", async () => {
  const { KubeConfig, CoreV1Api, Watch } = await loadClientNode();
  await using api = await startApi();
  const config = new KubeConfig();
  config.loadFromFile(api.kubeconfigPath);
  const core = config.makeApiClient(CoreV1Api);
  const seen: string[] = [];
  const done = Promise.withResolvers<void>();
  const request = await new Watch(config).watch(
    "/api/v1/namespaces/default/configmaps",
    {},
    (type: string, object: KubernetesObject) => {
      seen.push(`${type} ${object.metadata?.name}`);
      if (type === "DELETED") done.resolve();
    },
    () => done.resolve(),
  );
  await core.createNamespacedConfigMap({ ...NAMESPACE, body: configMap("a") });
  await core.deleteNamespacedConfigMap({ ...NAMESPACE, name: "a" });
  await done.promise;
  request.abort();
  assertEquals(seen, ["ADDED a", "DELETED a"]);
}, options);

test("@kubernetes/client-node's informer follows", async () => {
  const { KubeConfig, CoreV1Api, makeInformer } = await loadClientNode();
  await using api = await startApi();
  const config = new KubeConfig();
  config.loadFromFile(api.kubeconfigPath);
  const core: CoreV1Api = config.makeApiClient(CoreV1Api);
  await core.createNamespacedConfigMap({ ...NAMESPACE, body: configMap("before") });
  const informer = makeInformer(
    config,
    "/api/v1/namespaces/default/configmaps",
    () => core.listNamespacedConfigMap(NAMESPACE),
  );
  const seen: string[] = [];
  const deleted = Promise.withResolvers<void>();
  informer.on("add", ({ metadata }) => void seen.push(`add ${metadata?.name}`));
  informer.on("delete", ({ metadata }) => {
    seen.push(`delete ${metadata?.name}`);
    deleted.resolve();
  });
  const connected = Promise.withResolvers<void>();
  informer.on("connect", () => connected.resolve());
  await informer.start();
  await connected.promise;
  await core.createNamespacedConfigMap({ ...NAMESPACE, body: configMap("after") });
  await core.deleteNamespacedConfigMap({ ...NAMESPACE, name: "before" });
  await deleted.promise;
  await informer.stop();
  assertEquals(seen, ["add before", "add after", "delete before"]);
}, options);
