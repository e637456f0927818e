import { FLAVOURS } from "../../../../src/cronjob/api/flavour.ts";
import type { KubeObject } from "../../../../src/kube/object.ts";
import { runCommand } from "../../../cli/support/run_command.ts";
import { temporaryFolder } from "../../../support/program.ts";
import type { Cluster } from "./cluster.ts";
import { kubeconfig } from "../../../support/kubeconfig.ts";
import { serve } from "../../../support/serve.ts";

type AddCommand = Parameters<typeof runCommand>[0];
type AddWithClock = (program: Parameters<AddCommand>[0], clock: Cluster["clock"]) => void;

/** Answers commands over HTTP out of whichever world is asked about. */
export class AskedCluster implements AsyncDisposable {
  readonly #server = serve((request) => this.#answer(request));
  #cluster!: Cluster;

  private constructor(readonly folder: Awaited<ReturnType<typeof temporaryFolder>>) {
    const config = kubeconfig({ cluster: { server: this.#server.url }, user: {} });
    Deno.writeTextFileSync(this.path("kubeconfig"), config);
  }

  static async start(): Promise<AskedCluster> {
    return new AskedCluster(await temporaryFolder());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
  }

  /** A file of this name that is gone with the cluster. */
  path(name: string): string {
    return `${this.folder.path}/${name}`;
  }

  /** Answers out of this world from now on. */
  show(cluster: Cluster): void {
    this.#cluster = cluster;
  }

  /** Runs a command as people do, at the world's time. */
  async run(cluster: Cluster, add: AddWithClock, ...args: string[]): Promise<string> {
    return await this.runAlone(cluster, add, ...args, "--kubeconfig", this.path("kubeconfig"));
  }

  /** Runs a command that needs no cluster. */
  async runAlone(cluster: Cluster, add: AddWithClock, ...args: string[]): Promise<string> {
    this.show(cluster);
    const { stdout } = await runCommand((program) => add(program, cluster.clock), ...args);
    return stdout;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    // Nothing changes while someone asks.
    if (searchParams.has("watch")) return new Response(new ReadableStream());
    if (request.method === "PATCH") return this.#patch(pathname, await request.json(), searchParams);
    // Ana is who asks, and may all.
    if (request.method === "POST") {
      return Response.json({ ...await request.json(), status: { allowed: true, userInfo: { username: "ana" } } });
    }
    const found = this.#find(pathname, searchParams);
    return found === undefined
      ? Response.json({ kind: "Status", status: "Failure", reason: "NotFound", code: 404, message: "not found" }, {
        status: 404,
      })
      : Response.json(found);
  }

  #find(path: string, query: URLSearchParams): object | undefined {
    const { isEmbedded } = this.#cluster;
    if (path === "/version") return { gitVersion: "v1.36.2", gitCommit: isEmbedded ? "cronjob-controller" : "bdc0b4e" };
    if (FLAVOURS.some(({ apiVersion }) => path === `/apis/${apiVersion}`)) {
      return { kind: "APIResourceList", resources: [{ name: "cronjobs" }] };
    }
    if (path === "/history/runs") return { runs: [] };
    const [, apiVersion, namespace, plural, name] =
      /^\/apis?\/((?:[^/]+\/)?v1)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (plural === undefined) return undefined;
    const all = this.#objects(apiVersion!, plural).filter(({ metadata }) =>
      metadata.namespace === (namespace ?? metadata.namespace)
    );
    if (name !== undefined) return all.find(({ metadata }) => metadata.name === name);
    const items = all.filter((object) => isSelected(object, query.get("fieldSelector")));
    return { apiVersion, kind: `${KINDS[plural]}List`, metadata: { resourceVersion: "1" }, items };
  }

  #objects(apiVersion: string, plural: string): KubeObject[] {
    const { server, flavour, events, leases } = this.#cluster;
    switch (plural) {
      case "cronjobs":
        return apiVersion === flavour.apiVersion ? [...server.cronJobs.values()] : [];
      case "jobs":
        return [...server.jobs.values()];
      case "events":
        return events;
      case "leases":
        return leases;
      default:
        return [];
    }
  }

  #patch(path: string, body: { metadata?: object; spec?: object }, query: URLSearchParams): Response {
    if (!path.endsWith("/cronjobs/c")) throw new Error(`Unexpected PATCH ${path}`);
    const { annotations } = (body.metadata ?? {}) as { annotations?: Record<string, string | null> };
    this.#cluster.edit(query.get("fieldManager") ?? "unknown", {
      annotations,
      spec: body.spec as Record<string, unknown>,
    });
    return Response.json(this.#cluster.cronJob);
  }
}

const KINDS: Readonly<Record<string, string>> = {
  cronjobs: "CronJob",
  jobs: "Job",
  events: "Event",
  leases: "Lease",
  pods: "Pod",
};

/** `status.successful=0`, `metadata.name=c`, `involvedObject.kind=CronJob,type=Warning` */
function isSelected(object: KubeObject, selector: string | null): boolean {
  return (selector ?? "").split(",").filter((text) => text !== "").every((text) => {
    const [path, negation, value] = text.split(/(!?)=/);
    const isEqual = String(valueAt(object, path!.split(".")) ?? (path === "status.successful" ? 0 : "")) === value;
    return negation === "!" ? !isEqual : isEqual;
  });
}

function valueAt(object: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return object;
  return valueAt((object as Record<string, unknown> | undefined)?.[name === "successful" ? "succeeded" : name], rest);
}
