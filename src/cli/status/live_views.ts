import { servedFlavours } from "../../cronjob/served_flavours.ts";
import { Followed } from "../../dashboard/rows/followed.ts";
import { grantsOf } from "../../dashboard/visitors/grants.ts";
import { Rights } from "../../dashboard/visitors/rights.ts";
import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { JOBS } from "../../kube/resource.ts";
import { readyOrAborted, Stage } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { CronJobView } from "../../view/cron_job_view.ts";
import type { Controllers } from "../../view/runner.ts";
import { assertNamed, isSelected, mayNot, PAGE_SIZE, type Selection, selectorsOf } from "../shared/cluster_reader.ts";
import { Complaints } from "../shared/complain.ts";
import { seeEach } from "../shared/read_cron_jobs.ts";
import { sleepUnless } from "../signals.ts";

/** Changes that come together are shown together. */
const GATHER_MS = 200;
/** Time alone changes a view: a run is overdue, a deadline is over. */
const LOOK_MS = 5_000;

export interface LiveViewsOptions {
  readonly clock: Clock;
  readonly controllers: () => Promise<Controllers>;
  readonly signal: AbortSignal;
}

/**
 * Yields the views of all CronJobs of a selection, anew whenever something has changed, until `signal` is aborted. Watches
 * are followed, so nothing is read twice.
 *
 * @throws {Error} where no CronJobs, or no Jobs, may be followed, or a named CronJob is not there
 */
export async function* liveViews(
  client: KubeClient,
  selection: Selection,
  { clock, controllers, signal }: LiveViewsOptions,
): AsyncGenerator<CronJobView[]> {
  const complaints = new Complaints();
  let changed = Promise.withResolvers<void>();
  const followed = await followedOf(client, selection, { clock, complaints, onChange: () => changed.resolve() });
  const inputs = (controllers: Controllers) =>
    Array.from(followed.uids, (uid) => followed.inputOf(uid, controllers, clock.now())!)
      .filter(({ cronJob }) => isSelected(cronJob, selection));
  using stage = new Stage(signal);
  const ended = followed.run(stage.signal);
  try {
    if (!await readyOrAborted([followed], signal)) return;
    assertNamed(inputs({ isEmbedded: false }).map(({ cronJob }) => cronJob), selection);
    while (!signal.aborted) {
      const begun = clock.monotonic();
      changed = Promise.withResolvers();
      const { error } = followed;
      if (error instanceof ApiError && error.isForbidden) throw error;
      yield seeEach(inputs(await controllers()), complaints).map(({ view }) => view);
      // However many CronJobs there are, most of the time is not spent on looking at them.
      const tookMs = clock.monotonic() - begun;
      await Promise.race([changed.promise, sleepUnless(signal, clock, Math.max(LOOK_MS, 10 * tookMs))]);
      await sleepUnless(signal, clock, Math.max(GATHER_MS, 4 * tookMs));
    }
  } finally {
    stage.abort();
    await ended;
  }
}

async function followedOf(
  client: KubeClient,
  selection: Selection,
  { clock, complaints, onChange }: {
    readonly clock: Clock;
    readonly complaints: Complaints;
    readonly onChange: () => void;
  },
): Promise<Followed> {
  const namespaces = selection.namespace === undefined ? [] : [selection.namespace];
  const served = await servedFlavours(client);
  const grants = await grantsOf({ rights: new Rights(client, clock) }, namespaces, served);
  const refused = served.filter((flavour) => !grants.flavours.includes(flavour))
    .map(({ resource }) => mayNot(resource, selection, undefined, "list and watch"));
  if (!grants.jobs) throw mayNot(JOBS, selection, undefined, "list and watch");
  if (refused.length > 0 && grants.flavours.length === 0) throw refused.at(-1);
  for (const { message } of refused) complaints.once(message);
  const selectors = selectorsOf(selection);
  return new Followed({ ...grants, client, clock, namespaces, selectors, pageSize: PAGE_SIZE }, onChange);
}
