import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { EVENTS, JOBS, NODES, type Pod, PODS } from "../../src/kube/resource.ts";
import { atLeast } from "../support/expected.ts";
import { Kubectl } from "../support/kubectl.ts";
import { eventually } from "../support/program.ts";
import { test } from "../support/test.ts";
import { type Api, startProgram } from "./support/api.ts";

const CONTROLLERS = "job,kubelet,gc,serviceaccount,root-ca-cert-publisher";

/** One of each thing that containers here do as on a cluster, or say that they don't. */
const PODS_OF_ALL_KINDS = `
apiVersion: v1
kind: Pod
metadata: { name: dotted, labels: { app: x } }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: busybox, command: [env], env: [{ name: my.var, value: a }, { name: my_var, value: b }] }]
---
apiVersion: v1
kind: Pod
metadata: { name: waiting }
spec: { containers: [{ name: main, image: busybox, command: [env], envFrom: [{ configMapRef: { name: none } }] }] }
---
apiVersion: v1
kind: Pod
metadata: { name: limited-by }
spec:
  restartPolicy: Never
  containers:
    - name: main
      image: busybox
      command: [cat]
      env: [{ name: LIMIT, valueFrom: { resourceFieldRef: { resource: limits.cpu } } }]
---
apiVersion: v1
kind: Pod
metadata: { name: idle }
spec: { terminationGracePeriodSeconds: 1, containers: [{ name: main, image: "registry.k8s.io/pause:3.10" }] }
---
apiVersion: batch/v1
kind: Job
metadata: { name: limited }
spec:
  parallelism: 2
  completions: 2
  suspend: true
  template: { spec: { restartPolicy: Never, containers: [{ name: main, image: busybox, command: ["true"] }] } }
`;

async function start(): Promise<Api & { kubectl: Kubectl; until: typeof podUntil }> {
  const api = await startProgram(CONTROLLERS);
  return { ...api, kubectl: new Kubectl(api.kubeconfigPath), until: podUntil };
}

function podUntil({ client }: Api, name: string, wanted: (pod: Pod) => unknown): Promise<Pod> {
  return eventually(`pod ${name}`, async () => {
    const pod = await client.get(PODS, { name, namespace: "default" }).catch(() => undefined);
    return pod && wanted(pod) ? pod : undefined;
  });
}

test("kubectl finds what every cluster has, and drains the node, but neither cordons nor taints it", async () => {
  await using api = await start();
  const { kubectl, client, until } = api;
  const [{ metadata: { name: node } }] = atLeast(
    1,
    await eventually("the node", async () => {
      const { items } = await client.list(NODES);
      return items.length > 0 && items;
    }),
  );
  const own = ["sa/default", "cm/kube-root-ca.crt", "svc/kubernetes"];
  const found = await eventually("what every cluster has", async () => {
    const { code, stdout } = await kubectl.run(["get", "-o", "name", ...own], { codes: [0, 1] });
    return code === 0 && stdout;
  });
  assertEquals(found, "serviceaccount/default\nconfigmap/kube-root-ca.crt\nservice/kubernetes\n");
  assertMatch(await kubectl.output(["get", "all"]), /service\/kubernetes +ClusterIP +127\.0\.0\.1 +<none> +\d+\/TCP/);
  const pause = (name: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "main", image: "pause" }] },
  });
  await client.create(PODS, pause("first"));
  await until(api, "first", ({ status }) => status?.phase === "Running");
  for (const args of [["cordon", node], ["taint", "node", node, "gone=:NoExecute"]]) {
    const { stderr } = await kubectl.run(args, { codes: [0, 1] });
    assertStringIncludes(stderr, "suspend CronJobs and Jobs instead");
  }
  const drained = await kubectl.run(["drain", node, "--force", "--timeout=120s"]);
  assertStringIncludes(drained.stderr, `unable to cordon node "${node}"`);
  assertMatch(drained.stdout, /evicting pod default\/first\npod\/first evicted\nnode\/\S+ drained/);
  await client.create(PODS, pause("second"));
  await until(api, "second", ({ status }) => status?.phase === "Running");
});

test("Pods have here what they have on a cluster, or kubectl shows why not", async () => {
  await using api = await start();
  const { kubectl, client, until } = api;
  await kubectl.run(["apply", "-f", "-"], { stdin: PODS_OF_ALL_KINDS });
  await until(api, "dotted", ({ status }) => status?.phase === "Succeeded");
  const variables = await kubectl.output(["logs", "dotted"]);
  assertEquals([variables.includes("my.var"), variables.includes("my_var=b")], [false, true]);
  for (const name of ["waiting", "limited-by"]) {
    const why = "CreateContainerConfigError";
    await until(api, name, ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === why);
    const { stderr } = await kubectl.run(["logs", name], { codes: [1] });
    assertStringIncludes(stderr, `in pod "${name}" is waiting to start: ${why}`);
  }
  await until(api, "idle", ({ status }) => status?.phase === "Running");
  const events = (reason: string) =>
    client.list(EVENTS).then(({ items }) => items.filter((event) => event.reason === reason));
  const ignored = (field: string) =>
    eventually("an event", async () => {
      const found = (await events("Ignored")).filter(({ message }) => message!.includes(field));
      return found.length > 0 && found;
    });
  assertEquals((await ignored("env my.var")).length, 1);
  const [refused] = atLeast(
    1,
    await eventually("an event", async () => {
      const found = await events("UnsupportedField");
      return found.length > 0 && found;
    }),
  );
  assertStringIncludes(refused.message!, "spec.containers[0].env[0].valueFrom.resourceFieldRef");
  const limits = { template: { spec: { containers: [{ name: "main", resources: { limits: { cpu: "1" } } }] } } };
  await kubectl.run(["patch", "job", "limited", "-p", JSON.stringify({ spec: limits })]);
  await kubectl.run(["patch", "job", "limited", "-p", '{"spec":{"suspend":false}}']);
  await eventually("the Job's end", async () => {
    const { status } = await client.get(JOBS, { name: "limited", namespace: "default" });
    return status?.succeeded === 2;
  });
  const limited = await ignored("resources.limits");
  assertEquals(limited.map(({ count }) => count ?? 1), [1], "once for both Pods");
});
