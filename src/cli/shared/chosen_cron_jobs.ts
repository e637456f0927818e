import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { KubeClient } from "../../kube/client.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { ConfigError } from "../errors.ts";
import type { ChooseOptions } from "./choose_options.ts";
import { ClusterReader, noSuchCronJobs } from "./cluster_reader.ts";

type Choice = Pick<ChooseOptions, "names" | "allNamespaces" | "selector" | "api">;

/**
 * Reads the CronJobs that are meant, in the order of their names.
 *
 * @throws {Error} where one that is named isn't there, or a name means several
 */
export async function chosenCronJobs(
  client: KubeClient,
  { names, allNamespaces, selector, api }: Choice,
  namespace: string,
): Promise<CronJob[]> {
  const reader = new ClusterReader(client, {
    namespace: allNamespaces ? undefined : namespace,
    names,
    labelSelector: selector,
    apis: api,
  });
  const found = await reader.cronJobs();
  const missing = names.filter((name) => !found.some(({ metadata }) => metadata.name === name));
  if (missing.length > 0) throw noSuchCronJobs(missing, namespace);
  for (const name of names) {
    const apis = found.filter(({ metadata }) => metadata.name === name).map(apiVersion);
    if (apis.length > 1) throw new ConfigError(`${name} is there in ${apis.join(" and in ")}: say which with --api`);
  }
  return found.sort((a, b) => keyOf(a) < keyOf(b) ? -1 : 1);
}

function apiVersion({ flavour }: CronJob): string {
  return apiVersionOf(flavour.resource);
}

function keyOf(cronJob: CronJob): string {
  return `${cronJob.metadata.namespace}/${cronJob.metadata.name}/${apiVersion(cronJob)}`;
}
