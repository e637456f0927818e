import { apiVersionOf } from "../../kube/resource.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { RunView, RunViewOutcome } from "../../view/cron_job_view.ts";
import { runJson } from "../../view/json.ts";
import { lookAt, lookBack, type ViewInput } from "../../view/look.ts";
import { runHistory } from "../../view/run_history.ts";
import { timeOf } from "../../view/runs.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import type { ConnectionOptions } from "../shared/connection_options.ts";
import { keptRunsOf } from "../shared/kept_history.ts";
import { readPeopleTime } from "../shared/people_time.ts";
import { readNamedCronJobs } from "../shared/read_cron_jobs.ts";
import { standardOutput } from "../shared/terminal.ts";
import { withCluster } from "../shared/with_cluster.ts";
import { formatHistory } from "./format.ts";

/** What the command line of `history` says. */
export interface HistoryOptions extends ConnectionOptions {
  name: string;
  namespace?: string;
  last: number;
  failed: boolean;
  since?: string;
  output: "table" | "json";
}

/** Prints the last runs of a CronJob, those included that only the archive of `standalone` remembers. */
export async function runHistoryCommand(options: HistoryOptions, clock: Clock): Promise<void> {
  await withCluster(options, "history", async (client, place) => {
    const name = { namespace: place.namespace, name: options.name };
    const controllers = await place.controllers(clock);
    const [inputs, kept] = await Promise.all([
      readNamedCronJobs(client, name, { now: clock.now(), controllers }),
      keptRunsOf(client, place, options.name),
    ]);
    const known = inputs.map((input) => historyOf({ ...input, kept }, options));
    if (options.output === "json") {
      const runs = known.flatMap(({ input: { cronJob }, runs }) => {
        // Said only where it distinguishes something.
        const whose = inputs.length > 1 ? { apiVersion: apiVersionOf(cronJob.flavour.resource) } : {};
        return runs.map((run) => ({ ...whose, ...runJson(run) }));
      });
      return console.log(JSON.stringify(runs, null, 2));
    }
    const terminal = standardOutput();
    for (const { runs, ...about } of known) {
      const { metadata: { name }, flavour } = about.input.cronJob;
      if (inputs.length > 1) console.log(`${name} (${apiVersionOf(flavour.resource)})`);
      console.log(formatHistory(runs, { ...about, terminal }));
    }
  });
}

const FAILED: readonly RunViewOutcome[] = ["Failed", "Skipped", "Missed"];

function historyOf(input: ViewInput, { since, failed, last }: HistoryOptions) {
  const zone = zoneOf(input.cronJob);
  const from = since === undefined
    ? -Infinity
    : readPeopleTime(since, "--since", { now: input.now, zone, towards: "past" }).at;
  const known = runHistory(lookBack(lookAt(input)));
  const isWanted = (run: RunView) => timeOf(run) >= from && (!failed || FAILED.includes(run.outcome));
  return { input, zone, known, runs: known.filter(isWanted).slice(0, last) };
}
