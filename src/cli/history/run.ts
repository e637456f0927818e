import { keyOfName } from "../../cronjob/observer.ts";
import { keyOf } from "../../kube/object.ts";
import type { Clock } from "../../base/clock.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { runJson } from "../../view/json.ts";
import { lookAt, lookBack, type ViewInput } from "../../view/look.ts";
import { type KeptRun, MAX_RUNS, TROUBLES } from "../../view/kept_runs.ts";
import { runHistory } from "../../view/run_history.ts";
import { newestFirst, timeOf } from "../../view/runs.ts";
import type { Span, Watched } from "../../view/watched.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import type { KubeClient } from "../../kube/client.ts";
import { ClusterReader, selectionOf } from "../cluster/cluster_reader.ts";
import { commonZone } from "../shared/common_zone.ts";
import { formerCronJobs } from "../cluster/former_cron_jobs.ts";
import { keptRuns } from "../cluster/kept_history.ts";
import { ConfigError } from "../errors.ts";
import { jsonText } from "../flags/output.ts";
import { readPeopleTime } from "../shared/people_time.ts";
import { type NamedOptions, readCronJobs, readNamed } from "../cluster/read_cron_jobs.ts";
import { standardOutput } from "../print/terminal.ts";
import { type ClusterPlace, withCluster } from "../cluster/with_cluster.ts";
import { whyUnsuccessful } from "../../view/pods.ts";
import { complain } from "../print/complain.ts";
import { formatHistory, type KnownRun, leftOut } from "./format.ts";
import type { HistoryOptions } from "./options.ts";

/** Runs that one table shows, the newest first. */
interface Group {
  /** Of which API its CronJob is; undefined for a table of all CronJobs. */
  readonly apiVersion: string | undefined;
  /** Whether it is of a CronJob that is gone, while another one has its name. */
  readonly isFormer?: boolean;
  readonly zone: string;
  /** The span that is asked for, without its last instant. */
  readonly span: Span;
  /** Whether the server that remembers runs may remember more of them. */
  readonly isCut?: boolean;
  readonly known: readonly KnownRun[];
  /** When they were watched; undefined where none is remembered, or all are. */
  readonly watched: Watched | undefined;
}

/** Prints the last runs of CronJobs, those included that only a server remembers. */
export async function runHistoryCommand(options: HistoryOptions, clock: Clock): Promise<void> {
  const { names: [name], last, output } = options;
  await withCluster(options, "history", async (client, place) => {
    const now = clock.now();
    const groups = await groupsOf(client, place, options, { now, controllers: await place.controllers(clock) });
    const shown = groups.map((group) => ({ ...group, ...chosen(group, options) }))
      .filter(({ isFormer, wanted }) => !isFormer || wanted.length > 0);
    if (output === "json") {
      for (const { wanted, isCut } of shown) leftOut(last, { wanted: wanted.length, isCut }).forEach(complain);
      const runs = shown.flatMap(({ wanted }) => wanted.slice(0, last));
      return console.log(jsonText(runs.map((one) => jsonOf(one, options, shown.length))));
    }
    const about = { isOne: name !== undefined, remembers: place.history !== undefined, terminal: standardOutput() };
    for (const { wanted, apiVersion, ...group } of shown) {
      if (shown.length > 1) console.log(`${name} (${apiVersion})`);
      console.log(formatHistory(wanted.slice(0, last), { ...group, ...about, wanted: wanted.length }));
    }
  });
}

