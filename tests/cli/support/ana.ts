import type { ResourceRequest } from "../../../src/apiserver/http/resource_request.ts";
import { must } from "../../support/expected.ts";
import type { Printed } from "./run_command.ts";
import type { SeededCluster, SeededCronJob } from "./seeded_cluster.ts";
import { type AddCommand, People, resourceOf } from "./user.ts";

interface Read {
  /** `pods.`, `pods./log`, `cronjobs.batch` */
  readonly resource: string;
  readonly verb: string;
}

const NAMES: readonly string[] = Array.from({ length: 100 }, (_, i) => `ana-${i}`);

/** Runs commands as Ana, who may read some resources of one namespace. */
export class Ana implements AsyncDisposable {
  /** What she may read in her namespace. */
  may: (request: Read) => boolean;
  readonly #people: People;
  #turn = 0;

  private constructor(people: People, may: Ana["may"]) {
    this.#people = people;
    this.may = may;
  }

  static async start(
    namespace: string,
    resources: readonly string[],
    cronJobs: readonly SeededCronJob[],
  ): Promise<Ana> {
    const mayAsk = (request: ResourceRequest) => {
      const isRead = request.namespace === namespace && ["get", "list", "watch"].includes(request.verb);
      return isRead && ana.may({ resource: resourceOf(request), verb: request.verb });
    };
    const people = await People.start("10:20", cronJobs, Object.fromEntries(NAMES.map((name) => [name, mayAsk])));
    const ana = new Ana(people, ({ resource }) => resources.includes(resource));
    return ana;
  }

  get cluster(): SeededCluster {
    return this.#people.cluster;
  }

  /** The requests that she was refused. */
  get forbidden(): string[] {
    const mine = `${this.#name} `;
    return this.#people.forbidden.filter((what) => what.startsWith(mine)).map((what) => what.slice(mine.length));
  }

  get #name(): string {
    return must(NAMES[this.#turn]);
  }

  /**
   * From now on only what is refused to later commands is counted: she goes by another name, as what an earlier command sent
   * at its end may come late.
   */
  forget(): void {
    this.#turn++;
  }

  async run(add: AddCommand, ...args: string[]): Promise<string> {
    return (await this.runAll(add, ...args)).stdout;
  }

  runAll(add: AddCommand, ...args: string[]): Promise<Printed> {
    return this.#people.run(this.#name, add, ...args);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#people[Symbol.asyncDispose]();
  }
}
