import { BACKFILL_MANAGER, planBackfill, planCancel, whyNoBackfill } from "../../actions/backfill.ts";
import { PAUSE_MANAGER, planPause } from "../../actions/pause.ts";
import { requestId, whoAmI } from "../../actions/requester.ts";
import { planResume } from "../../actions/resume.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { readCronJob, withType } from "../../cronjob/api/read_cron_job.ts";
import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import { apiVersionOf } from "../../kube/resource.ts";
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
import { OVERLAPS, runNow } from "./run_now.ts";
import type { ActionAnswer, ActionName, ActionResult, Target } from "../wire.ts";

/** A visitor acts. */
export interface Act {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly commands: Commands;
  readonly body: Body;
}

/** `job`: to delete; `shown`: Jobs that the visitor knows of. */
type Named = Target & { readonly job?: string; readonly shown: readonly string[] };

type DoOne = (cronJob: CronJob, target: Named) => Promise<Omit<ActionResult, "target">>;

/** More at once are not one person's doing. */
const MAX_TARGETS = 500;

/** Does it to each target, one after the other: what fails keeps nothing of the others back. */
export async function act(name: ActionName, given: Act): Promise<ActionAnswer> {
  const targets = targetsOf(given.body);
  const doOne = await ACTIONS[name](given);
  const results: ActionResult[] = [];
  for (const target of targets) {
    results.push({ target: nameOf(target), ...await resultOf(given.client, target, doOne) });
  }
  return { results };
}

/** Returns whether it is the name of an action, rather than something that a visitor made up. */
export function isAction(name: string): name is ActionName {
  return Object.hasOwn(ACTIONS, name);
}

const ACTIONS: Readonly<Record<ActionName, (act: Act) => Promise<DoOne>>> = {
  run: async ({ client, clock, commands, body }) => {
    const now = clock.now();
    const request = {
      id: requestId("page", now, await whoAmI(client)),
      now,
      controllers: await commands.controllers(client, clock),
      overlap: body.oneOf("overlap", OVERLAPS, "ask"),
    };
    return (cronJob, { shown }) => runNow(client, cronJob, { ...request, shown });
  },

  pause: async ({ client, clock, commands, body }) => {
    const { readTime } = commands;
    const controllers = await commands.controllers(client, clock);
    const now = clock.now();
    const by = await whoAmI(client);
    const request = { id: requestId("page", now, by), by, reason: body.text("reason"), now, controllers };
    const text = body.text("until");
    const until = (cronJob: CronJob) =>
      text && soon(readTime(text, "until", { now, zone: zoneOf(cronJob), towards: "future" }), now);
    const plan = (cronJob: CronJob) => planPause(cronJob, { ...request, until: until(cronJob) || undefined });
    const pause = carrying(client, { fieldManager: PAUSE_MANAGER, plan });
    return async (cronJob, target) => {
      const done = await pause(cronJob);
      return done.result === "done"
        ? { ...done, undo: { action: "resume", body: { targets: [nameOf(target)] } } }
        : done;
    };
  },

  resume: async ({ client, clock, body }) => {
    const now = clock.now();
    const by = await whoAmI(client);
    const withForeign = body.isTrue("withForeign");
    const of = body.text("of") ?? by;
    const request = { id: requestId("page", now, by), by, of, withForeign, reason: undefined, now };
    return carrying(client, { fieldManager: PAUSE_MANAGER, plan: (cronJob) => planResume(cronJob, request) });
  },

  "delete-job": ({ client }) => Promise.resolve((cronJob, { job }) => deleteJob(client, cronJob, job)),

  backfill: async ({ client, clock, commands, body }) => {
    const { readTime } = commands;
    const controllers = await commands.controllers(client, clock);
    const now = clock.now();
    const id = requestId("page", now, await whoAmI(client));
    return async (cronJob, target) => {
      const backfill = backfillOf(body, { id, now, zone: zoneOf(cronJob), readTime });
      const reason = whyNoBackfill(cronJob, backfill, now, { controllers });
      if (reason !== undefined) return { result: "failed", message: reason };
      const preview = await previewOf(client, cronJob, backfill, now);
      if (preview.result === "failed" || body.isTrue("isPreview")) return preview;
      const plan = (cronJob: CronJob) => planBackfill(cronJob, backfill, clock.now(), { controllers });
      const done = await carrying(client, { fieldManager: BACKFILL_MANAGER, plan })(cronJob);
      if (done.result !== "done") return done;
      return { ...done, undo: { action: "cancel-backfill", body: { targets: [nameOf(target)] } } };
    };
  },

  "cancel-backfill": ({ client }) =>
    Promise.resolve(carrying(client, { fieldManager: BACKFILL_MANAGER, plan: planCancel })),
};

/** @throws {RequestError} for a time that has passed */
function soon(until: EpochMs, now: EpochMs): EpochMs {
  if (until > now) return until;
  throw new RequestError(400, "BadRequest", "until must lie in the future");
}

async function resultOf(client: KubeClient, target: Named, doOne: DoOne): Promise<Omit<ActionResult, "target">> {
  const flavour = FLAVOURS.find(({ resource }) => apiVersionOf(resource) === target.apiVersion);
  if (!flavour) return { result: "failed", message: `there are no CronJobs of ${target.apiVersion}` };
  try {
    const object = await client.get(flavour.resource, target);
    return await doOne(readCronJob(flavour, withType(flavour, object)), target);
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
  }));
  if (targets.length > 0 && targets.length <= MAX_TARGETS) return targets;
  throw new RequestError(400, "BadRequest", `targets must be a list of 1 to ${MAX_TARGETS}`);
}

function nameOf({ apiVersion, namespace, name }: Target): Target {
  return { apiVersion, namespace, name };
}
