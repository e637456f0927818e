import type { Command } from "commander";
import type { ResourceRequest } from "../../../src/apiserver/http/resource_request.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { must } from "../../support/expected.ts";
import { temporaryFolder } from "../../support/program.ts";
import { type Printed, runCommand } from "./run_command.ts";
import { SeededCluster, type SeededCronJob } from "./seeded_cluster.ts";

type Folder = Awaited<ReturnType<typeof temporaryFolder>>;

interface Read {
  /** `pods.`, `pods./log`, `cronjobs.batch` */
  readonly resource: string;
  readonly verb: string;
}

const NAMES: readonly string[] = Array.from({ length: 100 }, (_, i) => `ana-${i}`);

/** Runs commands as Ana, who may read some resources of one namespace. */
export class Ana implements AsyncDisposable {
  /** What she was refused. */
  readonly forbidden: string[];
  readonly cluster: SeededCluster;
  /** What she may read in her namespace. */
  may: (request: Read) => boolean;
  readonly #folder: Folder;
  #turn = -1;

  private constructor(cluster: SeededCluster, folder: Folder, forbidden: string[], may: Ana["may"]) {
    this.may = may;
    this.cluster = cluster;
    this.#folder = folder;
    this.forbidden = forbidden;
  }

  static async start(
    namespace: string,
    resources: readonly string[],
    cronJobs: readonly SeededCronJob[],
  ): Promise<Ana> {
    const forbidden: string[] = [];
    const folder = await temporaryFolder();
    const tokenFile = `${folder.path}/tokens`;
    await Deno.writeTextFile(tokenFile, NAMES.map((name) => `token-of-${name},${name},${name}\n`).join(""));
    const mayAlso = ({ name }: { name: string }, request: ResourceRequest) => {
      const { verb, plural, group, subresource } = request;
      const resource = `${plural}.${group}${subresource ? `/${subresource}` : ""}`;
      const isRead = request.namespace === namespace && ["get", "list", "watch"].includes(verb);
      const may = isRead && ana.may({ resource, verb });
      // What an earlier command sent at its end may come late.
      if (!may && name === ana.#name) forbidden.push(`${verb} ${resource} in ${request.namespace ?? "all"}`);
      return may;
    };
    const cluster = await SeededCluster.start("10:20", cronJobs, { tokenFile, mayAlso });
    const ana = new Ana(cluster, folder, forbidden, ({ resource }) => resources.includes(resource));
    await ana.forget();
    return ana;
  }

  get #name(): string {
    return must(NAMES[this.#turn]);
  }

  /** From now on only what is refused to later commands is counted: she goes by another name. */
  async forget(): Promise<void> {
    this.#turn++;
    this.forbidden.length = 0;
    const config = await Deno.readTextFile(this.cluster.kubeconfig);
    const token = `token-of-${this.#name}`;
    await Deno.writeTextFile(this.#kubeconfig, config.replace(this.cluster.api.server.token, token));
  }

  get #kubeconfig(): string {
    return `${this.#folder.path}/kubeconfig`;
  }

  async run(add: (program: Command, clock: Clock) => void, ...args: string[]): Promise<string> {
    return (await this.runAll(add, ...args)).stdout;
  }

  async runAll(add: (program: Command, clock: Clock) => void, ...args: string[]): Promise<Printed> {
    return await runCommand(
      (program) => add(program, this.cluster.clock),
      ...args,
      "--kubeconfig",
      this.#kubeconfig,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }
}
