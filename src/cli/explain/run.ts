import type { KubeClient } from "../../kube/client.ts";
import { createdCronJob } from "../../manifest_files/cron_job.ts";
import type { Clock } from "../../base/clock.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { runsAbout, scheduleOfLook } from "../../view/explain/asked_time.ts";
import { explain, lookFor, type Question, runAskedFor } from "../../view/explain/explain.ts";
import { type Explanation, isBad } from "../../view/explain/explanation.ts";
import { lookAt, type ViewInput } from "../../view/look.ts";
import { nextRunOf } from "../../view/next_run.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import { ConfigError } from "../errors.ts";
import { asRun, type Controllers, controllersBy } from "../../view/runner.ts";
import { leaseFor } from "../cluster/lease_holder.ts";
import { readManifestCronJobs } from "../shared/manifest_cron_jobs.ts";
import { jsonText } from "../flags/output.ts";
import { type PeopleTimeOptions, readPeopleTime } from "../shared/people_time.ts";
import { readNamed } from "../cluster/read_cron_jobs.ts";
import { withCluster } from "../cluster/with_cluster.ts";
import { explanationJson, formatExplanation } from "./format.ts";
import { lastLinesOfRun } from "../cluster/last_lines.ts";
import type { ExplainOptions } from "./options.ts";

/** Prints why a CronJob did or did not run; with `exitCode`, the answer is in the exit code too. */
export async function runExplain(options: ExplainOptions, clock: Clock): Promise<void> {
  if (options.filename !== undefined) return print([await explainFile(options, clock)], options, clock);
  await withCluster(options, "explain", async (client, place) => {
    const controllers = await place.controllers(clock);
    const asked = (input: ViewInput) => runsAbout(questionOf(input, options));
    const reading = { now: clock.now(), controllers, readsPods: true, asked };
    const inputs = await readNamed(client, place, options.name, reading);
    const there = inputs.filter(({ isGone }) => !isGone);
    const isAboutRun = options.at !== undefined || options.job !== undefined;
    const explanations: Explanation[] = [];
    for (const input of isAboutRun || there.length === 0 ? inputs : there) {
      const explanation = await explainOne(client, input, { ...options, clock, controllers });
      if (explanation) explanations.push(explanation);
    }
    if (explanations.length === 0) {
      throw new Error(`No such run of ${options.name} is remembered: history ${options.name} shows those that are`);
    }
    print(explanations, options, clock);
  });
}

/** Returns the explanation; undefined for a CronJob that is gone and did not have the run that is asked about. */
async function explainOne(
  client: KubeClient,
  input: ViewInput,
  { clock, controllers, ...options }: ExplainOptions & { clock: Clock; controllers: Controllers },
): Promise<Explanation | undefined> {
  const question = questionOf(input, options);
  const run = runAskedFor(lookFor(lookAt(input), question), question);
  const lastLines = await lastLinesOfRun(client, input, run, clock);
  const lease = await leaseFor(client, input, { job: run?.job ?? question.job, controllers });
  const explanation = explain(input, { ...question, lastLines, lease });
  if (!input.isGone) return explanation;
  if (!run) return undefined;
  // Only remembered runs are known of a CronJob that is gone.
  return { ...explanation, state: "Ended", checks: [], actions: [], nextRun: undefined, notes: [] };
}

function questionOf(input: ViewInput, { at, job }: ExplainOptions): Question {
  return at === undefined ? { job } : timeIn(input, at, "past");
}

function timeIn({ now, cronJob }: ViewInput, text: string, towards: PeopleTimeOptions["towards"]): Question {
  const { at, wall, precision } = readPeopleTime(text, "--at", { now, zone: zoneOf(cronJob), towards });
  return { at, wall: precision === "exact" ? wall : undefined, precision };
}

/** Returns what a CronJob in a manifest would do: created now, it has no Jobs yet. */
async function explainFile(
  { name, filename, namespace, at, by }: ExplainOptions,
  clock: Clock,
): Promise<Explanation> {
  const { cronJobs: [manifest] } = await readManifestCronJobs([filename!], { namespace, name });
  const now = clock.now();
  const { cronJob, notes } = asRun(createdCronJob(manifest!, now), controllersBy(by), now);
  const input: ViewInput = { cronJob, jobs: [], notes, now };
  const question = at === undefined ? { at: comingTime(input) } : timeIn(input, at, "future");
  if (at !== undefined && question.at! <= input.now) {
    throw new ConfigError(
      `A manifest can explain times to come only: --at ${at} is past; ask without --filename what happened then`,
    );
  }
  const explanation = explain(input, question);
  // Remedies are commands about a CronJob that is there.
  return { ...explanation, actions: [] };
}

/** Returns the next time, as times before a manifest is applied do not concern it. */
function comingTime(input: ViewInput): EpochMs | undefined {
  const look = lookAt(input);
  const next = nextRunOf(look);
  return next?.kind === "known" ? next.scheduledTime : scheduleOfLook(look)?.next(input.now);
}

function print(explanations: readonly Explanation[], { output, exitCode }: ExplainOptions, clock: Clock): void {
  const named = explanations.map((explanation) => ({ ...explanation, isNamesake: explanations.length > 1 }));
  const text = output === "json"
    ? jsonText(named.map(explanationJson))
    : named.map((explanation) => formatExplanation(explanation, clock.now())).join("\n\n");
  console.log(text);
  if (exitCode && explanations.some(({ verdict }) => isBad(verdict))) Deno.exitCode = 1;
}
