import { importCrontabs, type ImportOptions } from "../../crontab/import_crontab.ts";
import { BATCH, type Flavour, FLAVOURS, PRODUCTION } from "../../cronjob/api/flavour.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { timeZone } from "../../schedule/time_zone.ts";
import { ConfigError } from "../errors.ts";
import { workstation } from "../shared/crontabs.ts";
import { IMPORT_FORMATS, messagesOf } from "./format.ts";
import type { ImportFlags } from "./options.ts";
import { readSources } from "./sources.ts";

/** Prints the CronJobs that take the place of crontabs; whether all was understood is in the exit code. */
export async function runImportCrontab(files: readonly string[], flags: ImportFlags, now: EpochMs): Promise<void> {
  const options: ImportOptions = {
    api: apiOf(flags),
    namespace: flags.namespace,
    host: flags.host,
    place: flags.image === undefined ? await workstation() : { kind: "cluster", image: flags.image },
    timeZone: timeZone(flags.timeZone ?? "Local").name,
    now,
  };
  const lines = importCrontabs(await readSources(files, flags.system), options);
  if (!lines.some(({ kind }) => kind === "imported" || kind === "notUnderstood")) {
    throw new ConfigError("There is no entry in the crontab");
  }
  console.log(IMPORT_FORMATS[flags.output](lines));
  for (const message of messagesOf(lines)) console.error(message);
  if (lines.some(({ kind }) => kind === "notUnderstood")) Deno.exitCode = 1;
}

/** A cluster has Kubernetes' own for sure; only the CRDs know cron's rule for clock changes. */
function apiOf({ api, image }: ImportFlags): Flavour {
  return FLAVOURS.find(({ apiVersion }) => apiVersion === api) ?? (image === undefined ? PRODUCTION : BATCH);
}
