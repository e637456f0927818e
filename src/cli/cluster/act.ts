import type { CronJobAction, Outcome } from "../../actions/action.ts";
import { carryOut } from "../../actions/carry_out.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { ActOptions } from "../flags/choice.ts";
import { complain } from "../print/complain.ts";
import { countsText } from "../print/counted.ts";
import { jsonText } from "../flags/output.ts";
import { printable } from "../../telemetry/printable.ts";
import { ProgressLine } from "../print/progress.ts";

/** From so many on it takes long enough to say how far it is. */
const MANY = 20;

/**
 * Carries an action out, and prints what becomes of it. The exit code is 1 if it failed for a CronJob, or a CronJob that
 * was named, or is to be followed, is left as it is.
 */
export async function act(
  client: KubeClient,
  cronJobs: readonly CronJob[],
  action: CronJobAction,
  options: ActOptions,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  using progress = new ProgressLine();
  for await (const outcome of carryOut(client, cronJobs, action, options)) {
    outcomes.push(outcome);
    progress.clear();
    if (options.output === "text") print(outcome, options);
    if (cronJobs.length > MANY) progress.show(`${outcomes.length} of ${cronJobs.length}`);
  }
  if (options.output === "json") console.log(jsonText(outcomes.map((one) => jsonOf(one, options))));
  else if (outcomes.length > 1) console.log(summaryOf(outcomes));
  const isMeant = options.names.length > 0 || options.follow;
  if (
    (isMeant && outcomes.some(({ result }) => result === "left")) || outcomes.some(({ result }) => result === "failed")
  ) Deno.exitCode = 1;
  return outcomes;
}

function print({ cronJob, result, message, job }: Outcome, { allNamespaces, dryRun }: ActOptions): void {
  const { namespace, name } = cronJob.metadata;
  const who = allNamespaces ? `${namespace}/${name}` : name;
  if (result === "failed") return complain(`${who}: ${message}`);
  const what = job === undefined ? message : `${message}: ${job}`;
  console.log(`${who} ${printable(what)}${dryRun && result === "done" ? " (dry run)" : ""}`);
}

const RESULTS: readonly (readonly [Outcome["result"], string])[] = [
  ["done", "done"],
  ["unchanged", "as it was asked for already"],
  ["left", "left as they are"],
  ["failed", "failed"],
];

function summaryOf(outcomes: readonly Outcome[]): string {
  const counts = RESULTS.map(([result, words]) =>
    [outcomes.filter((one) => one.result === result).length, words] as const
  );
  return `${outcomes.length} CronJobs: ${countsText(counts)}`;
}

function jsonOf({ cronJob: { flavour, metadata }, ...outcome }: Outcome, { dryRun }: ActOptions) {
  const { namespace, name } = metadata;
  return { apiVersion: flavour.apiVersion, namespace, name, ...outcome, ...(dryRun && { dryRun }) };
}
