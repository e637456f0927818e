import { NONROOT, PROGRAM_PATH } from "../../../deploy/image/root_entries.ts";
import { EVERY_SECOND } from "../../support/every_second.ts";
import { ServiceAccount } from "../../support/pod.ts";
import { kubectlOk, Standalone } from "../../support/program.ts";
import { Container } from "./container.ts";
import { type Deployed, deployedController } from "./deployment.ts";

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const CRD =
  new URL("../../../deploy/crd/tutorial/batch.tutorial.kubebuilder.io_cronjobs.yaml", import.meta.url).pathname;
/** The network is this machine's, where the default ports may be taken. */
const ANY_PORTS = ["--metrics-bind-address=127.0.0.1:0", "--health-probe-bind-address=127.0.0.1:0"];

/** An API server outside of all containers, with the CRD, a CronJob, and a service account for one Pod. */
export class PodCluster implements AsyncDisposable {
  readonly #folder: string;
  readonly #deployed: Deployed;
  #standalone: Standalone;
  #generation = 1;
  #account!: ServiceAccount;

  private constructor(folder: string, deployed: Deployed, standalone: Standalone) {
    this.#folder = folder;
    this.#deployed = deployed;
    this.#standalone = standalone;
  }

  static async start(folder: string): Promise<PodCluster> {
    const deployed = await deployedController();
    await writeTokens(folder, deployed, tokenOf(1));
    const cluster = new PodCluster(folder, deployed, await startServer(folder, "0"));
    await cluster.kubectl(["create", "namespace", deployed.namespace]);
    await cluster.kubectl(["apply", "--filename", "-"], JSON.stringify(EVERY_SECOND));
    cluster.#account = new ServiceAccount(`${folder}/serviceaccount`, Deno.uid() === 0 ? NONROOT : undefined);
    await cluster.#account.write(await cluster.#files());
    return cluster;
  }

  /** The service account's, as the server accepts it now. */
  get token(): string {
    return tokenOf(this.#generation);
  }

  kubectl(args: readonly string[], stdin?: string): Promise<string> {
    return kubectlOk(this.#standalone.kubeconfig, args, stdin);
  }

  /** How many there are. */
  async jobs(): Promise<number> {
    return (await this.kubectl(["get", "jobs", "--output", "name"])).split("\n").length - 1;
  }

  /** Who holds the lease. */
  leader(): Promise<string> {
    const path = "jsonpath={.items[*].spec.holderIdentity}";
    return this.kubectl(["get", "leases", "--namespace", this.#deployed.namespace, "--output", path]);
  }

  /** Runs the program of the root file system at `root` as a Pod of the Deployment would. */
  async runController(root: string): Promise<Container> {
    const { hostname, port } = new URL((await this.#connection()).server);
    const { args, env } = this.#deployed;
    return await Container.start({
      root,
      command: [PROGRAM_PATH, ...args, ...ANY_PORTS],
      env: { ...env, HOME: "/home/nonroot", KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
      mounts: { [SERVICE_ACCOUNT]: this.#account.path },
      hostname: "cronjob-controller-0",
    });
  }

  /** Gives the Pod another token, and has the server refuse the one from before: it starts anew at the same address. */
  async replaceToken(): Promise<void> {
    const { port } = new URL((await this.#connection()).server);
    await this.#standalone[Symbol.asyncDispose]();
    this.#generation++;
    await writeTokens(this.#folder, this.#deployed, this.token);
    this.#standalone = await startServer(this.#folder, port);
    await this.#account.write(await this.#files());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#standalone[Symbol.asyncDispose]();
  }

  async #files() {
    const { ca } = await this.#connection();
    return { token: this.token, caCertificate: ca, namespace: this.#deployed.namespace };
  }

  async #connection(): Promise<{ server: string; ca: string }> {
    const config = JSON.parse(await this.kubectl(["config", "view", "--raw", "--output", "json"]));
    const [{ cluster: { server, "certificate-authority-data": ca } }] = config.clusters;
    return { server, ca: atob(ca) };
  }
}

function tokenOf(generation: number): string {
  return `the-service-accounts-token-${generation}`;
}

async function writeTokens(folder: string, { namespace }: Deployed, token: string): Promise<void> {
  const user = `system:serviceaccount:${namespace}:cronjob-controller`;
  await Deno.writeTextFile(`${folder}/tokens`, `${token},${user},1,"system:masters"\n`);
}

function startServer(folder: string, port: string): Promise<Standalone> {
  const args = ["--controllers", "", "--port", port, "--token-file", `${folder}/tokens`, "--apply", CRD];
  return Standalone.start(`${folder}/data`, args);
}
