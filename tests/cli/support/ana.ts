import { must } from "../../support/expected.ts";
import type { Printed } from "./run_command.ts";
import type { SeededCronJob } from "./seeded_cluster.ts";
import { type AddCommand, People, resourceOf } from "./user.ts";

interface Read {
  /** `pods.`, `pods./log`, `cronjobs.batch` */
  readonly resource: string;
  readonly verb: string;
}

const NAMES: readonly string[] = Array.from({ length: 100 }, (_, i) => `ana-${i}`);

/** Starts a cluster, and has Ana run commands, who may read some resources of one namespace. */
export async function startAna(
  namespace: string,
  resources: readonly string[],
  cronJobs: readonly SeededCronJob[],
) {
  let turn = 0;
  const mayAsk: Parameters<typeof People.start>[2][string] = (request) => {
    const isRead = request.namespace === namespace && ["get", "list", "watch"].includes(request.verb);
    return isRead && ana.may({ resource: resourceOf(request), verb: request.verb });
  };
  const people = await People.start("10:20", cronJobs, Object.fromEntries(NAMES.map((name) => [name, mayAsk])));
  const runAll = (add: AddCommand, ...args: string[]): Promise<Printed> => people.run(must(NAMES[turn]), add, ...args);
  const ana = {
    cluster: people.cluster,
    /** What she may read in her namespace. */
    may: ({ resource }: Read) => resources.includes(resource),
    /** The requests that she was refused. */
    get forbidden(): string[] {
      const mine = `${NAMES[turn]} `;
      return people.forbidden.filter((what) => what.startsWith(mine)).map((what) => what.slice(mine.length));
    },
    /**
     * From now on only refusals of later commands are counted: she goes by another name, as a request that an earlier
     * command sent at its end may come late.
     */
    forget: () => void turn++,
    runAll,
    run: async (...parameters: Parameters<typeof runAll>) => (await runAll(...parameters)).stdout,
    [Symbol.asyncDispose]: () => people[Symbol.asyncDispose](),
  };
  return ana;
}

export type Ana = Awaited<ReturnType<typeof startAna>>;
