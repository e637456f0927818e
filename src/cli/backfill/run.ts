import { BACKFILL_MANAGER, planBackfill, planCancel, whyNoBackfill } from "../../actions/backfill.ts";
import { requestId, whoAmI } from "../../actions/requester.ts";
import type { Backfill, Reprocess } from "../../cronjob/api/backfill.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { previewBackfill, type PreviewedSlot } from "../../cronjob/decision/backfill_preview.ts";
import { find } from "../../cronjob/decision/decide.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import { fullTime } from "../../schedule/full_time.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import { ConfigError } from "../errors.ts";
import { act } from "../shared/act.ts";
import { chosenCronJobs } from "../shared/chosen_cron_jobs.ts";
import { ClusterReader, noSuchCronJobs } from "../shared/cluster_reader.ts";
import type { ChooseOptions } from "../shared/choose_options.ts";
import type { ConnectionOptions } from "../shared/connection_options.ts";
import { readPeopleTime } from "../shared/people_time.ts";
import { withCluster } from "../shared/with_cluster.ts";
import { followBackfill } from "./follow_backfill.ts";
import { formatPreview, previewJson, summaryOf } from "./format.ts";

/** What the command line of `backfill` says. */
export interface BackfillOptions extends ConnectionOptions, Pick<ChooseOptions, "api" | "dryRun" | "output"> {
  name: string;
  namespace?: string;
  from?: string;
  to?: string;
  reprocess: Reprocess;
  maxActive: number;
  reverse: boolean;
  maxSlots?: number;
  yes: boolean;
  follow: boolean;
  cancel: boolean;
}

/**
 * Asks a CronJob for its runs of a span of the past, once the user has agreed to their number; with `cancel`, stops
 * that.
 */
export async function runBackfill(options: BackfillOptions, clock: Clock): Promise<void> {
  await withCluster(options, "backfill", async (client, { namespace, ...place }) => {
    const controllers = await place.controllers(clock);
    const choice = { ...options, names: [options.name], allNamespaces: false, selector: undefined };
    const [cronJob] = await chosenCronJobs(client, choice, namespace);
    if (!cronJob) throw noSuchCronJobs(choice.names, namespace);
    if (options.cancel) {
      await act(client, [cronJob], { fieldManager: BACKFILL_MANAGER, plan: planCancel }, choice);
      return;
    }
    const now = clock.now();
    const backfill = { ...backfillOf(options, cronJob, now), id: requestId("cli", now, await whoAmI(client)) };
    const reason = whyNoBackfill(cronJob, backfill, now, { controllers });
    if (reason !== undefined) throw new Error(`${options.name}: ${reason}`);
    const slots = await preview(client, cronJob, backfill, now);
    checkCount(slots.length, options);
    const about = { cronJob, backfill, slots };
    if (options.dryRun) {
      return console.log(
        options.output === "json" ? JSON.stringify(previewJson(about), null, 2) : formatPreview(about),
      );
    }
    if (options.output === "text") console.log(summaryOf(about));
    const [outcome] = await act(client, [cronJob], {
      fieldManager: BACKFILL_MANAGER,
      plan: (cronJob) => planBackfill(cronJob, backfill, clock.now(), { controllers }),
    }, choice);
    if (options.follow && outcome?.result === "done") await followBackfill(client, { cronJob, id: backfill.id }, clock);
  });
}

/** Unless more are asked for, as the controller has it. */
const MAX_SLOTS = 1_000;
const MOST_SLOTS = 100_000;

function backfillOf(options: BackfillOptions, cronJob: CronJob, now: number): Omit<Backfill, "id"> {
  const { reprocess, maxActive, reverse, yes, maxSlots = yes ? MOST_SLOTS : MAX_SLOTS } = options;
  const zone = zoneOf(cronJob);
  const read = (text: string, option: string) => readPeopleTime(text, option, { now, zone, towards: "past" }).at;
  const from = inSeconds(read(options.from!, "--from"));
  const to = inSeconds(options.to === undefined ? now : read(options.to, "--to"));
  if (from >= now) throw new ConfigError(`--from must lie in the past, ${options.from} is ${fullTime(from, zone)}`);
  if (to <= from) {
    throw new ConfigError(`--to must lie after --from, they are ${fullTime(to, zone)} and ${fullTime(from, zone)}`);
  }
  return { from, to, reprocess, maxActive, reverse, maxSlots };
}

/** Scheduled times are whole seconds, and so is what is written. */
function inSeconds(instant: number): number {
  return Math.ceil(instant / 1_000) * 1_000;
}

async function preview(
  client: KubeClient,
  cronJob: CronJob,
  backfill: Backfill,
  now: number,
): Promise<PreviewedSlot[]> {
  const { namespace, name } = cronJob.metadata;
  const jobs = (await new ClusterReader(client, { namespace, names: [name] }).jobs()).of(cronJob);
  return previewBackfill(find({ cronJob, jobs, now }), backfill, MOST_SLOTS + 1);
}

/** @throws {ConfigError} where so many are not to be run */
function checkCount(count: number, { maxSlots, yes }: BackfillOptions): void {
  const slots = count > MOST_SLOTS ? `more than ${MOST_SLOTS}` : String(count);
  if (count > (maxSlots ?? MOST_SLOTS)) {
    throw new ConfigError(
      maxSlots === undefined
        ? `There are ${slots} scheduled times, more than a back-fill can have: give a shorter range`
        : `There are ${slots} scheduled times, more than --max-slots ${maxSlots} allows`,
    );
  }
  if (count > MAX_SLOTS && !yes) throw new ConfigError(`There are ${slots} scheduled times: give --yes to run them`);
}
