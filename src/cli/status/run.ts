import { unlessAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { ApiError } from "../../kube/api_error.ts";
import { type CronJobView, type State, STATES } from "../../view/cron_job_view.ts";
import { headlinesOf } from "../../view/headline.ts";
import { jsonOf } from "../../view/json.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import { ClusterReader, selectionOf } from "../cluster/cluster_reader.ts";
import { complain, Complaints } from "../print/complain.ts";
import { readCronJobs } from "../cluster/read_cron_jobs.ts";
import { standardOutput } from "../print/terminal.ts";
import { withCluster } from "../cluster/with_cluster.ts";
import { listenForStop, sleepUnless } from "../signals.ts";
import { STATUS_FORMATS } from "./format.ts";
import type { StatusOptions } from "./options.ts";

/** With what printing takes besides. */
type Asked = StatusOptions & { readonly isEmbedded: boolean; readonly clock: Clock };

/** Prints how CronJobs are; with `watch`, until it is stopped. */
export async function runStatus(options: StatusOptions, clock: Clock): Promise<void> {
  await withCluster(options, "status", async (client, { namespace, isEmbedded, history, controllers }) => {
    const asked = { ...options, isEmbedded, clock };
    const reader = new ClusterReader(client, selectionOf(options, namespace));
    const closely = showsAll(options) ? undefined : isShown;
    const look = async () => {
      const given = { now: clock.now(), controllers: await controllers(clock), closely, history };
      const seen = await readCronJobs(reader, given);
      return seen.map(({ view }) => view);
    };
    if (options.watch) return await watch(look, asked);
    const views = await look();
    console.log(printed(views, asked));
    if (!options.check) return;
    const checked = chosen(views, options);
    if (views.length === 0 && !reader.complaints.isAny) {
      const where = options.allNamespaces ? "any namespace" : `namespace ${namespace}`;
      complain(`There is nothing to check: no CronJob is in ${where}`);
    }
    const isWrong = views.length === 0 || checked.some(({ needsAttention }) => needsAttention);
    if (isWrong || headlinesOf(checked).length > 0) Deno.exitCode = 1;
  });
}

/** Between two looks. However many CronJobs there are, most of the time is not spent on looking. */
const LOOK_MS = 3_000;
const RESTS = 10;

/** Prints all anew whenever something has changed; on a terminal again and again, as time passes. */
async function watch(look: () => Promise<CronJobView[]>, options: Asked): Promise<void> {
  const { clock } = options;
  using stop = listenForStop();
  const { isTerminal } = standardOutput();
  let complaints = new Complaints();
  let before: string | undefined;
  const print = (views: readonly CronJobView[]) => {
    const seen = JSON.stringify(rowsOf(views, options).map(jsonOf));
    if (isTerminal) console.log(CLEAR + printed(views, options));
    else if (seen !== before) console.log(printed(views, options));
    before = seen;
  };
  while (!stop.signal.aborted) {
    const begun = clock.monotonic();
    let restMs = LOOK_MS;
    try {
      const views = await unlessAborted(look(), stop.signal);
      if (views === undefined) return;
      print(views);
      complaints = new Complaints();
      restMs = Math.max(LOOK_MS, RESTS * (clock.monotonic() - begun));
    } catch (error) {
      if (before === undefined || isRefused(error)) throw error;
      complaints.once(firstLineOf(error));
    }
    await sleepUnless(stop.signal, clock, restMs);
  }
}

/** Returns whether the server does not let this user look, which no later look changes. */
function isRefused(error: unknown): boolean {
  if (error instanceof ApiError) return error.isUnauthorized || error.isForbidden;
  return error instanceof Error && error.cause !== undefined && isRefused(error.cause);
}

const CLEAR = "\x1b[H\x1b[2J";

/** Returns the CronJobs that the flags leave, the worst first. */
function chosen(views: readonly CronJobView[], { only, by }: StatusOptions): readonly CronJobView[] {
  return views.filter(({ state, runner }) =>
    (only === undefined || only.includes(state)) && (by === undefined || (runner && by.includes(runner.by)))
  ).sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || (keyOf(a) < keyOf(b) ? -1 : 1));
}

function keyOf({ namespace, name, apiVersion }: CronJobView): string {
  return `${namespace}/${name} ${apiVersion}`;
}

/** So few are all shown: counted only, they would be a first look at nothing. */
const FITS = 50;
const FINE: readonly State[] = ["Running", "Waiting", "Ended"];

function showsAll({ all, only, by, names, output }: StatusOptions): boolean {
  return all || only !== undefined || by !== undefined || names.length > 0 || output !== "table";
}

/** Returns whether one of so many is more than counted. Those that run nowhere are counted by the headline. */
function isShown({ state, cause, notes }: CronJobView, count: number): boolean {
  return count <= FITS || (cause?.reason !== "NoController" && (!FINE.includes(state) || notes.length > 0));
}

function rowsOf(views: readonly CronJobView[], options: StatusOptions): readonly CronJobView[] {
  const all = chosen(views, options);
  return all.filter((view) => showsAll(options) || isShown(view, all.length));
}

function printed(views: readonly CronJobView[], options: Asked): string {
  const { allNamespaces = false, isEmbedded, clock, output } = options;
  const rows = rowsOf(views, options);
  const shown = {
    rows,
    folded: chosen(views, options).filter((view) => !rows.includes(view)),
    withApis: new Set(rows.map(({ apiVersion }) => apiVersion)).size > 1,
    withRunners: !isEmbedded,
    withNamespaces: allNamespaces,
    now: clock.now(),
    terminal: standardOutput(),
  };
  return STATUS_FORMATS[output](shown);
}
