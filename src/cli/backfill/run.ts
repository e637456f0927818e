import { BACKFILL_MANAGER, inSeconds, planBackfill, planCancel } from "../../actions/backfill.ts";
import { plansOf } from "../../actions/carry_out.ts";
import type { Backfill } from "../../cronjob/api/backfill.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { previewBackfill } from "../../cronjob/decision/backfill_preview.ts";
import { find } from "../../cronjob/decision/find.ts";
import type { Clock } from "../../base/clock.ts";
import { fullTime } from "../../schedule/full_time.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import { ConfigError } from "../errors.ts";
import { act } from "../cluster/act.ts";
import { ClusterReader, selectionOf } from "../cluster/cluster_reader.ts";
import { complain } from "../print/complain.ts";
import { jsonText } from "../flags/output.ts";
import { readPeopleTime } from "../shared/people_time.ts";
import { requestBy, withChosen } from "../cluster/with_chosen.ts";
import { followBackfill } from "./follow_backfill.ts";
import { formatPreviews, type Preview, previewJson, summaryOf } from "./format.ts";
import type { BackfillOptions } from "./options.ts";

/**
 * Asks CronJobs for their runs of a span of the past, once the user has agreed to the number of all together; with `cancel`,
 * stops that.
 */
export async function runBackfill(options: BackfillOptions, clock: Clock): Promise<void> {
  await withChosen(options, "backfill", async (client, cronJobs, { namespace, ...place }) => {
    if (options.cancel) {
      await act(client, cronJobs, { fieldManager: BACKFILL_MANAGER, plan: planCancel }, options);
      return;
    }
    const controllers = await place.controllers(clock);
    const { now, id } = await requestBy(client, clock);
    const asked = cronJobs.map((cronJob) => ({ cronJob, backfill: { ...backfillOf(options, cronJob, now), id } }));
    const backfills = new Map(asked.map(({ cronJob, backfill }) => [cronJob.metadata.uid, backfill]));
    const plan = (cronJob: CronJob) =>
      planBackfill(cronJob, backfills.get(cronJob.metadata.uid)!, clock.now(), controllers);
    // A refusal comes before any count.
    plansOf(cronJobs, { plan });
    const previews = await previewsOf(new ClusterReader(client, selectionOf(options, namespace)), asked, now);
    checkCounts(previews, options);
    if (options.dryRun) return console.log(dryRunText(previews, options));
    if (options.output === "text" && previews.length > 0) console.log(summaryOf(previews));
    const [outcome] = await act(client, cronJobs, { fieldManager: BACKFILL_MANAGER, plan }, options);
    if (options.follow && outcome?.result === "done") await followBackfill(client, { ...outcome, id }, clock);
  });
}

/** A single one that is named is one object of JSON, everything else a list. */
function dryRunText(previews: readonly Preview[], { names, output }: BackfillOptions): string {
  const [first, ...others] = previews;
  if (output === "text") return formatPreviews(previews);
  const isOne = first && others.length === 0 && names.length === 1;
  return jsonText(isOne ? previewJson(first) : previews.map(previewJson));
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

async function previewsOf(
  reader: ClusterReader,
  asked: readonly Omit<Preview, "slots">[],
  now: number,
): Promise<Preview[]> {
  const jobs = await reader.jobs();
  return asked.map(({ cronJob, backfill }) => {
    const slots = previewBackfill(find({ cronJob, jobs: jobs.of(cronJob), now }), backfill, MOST_SLOTS + 1);
    return { cronJob, backfill, slots };
  });
}

/** @throws {ConfigError} where so many are not to be run */
function checkCounts(previews: readonly Preview[], { maxSlots, yes, dryRun }: BackfillOptions): void {
  const isOne = previews.length === 1;
  for (const { cronJob: { metadata: { name } }, slots: { length: count } } of previews) {
    const slots = `There are ${count > MOST_SLOTS ? `more than ${MOST_SLOTS}` : count} scheduled times`;
    const which = isOne ? slots : `${name}: ${slots}`;
    if (count <= (maxSlots ?? MOST_SLOTS)) continue;
    throw new ConfigError(
      maxSlots === undefined
        ? `${which}, more than a back-fill can have: give a shorter range`
        : `${which}, more than --max-slots ${maxSlots} allows`,
    );
  }
  const sum = previews.reduce((sum, { slots }) => sum + slots.length, 0);
  const all = isOne ? "" : `, of ${previews.length} CronJobs`;
  if (sum <= MAX_SLOTS || yes) return;
  const question = `There are ${sum} scheduled times${all}: give --yes to run them`;
  if (!dryRun) throw new ConfigError(question);
  complain(question);
}
