import { requestId, whoAmI } from "../../actions/requester.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../base/clock.ts";
import { ConfigError } from "../errors.ts";
import type { ActOptions, Choice, Targets } from "../flags/choice.ts";
import { ClusterReader, selectionOf } from "./cluster_reader.ts";
import { type ClusterPlace, withCluster } from "./with_cluster.ts";

/**
 * Calls `act` with the CronJobs that are to be changed, in the order of their names. `command` is the command's name.
 *
 * @throws {Error} where a named CronJob isn't there, a name means several, or more than one would be followed
 */
export async function withChosen(
  choice: Targets & Partial<ActOptions>,
  command: string,
  act: (client: KubeClient, cronJobs: readonly CronJob[], place: ClusterPlace) => Promise<void>,
): Promise<void> {
  await withCluster(choice, command, async (client, place) => {
    const cronJobs = await chosenCronJobs(client, choice, place.namespace);
    if (choice.follow && cronJobs.length !== 1) {
      throw new ConfigError(`--follow needs one CronJob, and these are ${cronJobs.length}`);
    }
    if (cronJobs.length === 0) {
      console.error(`There are no such CronJobs${choice.allNamespaces ? "" : ` in namespace ${place.namespace}`}`);
    }
    await act(client, cronJobs, place);
  });
}

async function chosenCronJobs(client: KubeClient, choice: Choice, namespace: string): Promise<CronJob[]> {
  const found = await new ClusterReader(client, selectionOf(choice, namespace)).cronJobs();
  for (const name of choice.names) {
    const apis = found.flatMap(({ flavour, metadata }) => metadata.name === name ? flavour.apiVersion : []);
    if (apis.length > 1) throw new ConfigError(`${name} is there in ${apis.join(" and in ")}: say which with --api`);
  }
  return found.sort((a, b) => keyOf(a) < keyOf(b) ? -1 : 1);
}

/** A request for a change: its user, its time and its name. */
export async function requestBy(client: KubeClient, clock: Clock) {
  const by = await whoAmI(client);
  const now = clock.now();
  return { by, now, id: requestId("cli", now, by) };
}

function keyOf(cronJob: CronJob): string {
  return `${cronJob.metadata.namespace}/${cronJob.metadata.name}/${cronJob.flavour.apiVersion}`;
}
