import { BACKFILL_MANAGER, planBackfill, planCancel, whyNoBackfill } from "../../actions/backfill.ts";
import { PAUSE_MANAGER, planPause } from "../../actions/pause.ts";
import { requestId, whoAmI } from "../../actions/requester.ts";
import { planResume } from "../../actions/resume.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../base/clock.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import { RequestError } from "../http/answers.ts";
import { backfillOf, previewOf } from "./backfill.ts";
import type { Body } from "../http/body.ts";
import { carrying } from "./carrying.ts";
import { deleteJob } from "./delete_job.ts";
import type { Commands } from "../commands.ts";
import { readTarget } from "../reads/read_target.ts";
import { OVERLAPS, runNow } from "./run_now.ts";
import type { ActionAnswer, ActionName, ActionResult, Target } from "../wire.ts";

/** A visitor acts. */
export interface Act {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly commands: Commands;
  readonly body: Body;
}

/**
 * `job`: to delete; `shown`: Jobs that the visitor knows of. To resume: `of`, whose pause; `withForeign`, whether holds that were
 * written by other means end too.
 */
type Named = Target & {
  readonly job?: string | undefined;
  readonly shown: readonly string[];
  readonly of?: string | undefined;
  readonly withForeign: boolean;
};

type DoOne = (cronJob: CronJob, target: Named) => Promise<Omit<ActionResult, "target">>;

/** More at once are not one person's doing. */
const MAX_TARGETS = 500;

/** Does it to each target, one after the other: what fails keeps nothing of the others back. */
export async function act(action: ActionName, given: Act): Promise<ActionAnswer> {
  const targets = targetsOf(given.body);
  const [now, by] = [given.clock.now(), await whoAmI(given.client)];
  const doOne = await ACTIONS[action]({ ...given, now, by, id: requestId("page", now, by) });
  const results: ActionResult[] = [];
  for (const target of targets) {
    const { apiVersion, namespace, name } = target;
    results.push({ target: { apiVersion, namespace, name }, ...await resultOf(given.client, target, doOne) });
  }
  return { results };
}

/** Returns whether it is the name of an action, rather than something that a visitor made up. */
export function isAction(name: string): name is ActionName {
  return Object.hasOwn(ACTIONS, name);
}

/** A request of a visitor, and its time. */
interface Request extends Act {
  readonly now: EpochMs;
  readonly by: string | undefined;
  readonly id: string;
}

const ACTIONS: Readonly<Record<ActionName, (request: Request) => DoOne | Promise<DoOne>>> = {
  run: async ({ client, clock, commands, body, now, id }) => {
    const controllers = await commands.controllers(client, clock);
    const request = { id, now, controllers, overlap: body.oneOf("overlap", OVERLAPS, "ask") };
    return (cronJob, { shown }) => runNow(client, cronJob, { ...request, shown });
  },

  pause: async ({ client, clock, commands: { readTime, controllers: ask }, body, now, by, id }) => {
    const request = { id, by, reason: body.text("reason"), now, controllers: await ask(client, clock) };
    const text = body.text("until");
    const until = (cronJob: CronJob) =>
      text && soon(readTime(text, "until", { now, zone: zoneOf(cronJob), towards: "future" }), now);
    const plan = (cronJob: CronJob) => planPause(cronJob, { ...request, until: until(cronJob) || undefined });
    return undoable("resume", carrying(client, { fieldManager: PAUSE_MANAGER, plan }));
  },

  resume: ({ client, now, by, id }) => (cronJob, { of = by, withForeign }) => {
    const request = { id, by, of, withForeign, reason: undefined, now };
    const plan = (cronJob: CronJob) => planResume(cronJob, request);
    return carrying(client, { fieldManager: PAUSE_MANAGER, plan })(cronJob);
  },

  "delete-job": ({ client }) => (cronJob, { job }) => deleteJob(client, cronJob, job),

  backfill: async ({ client, clock, commands: { readTime, controllers: ask }, body, now, id }) => {
    const controllers = await ask(client, clock);
    return undoable("cancel-backfill", async (cronJob) => {
      const backfill = backfillOf(body, { id, now, zone: zoneOf(cronJob), readTime });
      const reason = whyNoBackfill(cronJob, backfill, now, controllers);
      if (reason !== undefined) return { result: "failed", message: reason };
      const preview = await previewOf(client, cronJob, backfill, now);
      if (preview.result === "failed" || body.isTrue("isPreview")) return preview;
      const plan = (cronJob: CronJob) => planBackfill(cronJob, backfill, clock.now(), controllers);
      return await carrying(client, { fieldManager: BACKFILL_MANAGER, plan })(cronJob);
    });
  },

  "cancel-backfill": ({ client }) => carrying(client, { fieldManager: BACKFILL_MANAGER, plan: planCancel }),
};

/** Adds to what was done which action takes it back. */
function undoable(action: "resume" | "cancel-backfill", doOne: DoOne): DoOne {
  return async (cronJob, target) => {
    const done = await doOne(cronJob, target);
    return done.result === "done" ? { ...done, undo: action } : done;
  };
}

/** @throws {RequestError} for a time that has passed */
function soon(until: EpochMs, now: EpochMs): EpochMs {
  if (until > now) return until;
  throw new RequestError(400, "BadRequest", "until must lie in the future");
}

async function resultOf(client: KubeClient, target: Named, doOne: DoOne): Promise<Omit<ActionResult, "target">> {
  try {
    return await doOne(await readTarget(client, target), target);
  } catch (error) {
    // An unknown visitor is refused at once, for all.
    if (error instanceof ApiError && error.code === 401) throw error;
    return { result: "failed", message: firstLineOf(error) };
  }
}

/** @throws {RequestError} where it is not clear what is meant */
function targetsOf(body: Body): Named[] {
  const targets = body.list("targets").map((target) => ({
    apiVersion: target.need("apiVersion"),
    namespace: target.need("namespace"),
    name: target.need("name"),
    job: target.text("job"),
    shown: target.list("heldBy", []).map((held) => held.need("job")),
    of: target.text("of"),
    withForeign: target.isTrue("withForeign"),
  }));
  if (targets.length > 0 && targets.length <= MAX_TARGETS) return targets;
  throw new RequestError(400, "BadRequest", `targets must be a list of 1 to ${MAX_TARGETS}`);
}
