import { ApiError } from "../kube/api_error.ts";
import type { KubeClient, Place } from "../kube/client.ts";
import type { ObjectName } from "../kube/object.ts";
import { JOBS } from "../kube/resource.ts";
import type { Clock } from "../base/clock.ts";
import type { CronJob } from "./api/cron_job.ts";
import { jobFor, jobNameFor } from "./decision/job_template.ts";
import type { NeverTwice } from "./decision/input.ts";
import { CREATION_DEADLINE_MS, finalizersFor } from "./decision/name_hold.ts";
import { type RunRequest, scheduledTimeOf } from "./decision/run_request.ts";
import type { HowStarted } from "./knowledge/witness.ts";
import type { Knowledge } from "./knowledge/knowledge.ts";
import type { KnownJobs } from "./knowledge/known_jobs.ts";
import type { Charge } from "./knowledge/rivals.ts";
import type { CronJobReporter } from "./reporter.ts";
import { createFailed, getFailed, jobNameTaken, type PlannedEvent } from "./status/events.ts";

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/** Characters of an answer above which it is read at once, at some milliseconds: unread it would keep all of its Job. */
const KEPT_UNREAD = 64 * 1024;

export interface JobCreationOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly reporter: CronJobReporter;
  readonly charge: () => Charge;
  /** @default no Job keeps its name taken */
  readonly neverTwice?: NeverTwice | undefined;
  /** Called when the API server has answered that it created a Job: the watch must show it soon. Must not throw. */
  readonly onCreated?: (job: ObjectName) => void;
}

export interface Creation extends HowStarted {
  readonly cronJob: CronJob;
  readonly request: RunRequest;
  /** The Job as it is sent. */
  readonly body: string;
  /** Said once the Job exists. */
  readonly events: readonly PlannedEvent[];
}

/** Returns the Job of a run as it is sent. */
export function bodyOf(cronJob: CronJob, request: RunRequest, neverTwice: NeverTwice | undefined): string {
  return JSON.stringify(jobFor(cronJob, request, finalizersFor(cronJob, request, neverTwice)));
}

/** The context of one creation. */
export interface CreationContext {
  readonly knowledge: Knowledge;
  readonly jobs: KnownJobs;
  readonly signal: AbortSignal;
  /** The place that the request may leave with. */
  readonly place?: Place | undefined;
}

/**
 * Creates the Job of a run, and notes what the API server answers for the decision that follows.
 *
 * The name of the Job is the lock: of two creations for one run one is refused. An answer of success is noted unread, as
 * the cache will mostly show the Job before anything needs it.
 *
 * @throws {UnreachableError} where no answer came: the Job is in doubt until the API server is asked
 */
export async function createJob(
  options: JobCreationOptions,
  creation: Creation,
  context: CreationContext,
): Promise<void> {
  const { client, clock, onCreated } = options;
  const { cronJob, request, body, events } = creation;
  const { knowledge, signal, place } = context;
  const { overlay, rivals } = knowledge;
  const isFirstAttempt = request.trigger === "Schedule" && rivals.noteAttempt(request.scheduledTime);
  const name = jobNameFor(cronJob, request);
  const { namespace } = cronJob.metadata;
  overlay.noteCreation(name);
  try {
    const options = { lane: "run", signal, place, timeoutMs: CREATION_DEADLINE_MS } as const;
    const answer = await client.createText(JOBS, { namespace, name, ownerUid: cronJob.metadata.uid }, body, options);
    overlay.noteAnswer(name, answer);
    if (answer.length > KEPT_UNREAD) context.jobs.known();
    onCreated?.({ namespace, name });
    knowledge.noteStart({ request, jobName: name, at: clock.now(), events }, creation);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.isAlreadyExists) return await noteExisting(name, options, creation, { ...context, isFirstAttempt });
    if (!error.isInDoubt) overlay.noteCertain(name);
    noteRefusal(name, error, options, creation, context);
  }
}

/** The run has, or had, its Job: ours from before, that of another owner, or one that is gone since. */
async function noteExisting(
  name: string,
  { reporter, charge }: JobCreationOptions,
  { cronJob, request, isCatchUp }: Creation,
  { knowledge: { witness, creations, unreported, overlay, rivals }, jobs, signal, isFirstAttempt }: CreationContext & {
    isFirstAttempt: boolean;
  },
): Promise<void> {
  const existing = await reporter.whenRefused(cronJob, unreported, getFailed, jobs.get(name, signal));
  overlay.noteCertain(name);
  creations.noteAccepted(request);
  if (request.trigger === "Backfill") {
    if (existing && jobs.isOurs(existing)) jobs.noteExisting(existing);
    // That of another owner, one that is going away, or gone by now: the run takes another name.
    if (!jobs.known().some(({ metadata }) => metadata.name === name)) witness.noteNameTaken(name);
    return;
  }
  witness.noteRun(request, { isCatchUp });
  if (!existing) return;
  if (jobs.isOurs(existing)) {
    if (isFirstAttempt) rivals.noteFoundJob(name, charge());
    return jobs.noteExisting(existing);
  }
  creations.noteTaken(request);
  reporter.announce(cronJob, unreported, [jobNameTaken(name, scheduledTimeOf(request))]);
}

function noteRefusal(
  name: string,
  error: ApiError,
  { reporter, clock }: JobCreationOptions,
  { cronJob, request }: Creation,
  { knowledge: { creations, unreported } }: CreationContext,
): void {
  const since = creations.refusedSince(request, clock.now());
  const refusal = { message: error.message, since, isUncertain: error.isInDoubt };
  if (error.isNamespaceTerminating || error.isNotFound) {
    creations.noteRefusal(name, { ...refusal, retryAt: undefined });
    return creations.noteTerminating();
  }
  reporter.announce(cronJob, unreported, [createFailed(name, scheduledTimeOf(request), error.message)]);
  // A Job that is invalid stays so until the spec changes; anything else, such as a quota, may pass.
  const mayPass = !error.isInvalid && error.code !== 400;
  // A server that asks for no pause at all gets one all the same.
  const delayMs = Math.min(error.retryAfterMs || FIRST_RETRY_MS * 2 ** creations.countRefusal(request), LAST_RETRY_MS);
  // The schedule has another time that comes next; a run of the past waits for this one.
  const lastMs = request.trigger === "Backfill" ? LAST_RETRY_MS : undefined;
  const retryMs = mayPass ? delayMs : lastMs;
  creations.noteRefusal(name, { ...refusal, retryAt: retryMs === undefined ? undefined : clock.now() + retryMs });
}
