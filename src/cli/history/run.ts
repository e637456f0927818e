import { apiVersionOf } from "../../kube/resource.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import type { RunView, RunViewOutcome } from "../../view/cron_job_view.ts";
import { runJson } from "../../view/json.ts";
import { lookAt, lookBack, type ViewInput } from "../../view/look.ts";
import { runHistory } from "../../view/run_history.ts";
import { newestFirst, timeOf } from "../../view/runs.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Choice } from "../shared/choice.ts";
import { ClusterReader, selectionOf } from "../shared/cluster_reader.ts";
import { commonZone } from "../shared/common_zone.ts";
import { keptRunsOf } from "../shared/kept_history.ts";
import { jsonText } from "../shared/output.ts";
import { readPeopleTime } from "../shared/people_time.ts";
import { readCronJobs, readNamedCronJobs } from "../shared/read_cron_jobs.ts";
import { standardOutput } from "../shared/terminal.ts";
import { type ClusterPlace, withCluster } from "../shared/with_cluster.ts";
import { whyOf } from "../../view/pods.ts";
import { formatHistories, formatHistory } from "./format.ts";

/** What the command line of `history` says. */
export interface HistoryOptions extends Choice {
  last: number;
  failed: boolean;
  since?: string;
  output: "table" | "json";
}

/** Prints the last runs of CronJobs, those included that only the archive of `standalone` remembers. */
export async function runHistoryCommand(options: HistoryOptions, clock: Clock): Promise<void> {
  await withCluster(options, "history", async (client, place) => {
    const [name] = options.names;
    if (name === undefined) await printAll(client, place, options, clock);
    else await printOne(client, place, { ...options, name }, clock);
  });
}

async function printOne(
  client: KubeClient,
  place: ClusterPlace,
  { name, ...options }: HistoryOptions & { name: string },
  clock: Clock,
): Promise<void> {
  const controllers = await place.controllers(clock);
  const [inputs, kept] = await Promise.all([
    readNamedCronJobs(client, { namespace: place.namespace, name }, { now: clock.now(), controllers }),
    keptRunsOf(client, place, name),
  ]);
  const histories = inputs.map((input) => {
    const known = knownRuns({ ...input, kept });
    const zone = zoneOf(input.cronJob);
    return { input, zone, known, runs: wanted(known, options, { zone, now: input.now }).slice(0, options.last) };
  });
  if (options.output === "json") {
    // Said only where it distinguishes something.
    const whose = ({ cronJob: { flavour } }: ViewInput) =>
      inputs.length > 1 ? { apiVersion: apiVersionOf(flavour.resource) } : {};
    printJson(histories.flatMap(({ input, runs }) => runs.map((run) => ({ input, run, whose: whose(input) }))));
    return;
  }
  const terminal = standardOutput();
  for (const { runs, ...about } of histories) {
    const { flavour } = about.input.cronJob;
    if (inputs.length > 1) console.log(`${name} (${apiVersionOf(flavour.resource)})`);
    console.log(formatHistory(runs, { ...about, terminal }));
  }
}

async function printAll(
  client: KubeClient,
  place: ClusterPlace,
  options: HistoryOptions,
  clock: Clock,
): Promise<void> {
  const { last, output } = options;
  const now = clock.now();
  const controllers = await place.controllers(clock);
  const reader = new ClusterReader(client, selectionOf(options, place.namespace));
  const seen = await readCronJobs(reader, { now, controllers, allFailures: true });
  const zone = commonZone(seen.map(({ input }) => input.cronJob));
  const known = (await Promise.all(seen.map(async ({ input }) => {
    const { namespace, name } = input.cronJob.metadata;
    const kept = await keptRunsOf(client, { ...place, namespace: namespace ?? place.namespace }, name);
    return knownRuns({ ...input, kept }).map((run) => ({ input, run }));
  }))).flat().sort((a, b) => newestFirst(a.run, b.run));
  const runs = wanted(known.map(({ run }) => run), options, { zone, now });
  const chosen = new Set(runs);
  const shown = known.filter(({ run }) => chosen.has(run)).slice(0, last);
  if (output === "json") return printJson(shown.map((one) => ({ ...one, whose: whoseOf(one.input) })));
  console.log(formatHistories(shown, { zone, known: known.length, wanted: runs.length, terminal: standardOutput() }));
}

function whoseOf({ cronJob: { flavour, metadata: { namespace, name } } }: ViewInput) {
  return { apiVersion: apiVersionOf(flavour.resource), namespace, name };
}

function printJson(runs: readonly { input: ViewInput; run: RunView; whose: object }[]): void {
  const told = runs.map(({ input, run, whose }) => ({
    ...whose,
    ...runJson(run),
    why: whyOf(run, input) || undefined,
  }));
  console.log(jsonText(told));
}

function knownRuns(input: ViewInput): RunView[] {
  return runHistory(lookBack(lookAt(input)));
}

const FAILED: readonly RunViewOutcome[] = ["Failed", "Skipped", "Missed"];

function wanted(
  known: readonly RunView[],
  { since, failed }: HistoryOptions,
  { zone, now }: { readonly zone: string; readonly now: EpochMs },
): RunView[] {
  const from = since === undefined ? -Infinity : readPeopleTime(since, "--since", { now, zone, towards: "past" }).at;
  return known.filter((run) => timeOf(run) >= from && (!failed || FAILED.includes(run.outcome)));
}
