import type { Command } from "commander";
import type { ResourceRequest } from "../../../src/apiserver/http/resource_request.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { temporaryFolder } from "../../support/program.ts";
import { type Printed, runCommand } from "./run_command.ts";
import { SeededCluster, type SeededCronJob } from "./seeded_cluster.ts";

export type AddCommand = (program: Command, clock: Clock) => void;

/** A cluster, and people who run commands against it with rights of their own. */
export class People implements AsyncDisposable {
  /** What was refused, such as `ben patch cronjobs.batch in team-a`. */
  readonly forbidden: string[] = [];
  readonly #folder: Awaited<ReturnType<typeof temporaryFolder>>;
  cluster!: SeededCluster;

  private constructor(folder: Awaited<ReturnType<typeof temporaryFolder>>) {
    this.#folder = folder;
  }

  /** @param may by name: what they may do */
  static async start(
    now: string,
    cronJobs: readonly SeededCronJob[],
    may: Record<string, (request: ResourceRequest) => boolean>,
  ): Promise<People> {
    const folder = await temporaryFolder();
    const people = new People(folder);
    const tokenFile = `${folder.path}/tokens`;
    await Deno.writeTextFile(tokenFile, Object.keys(may).map((name) => `token-of-${name},${name},${name}\n`).join(""));
    people.cluster = await SeededCluster.start(now, cronJobs, {
      tokenFile,
      mayAlso: ({ name }, request) => {
        const allowed = may[name]?.(request) ?? false;
        const { verb, namespace = "all" } = request;
        if (!allowed) people.forbidden.push(`${name} ${verb} ${resourceOf(request)} in ${namespace}`);
        return allowed;
      },
    });
    return people;
  }

  /** What a command prints to a user; of one that fails, the error as its last line. */
  async run(name: string, add: AddCommand, ...args: string[]): Promise<Printed> {
    const kubeconfig = `${this.#folder.path}/${name}`;
    // At once: what is printed is taken from the call on.
    const config = Deno.readTextFileSync(this.cluster.kubeconfig);
    Deno.writeTextFileSync(kubeconfig, config.replace(this.cluster.api.server.token, `token-of-${name}`));
    return await runCommand((program) => add(program, this.cluster.clock), ...args, "--kubeconfig", kubeconfig);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** Returns `pods.`, `pods./log` or `cronjobs.batch`. */
export function resourceOf({ plural, group, subresource }: ResourceRequest): string {
  return `${plural}.${group}${subresource ? `/${subresource}` : ""}`;
}