/** Returns a group for each CronJob of the name that is given, else one for all CronJobs. */
async function groupsOf(
  client: KubeClient,
  place: ClusterPlace,
  options: HistoryOptions,
  reading: NamedOptions,
): Promise<Group[]> {
  const { names: [name], last, failed } = options;
  const { now } = reading;
  if (name !== undefined) {
    const asked = ({ cronJob }: ViewInput) => spanOf(options, { now, zone: zoneOf(cronJob) });
    const inputs = await readNamed(client, place, name, { ...reading, readsPods: true, asked });
    const isReplaced = inputs.some(({ isGone }) => !isGone);
    return await Promise.all(inputs.map(async (input) => ({
      apiVersion: input.cronJob.flavour.apiVersion,
      isFormer: isReplaced && input.isGone === true,
      zone: zoneOf(input.cronJob),
      span: asked(input),
      known: await knownRuns(place, input),
      watched: input.watched,
      isCut: input.kept !== undefined && input.kept.length >= MAX_RUNS,
    })));
  }
  const selection = selectionOf(options, place.namespace);
  const seen = await readCronJobs(new ClusterReader(client, selection), { ...reading, allFailures: true });
  const inputs = seen.map(({ input }) => input);
  const zone = commonZone(inputs.map(({ cronJob }) => cronJob));
  const span = spanOf(options, { now, zone });
  const { namespace, labelSelector } = selection;
  // Of CronJobs by their labels each is asked about: a server that remembers runs knows none of these.
  const [newest, watched] = await Promise.all([
    labelSelector === undefined ? keptRuns(place.history, { namespace, ...span, failed, limit: last + 1 }) : [],
    place.history?.watched,
  ]);
  const all = labelSelector === undefined ? withNewest(inputs, newest, now) : inputs;
  const known = (await Promise.all(all.map((input) => knownRuns(place, input)))).flat();
  known.sort((a, b) => newestFirst(a.run, b.run));
  return [{ apiVersion: undefined, zone, span, known, watched, isCut: newest.length > last }];
}

/** Returns the same with the remembered runs of each, and with the CronJobs that are gone, of a name that is there too. */
function withNewest(inputs: readonly ViewInput[], newest: readonly KeptRun[], now: EpochMs): ViewInput[] {
  const keyOfInput = ({ cronJob: { flavour: { apiVersion }, metadata: { namespace = "", name } } }: ViewInput) =>
    keyOfName({ apiVersion, namespace, name });
  const byKey = Map.groupBy(newest, keyOfName);
  const there = inputs.map((input) => ({ ...input, kept: byKey.get(keyOfInput(input)) ?? [] }));
  for (const input of inputs) byKey.delete(keyOfInput(input));
  return [...there, ...[...byKey.values()].flatMap((kept) => formerCronJobs(kept[0]!, { kept, now }))];
}

async function knownRuns(place: ClusterPlace, input: ViewInput): Promise<KnownRun[]> {
  const kept = input.kept ?? await keptRuns(place.history, { cronJobs: [keyOf(input.cronJob)] });
  return runHistory(lookBack(lookAt({ ...input, kept }))).map((run) => ({ input, run }));
}

/** Returns the span that is asked for, without its last instant. */
function spanOf(options: HistoryOptions, about: { readonly now: EpochMs; readonly zone: string }): Span {
  const read = (option: "since" | "until", otherwise: EpochMs) => {
    const text = options[option];
    return text === undefined ? otherwise : readPeopleTime(text, `--${option}`, { ...about, towards: "past" }).at;
  };
  const [since, until] = [read("since", -Infinity), read("until", Infinity)];
  if (since < until) return { since, until };
  throw new ConfigError(`--until must be after --since, current values are ${options.until} and ${options.since}`);
}

/** Returns the runs of the span that is asked for, those among them that are to be shown, and the gaps of the span. */
function chosen({ known, watched, span: { since, until } }: Group, { failed }: HistoryOptions) {
  const ofSpan = known.filter(({ run }) => since <= timeOf(run) && timeOf(run) < until);
  const wanted = failed ? ofSpan.filter(({ run }) => TROUBLES.includes(run.outcome)) : ofSpan;
  const gaps = (watched?.gaps ?? []).filter((gap) => since < gap.until && gap.since < until);
  return { ofSpan, wanted, watched: watched && { ...watched, gaps } };
}

/** Says whose it is only where that distinguishes something. */
function jsonOf({ run, input }: KnownRun, { names }: HistoryOptions, groups: number) {
  const { namespace, name } = input.cronJob.metadata;
  return {
    ...(names.length === 0 || groups > 1) && { apiVersion: input.cronJob.flavour.apiVersion },
    ...names.length === 0 && { namespace, name },
    ...runJson(run),
    why: whyUnsuccessful(run, input) || undefined,
  };
}
