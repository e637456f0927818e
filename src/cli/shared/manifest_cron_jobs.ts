import { cronJobsIn, unknownApi } from "../../manifest_files/cron_job.ts";
import { nameOf } from "../../manifest_files/parse.ts";
import { readManifests } from "../../manifest_files/read.ts";
import { ConfigError } from "../errors.ts";

/**
 * Reads the CronJobs of files and folders in their order, of one namespace or of one name if these are given. Unless all could be
 * read (`isWhole`), each fault has been printed on stderr, with its place.
 *
 * @throws {ConfigError} where there is none, or none of the given name
 */
export async function readManifestCronJobs(
  paths: readonly string[],
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string } = {},
) {
  const { manifests, faults } = await readManifests(paths, { recursive: true, mentions: "CronJob" });
  const complaints = [
    ...faults.map(({ source, line, reason }) => `${source}:${line}: Cannot read the manifest: ${reason}`),
    ...manifests.flatMap((manifest) => {
      const problem = unknownApi(manifest);
      if (problem === undefined) return [];
      const { object, source, position } = manifest;
      return [`${source}:${position("apiVersion").line}: CronJob ${nameOf(object.metadata)}: ${problem}`];
    }),
  ];
  const cronJobs = cronJobsIn(manifests).filter(({ key, object }) =>
    (namespace === undefined || key.startsWith(`${namespace}/`)) &&
    (name === undefined || object.metadata?.name === name)
  );
  if (cronJobs.length === 0 && (name !== undefined || complaints.length === 0)) {
    const which = `${name === undefined ? "" : ` ${name}`}${
      namespace === undefined ? "" : ` of namespace ${namespace}`
    }`;
    throw new ConfigError(complaints[0] ?? `There is no CronJob${which} in ${paths.join(", ")}`);
  }
  for (const complaint of complaints) console.error(complaint);
  return { cronJobs, isWhole: complaints.length === 0 };
}
