// The real helm installs the chart on our own API server: `deno task test:chart` (needs helm on PATH).
import { assert, assertEquals, assertMatch } from "@std/assert";
import { startTestApiServer } from "../../support/api_server.ts";
import { kubectl, kubectlOk, temporaryFolder } from "../../support/program.ts";
import { test } from "../../support/test.ts";
import { CHART, helm, helmOk } from "../support/real_helm.ts";
import { CLUSTER_KINDS } from "../support/cluster_kinds.ts";

const NAMESPACE = "cron";
const RELEASE = ["cronjobs", CHART, "--namespace", NAMESPACE];

async function startCluster() {
  const stack = new AsyncDisposableStack();
  const api = stack.use(await startTestApiServer({ kinds: CLUSTER_KINDS }));
  const home = stack.use(await temporaryFolder()).path;
  const { kubeconfigPath } = api.server;
  const env = { KUBECONFIG: kubeconfigPath, HOME: home };
  return {
    helm: (args: readonly string[], values?: object) => helmOk(args, { values, env }),
    tryHelm: (args: readonly string[], values?: object) => helm(args, { values, env }),
    kubectl: (...args: string[]) => kubectlOk(kubeconfigPath, args),
    isThere: async (...args: string[]) => (await kubectl(kubeconfigPath, ["get", ...args])).code === 0,
    async args(): Promise<string[]> {
      const path = "jsonpath={.spec.template.spec.containers[0].args}";
      return JSON.parse(await kubectlOk(kubeconfigPath, ["get", "deployment", "-n", NAMESPACE, NAME, "-o", path]));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const NAME = "cronjob-controller";
const PRODUCTION_CRD = ["crd", "cronjobs.cronjob-controller.dev"];
const TUTORIAL_CRD = ["crd", "cronjobs.batch.tutorial.kubebuilder.io"];

test("helm installs, upgrades, rolls back and uninstalls the chart, and CRDs stay with their CronJobs", async () => {
  await using cluster = await startCluster();
  await cluster.helm(["install", ...RELEASE, "--create-namespace"]);
  assertEquals(await cluster.args(), ["controller", "--leader-elect", "--log-format=json"]);
  assert(await cluster.isThere(...PRODUCTION_CRD));

  const apis = ["batch.tutorial.kubebuilder.io/v1", "cronjob-controller.dev/v1"];
  await cluster.helm(["upgrade", ...RELEASE], { apis, jobs: "managed", namespaces: ["default"] });
  assert(await cluster.isThere(...TUTORIAL_CRD));
  assert((await cluster.args()).includes("--jobs=managed"));
  assertEquals(await cluster.isThere("clusterrole", NAME), false, "a Role takes its place");
  assert(await cluster.isThere("role", "--namespace", "default", NAME));

  await cluster.helm(["rollback", "cronjobs", "1", "--namespace", NAMESPACE]);
  assertEquals((await cluster.args()).includes("--jobs=managed"), false);
  assert(await cluster.isThere("clusterrole", NAME));
  assertEquals(await cluster.isThere("role", "--namespace", "default", NAME), false);
  assert(await cluster.isThere(...TUTORIAL_CRD), "what was made with it is not to be lost");
  assertMatch(await cluster.helm(["history", "cronjobs", "--namespace", NAMESPACE]), /3\s.*deployed.*Rollback to 1/);

  await cluster.helm(["uninstall", "cronjobs", "--namespace", NAMESPACE]);
  assertEquals(await cluster.isThere("deployment", "--namespace", NAMESPACE, NAME), false);
  assert(await cluster.isThere(...PRODUCTION_CRD));
  // Comes back to what it left.
  await cluster.helm(["install", ...RELEASE]);
  assert(await cluster.isThere("deployment", "--namespace", NAMESPACE, NAME));
});

test("two releases have a cluster in common, each with namespaces of its own", async () => {
  await using cluster = await startCluster();
  for (const team of ["team-a", "team-b"]) await cluster.kubectl("create", "namespace", team);
  await cluster.helm(["install", ...RELEASE, "--create-namespace"], { namespaces: ["team-a"] });
  const other = ["others", CHART, "--namespace", "other", "--create-namespace"];
  await cluster.helm(["install", ...other], { namespaces: ["team-b"], crds: { install: false } });
  for (const namespace of [NAMESPACE, "team-a", "other", "team-b"]) {
    assert(await cluster.isThere("role", "--namespace", namespace, NAME), namespace);
  }
});

test("helm takes over what kubectl has applied, if a flag says so", async () => {
  await using cluster = await startCluster();
  await cluster.kubectl(
    "create",
    "-f",
    new URL("../../../deploy/crd", import.meta.url).pathname + "/cronjob-controller.dev_cronjobs.yaml",
  );
  const refused = await cluster.tryHelm(["install", ...RELEASE, "--create-namespace"]);
  assertMatch(refused.stderr, /cannot be imported into the current release/);
  await cluster.helm(["upgrade", "--install", ...RELEASE, "--create-namespace", "--take-ownership"]);
  assert(await cluster.isThere("deployment", "--namespace", NAMESPACE, NAME));
});

test("helm installs monitoring and a dashboard over TLS, and finds nothing to change afterwards", async () => {
  await using cluster = await startCluster();
  const values = {
    dashboard: { kind: "tls", secret: "dashboard" },
    monitoring: { serviceMonitor: true, prometheusRule: true, grafanaDashboard: true, labels: { release: "kps" } },
  };
  await cluster.helm(["install", ...RELEASE, "--create-namespace"], values);
  for (const object of ["servicemonitor", "prometheusrule"]) {
    assert(await cluster.isThere(object, "--namespace", NAMESPACE, NAME), object);
  }
  assert(await cluster.isThere("service", "--namespace", NAMESPACE, `${NAME}-dashboard`));
  const version = () =>
    cluster.kubectl("get", "deployment", "-n", NAMESPACE, NAME, "-o", "jsonpath={.metadata.generation}");
  const before = await version();
  await cluster.helm(["upgrade", ...RELEASE], values);
  assertEquals(await version(), before);
});
