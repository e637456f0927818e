// The program's own image, loaded into podman and run as a Pod. Needs the compiled program, as `deno task test:image` does.
import { assertEquals, assertMatch } from "@std/assert";
import { JOBS, SECRETS } from "../../src/kube/resource.ts";
import { buildRootfs } from "../../deploy/rootfs.ts";
import { BINARY, FACTS } from "../image/support/binary.ts";
import { deployedController } from "../image/support/deployment.ts";
import { podOf } from "../kubelet/support/test_kubelet.ts";
import { EVERY_SECOND } from "../support/every_second.ts";
import { eventually, kubectlOk, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { containersIn, engine, logOf, startEngineKubelet } from "./support/engine.ts";

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const CRD = new URL("../../deploy/crd/tutorial/batch.tutorial.kubebuilder.io_cronjobs.yaml", import.meta.url).pathname;

/** As the Deployment has it. */
const securityContext = {
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
};

async function loadImage(): Promise<string> {
  await using folder = await temporaryFolder();
  const archive = `${folder.path}/image.tar`;
  await buildRootfs({ binary: BINARY, root: `${folder.path}/root`, image: { archive, facts: FACTS } });
  const loaded = await engine("load", "--quiet", "--input", archive);
  return loaded.replace(/^Loaded image(\(s\))?: /, "").replace(/,[\s\S]*/, "");
}

test("the program's own image runs read-only and without capabilities, with a ServiceAccount's folder", async () => {
  const image = await loadImage();
  await using kubelet = await startEngineKubelet({ stopGraceMs: 5_000 }, { network: "host" });
  const { server } = kubelet.api;
  await kubelet.create(podOf("version", { image, args: ["version"], securityContext }));
  assertEquals((await kubelet.finished("version")).status?.phase, "Succeeded");
  assertMatch(await logOf(kubelet, "version"), /^cronjob-controller \d+\.\d+\.\d+(-dev)? /);

  await kubectlOk(server.kubeconfigPath, ["apply", "--filename", CRD]);
  await kubectlOk(server.kubeconfigPath, ["apply", "--filename", "-"], JSON.stringify(EVERY_SECOND));
  const { args, env: deployedEnv, namespace } = await deployedController();
  const files = { token: server.token, "ca.crt": server.caCertificate, namespace };
  await kubelet.client.create(SECRETS, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "account", namespace: "default" },
    data: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, btoa(text)])),
  });
  await kubectlOk(server.kubeconfigPath, ["create", "namespace", namespace]);
  const { hostname, port } = new URL(server.url);
  const env = { ...deployedEnv, KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  await kubelet.create(podOf("controller", {
    image,
    // The network is this machine's, where the default ports may be taken.
    args: [...args, "--metrics-bind-address=127.0.0.1:0", "--health-probe-bind-address=127.0.0.1:0"],
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    securityContext,
    volumeMounts: [{ name: "account", mountPath: SERVICE_ACCOUNT, readOnly: true }],
  }, { volumes: [{ name: "account", secret: { secretName: "account" } }] }));
  await eventually("the first Job", async () => (await kubelet.client.list(JOBS)).items.length > 0);
  await kubectlOk(server.kubeconfigPath, ["delete", "pod", "controller", "--timeout=120s"]);
  await eventually("no container", async () => (await containersIn(kubelet.dataDir)).length === 0);
  await engine("rmi", image);
});
