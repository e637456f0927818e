import type { Clock } from "../../runtime/clock.ts";
import { type CronJobView, NEEDS_ATTENTION, type State } from "../../view/cron_job_view.ts";
import { ConfigError } from "../errors.ts";
import { ClusterReader } from "../shared/cluster_reader.ts";
import { readCronJobs } from "../shared/read_cron_jobs.ts";
import type { SelectOptions } from "../shared/select_options.ts";
import { standardOutput } from "../shared/terminal.ts";
import { withCluster } from "../shared/with_cluster.ts";
import { listenForStop } from "../signals.ts";
import type { Format, Order } from "./flags.ts";
import { formatStatus, type Shown } from "./format.ts";
import { ordered } from "./order.ts";

/** What the command line of `status` says. */
export interface StatusOptions extends SelectOptions {
  names: readonly string[];
  only?: readonly State[];
  sort: Order;
  all: boolean;
  output: Format;
  watch: boolean;
  check: boolean;
}

/** Prints how CronJobs are; with `watch`, until it is stopped. */
export async function runStatus(options: StatusOptions, clock: Clock): Promise<void> {
  if (options.watch && options.check) throw new ConfigError("Give either --watch or --check, not both");
  await withCluster(options, "status", async (client, { namespace }) => {
    const reader = new ClusterReader(client, {
      namespace: options.allNamespaces ? undefined : namespace,
      names: options.names,
      labelSelector: options.selector,
    });
    if (options.watch) return await watch(reader, options, clock);
    const views = await look(reader, options, clock);
    checkNames(views, options.names, namespace);
    console.log(printed(views, options, clock));
    if (options.check && chosen(views, options).some(({ state }) => NEEDS_ATTENTION.includes(state))) Deno.exitCode = 1;
  });
}

async function look(reader: ClusterReader, options: StatusOptions, clock: Clock): Promise<CronJobView[]> {
  const closely = showsAll(options) ? undefined : isShown;
  return (await readCronJobs(reader, { now: clock.now(), closely })).map(({ view }) => view);
}

/** Between two looks: what is watched by hand need not be newer, and reading it takes its time in a large cluster. */
const LOOK_MS = 2_000;

async function watch(reader: ClusterReader, options: StatusOptions, clock: Clock): Promise<void> {
  using stop = listenForStop();
  let before: string | undefined;
  while (!stop.signal.aborted) {
    const begun = clock.monotonic();
    const views = await look(reader, options, clock);
    const text = printed(views, options, clock);
    if (text !== before) console.log(before === undefined ? text : `\n${text}`);
    before = text;
    const tookMs = clock.monotonic() - begun;
    await clock.sleep(Math.max(LOOK_MS, 4 * tookMs), stop.signal).catch(() => {/* it was asked to stop */});
  }
}

/** @throws {Error} naming what isn't there */
function checkNames(views: readonly CronJobView[], names: readonly string[], namespace: string): void {
  const missing = names.filter((name) => !views.some((view) => view.name === name));
  if (missing.length === 0) return;
  throw new Error(`There is no CronJob ${missing.join(", ")} in namespace ${namespace}`);
}

function chosen(views: readonly CronJobView[], { only }: StatusOptions): readonly CronJobView[] {
  return only === undefined ? views : views.filter(({ state }) => only.includes(state));
}

/** Up to so many fit on a screen: there is no reason to fold any. */
const FITS = 20;
const FINE: readonly State[] = ["Running", "Waiting", "Ended"];

function showsAll({ all, only, names, output }: StatusOptions): boolean {
  return all || only !== undefined || names.length > 0 || output !== "table";
}

/** Whether one of so many is more than counted. */
function isShown({ state }: CronJobView, count: number): boolean {
  return count <= FITS || !FINE.includes(state);
}

function printed(views: readonly CronJobView[], options: StatusOptions, clock: Clock): string {
  const all = ordered(chosen(views, options), options.sort);
  const isRow = (view: CronJobView) => showsAll(options) || isShown(view, all.length);
  const rows = all.filter(isRow);
  const shown: Shown = {
    rows,
    folded: all.filter((view) => !isRow(view)),
    withApis: new Set(rows.map(({ apiVersion }) => apiVersion)).size > 1,
    withNamespaces: options.allNamespaces,
    now: clock.now(),
    terminal: standardOutput(),
  };
  return formatStatus(shown, options.output);
}
