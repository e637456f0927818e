import type { Deployment } from "kubernetes-types/apps/v1";
import { parseAllDocuments } from "yaml";
import { JobController } from "../../../src/job/controller.ts";
import type { HttpKubeClient } from "../../../src/kube/http_client.ts";
import type { Stored } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { Kubelet } from "../../../src/kubelet/kubelet.ts";
import { SystemClock } from "../../../src/base/clock.ts";
import { NAME, NAMESPACE } from "../../../src/manifests/install.ts";
import type { KubeManifest } from "../../../src/manifests/objects.ts";
import { EventRecorder } from "../../../src/runtime/event_recorder.ts";
import { Manager } from "../../../src/runtime/manager.ts";
import { CLUSTER_KINDS } from "../../manifests/support/cluster_kinds.ts";
import { CONTROLLER } from "../../manifests/support/installed.ts";
import { Permissions } from "../../manifests/support/rbac.ts";
import { startTestApiServer, type TestApiServer } from "../../support/api_server.ts";
import { must } from "../../support/expected.ts";
import { followJobs } from "../../support/follow_jobs.ts";
import { ownPort } from "../../support/own_port.ts";
import { ServiceAccount } from "../../support/pod.ts";
import { eventually, RunningProgram, temporaryFolder } from "../../support/program.ts";
import { repeating } from "../../support/repeating.ts";
import { UpstreamCronJobController } from "../../support/upstream_cronjob_controller.ts";

const DEPLOYMENTS: Resource<Stored<Deployment>> = {
  group: "apps",
  version: "v1",
  plural: "deployments",
  kind: "Deployment",
  namespaced: true,
};
const TOKEN = "token-of-the-service-account";

/**
 * A cluster with what kube-controller-manager and a kubelet do there: CronJobs and Jobs run, as processes, and so do the
 * Deployment's Pods, from the one program that stands for every image. Its service account may do what the roles say.
 */
export class SmallCluster implements AsyncDisposable {
  readonly client: HttpKubeClient;
  readonly kubeconfig: string;
  readonly upstream: UpstreamCronJobController;
  readonly #stack: AsyncDisposableStack;

  private constructor(api: TestApiServer, upstream: UpstreamCronJobController, stack: AsyncDisposableStack) {
    this.client = api.client;
    this.kubeconfig = api.server.kubeconfigPath;
    this.upstream = upstream;
    this.#stack = stack;
  }

  /** @param manifest the file whose roles count once it is applied */
  static async start({ program, manifest }: { program: string; manifest: string }): Promise<SmallCluster> {
    await using stack = new AsyncDisposableStack();
    const folder =
      stack.use(await temporaryFolder({ tokens: `${TOKEN},${CONTROLLER},1,"system:serviceaccounts"\n` })).path;
    const objects = parseAllDocuments(await Deno.readTextFile(manifest)).map((each) => each.toJS() as KubeManifest);
    const permissions = new Permissions(objects);
    const api = stack.use(
      await startTestApiServer({
        kinds: CLUSTER_KINDS,
        controllers: ["gc"],
        tokenFile: `${folder}/tokens`,
        mayAlso: ({ name }, request) => permissions.allowing(name, request).length > 0,
      }),
    );
    const { client, dataDir } = api;
    const clock = new SystemClock();
    const recorder = new EventRecorder({ client, clock, component: "job-controller" });
    const manager = new Manager({ clock })
      .add(recorder)
      .add(new Kubelet({ client, clock, dataDir, recorder, nodeName: "node" }))
      .add(new JobController({ client, clock, jobs: followJobs({ client, clock }), recorder, mode: "all" }));
    const end = new AbortController();
    const running = manager.run(end.signal);
    stack.defer(async () => {
      end.abort();
      await running;
    });
    const upstream = new UpstreamCronJobController(client, Date.now);
    stack.use(repeating(() => upstream.sync(), 200));

    const account = new ServiceAccount(`${folder}/account`);
    await account.write({ token: TOKEN, caCertificate: api.server.caCertificate, namespace: NAMESPACE });
    const pods = stack.use(new AsyncDisposableStack());
    const start: StartPod = (args, ownEnv) => {
      const { command, env } = account.inPod([program, ...args], api.server.url);
      pods.use(new RunningProgram(command, { env: { ...env, ...ownEnv } }));
    };
    stack.use(runDeployment(client, start));
    return new SmallCluster(api, upstream, stack.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

type StartPod = (args: readonly string[], env: Readonly<Record<string, string>>) => void;

/** Starts the Deployment's Pods once it is there, and says in its status when all of them are ready. */
function runDeployment(client: HttpKubeClient, start: StartPod): AsyncDisposable {
  let isStarted = false;
  return repeating(async () => {
    const { items: [deployment] } = await client.list(DEPLOYMENTS, { namespace: NAMESPACE });
    if (isStarted || deployment === undefined) return;
    isStarted = true;
    const { replicas = 1, template } = must(deployment.spec);
    const { args = [], env = [] } = must(template.spec!.containers[0]);
    const variables = Object.fromEntries(env.map(({ name, value = "" }) => [name, value]));
    await Promise.all(Array.from({ length: replicas }, async () => {
      // All Pods share this machine's ports.
      const health = `127.0.0.1:${ownPort()}`;
      start([...args, "--health-probe-bind-address", health, "--metrics-bind-address", "0"], variables);
      await eventually("a replica is ready", () => fetch(`http://${health}/readyz`).then(isOk, () => false));
    }));
    const status = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
    const observedGeneration = must(deployment.metadata.generation) + 1;
    await client.patch(DEPLOYMENTS, { namespace: NAMESPACE, name: NAME }, {
      type: "merge",
      body: { status: { ...status, observedGeneration } },
    });
  }, 100);
}

async function isOk(response: Response): Promise<boolean> {
  await response.body?.cancel();
  return response.ok;
}
