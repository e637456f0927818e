import { BACKFILL, MANAGED, PAUSE, PREFIX } from "../cronjob/api/annotations.ts";
import { isSetting, managedProblem } from "../cronjob/api/annotation_settings.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { readCronJob } from "../cronjob/api/read_cron_job.ts";
import { isPaused, readPauseNote } from "../cronjob/api/pause.ts";
import { isManagedUnread } from "../cronjob/api/stewardship.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { type LeaseFacts, whyNoLeader } from "./lease_facts.ts";

/** The known controllers of a cluster. */
export interface Controllers {
  /** Whether the API server is that of a `standalone`, beside which there is no kube-controller-manager. */
  readonly isEmbedded: boolean;
  /** The Leases of this program's controllers, one at least; absent where that was not looked at. */
  readonly leases?: readonly [LeaseFacts, ...LeaseFacts[]];
  /** As of when the Leases are judged, while they may not be read again. @default now */
  readonly readAt?: EpochMs;
}

/** Where that was not looked at. */
export const UNSEEN: Controllers = { isEmbedded: false };

/** The controller that runs CronJobs of `batch/v1` that are not adopted. */
export type BatchRunner = "kube-controller-manager" | "cronjob-controller";

/** Returns the controllers as a manifest finds them. */
export function controllersBy(by: BatchRunner): Controllers {
  return by === "cronjob-controller" ? { isEmbedded: true } : UNSEEN;
}

/** The controller that starts the next run of a CronJob. `why` is a sentence without its end. */
export type Runner =
  /** Its leader, as far as the Lease shows; without a Lease a controller may run all the same. */
  | { readonly by: "cronjob-controller"; readonly leads: "yes" | "unknown" | "no Lease"; readonly why: string }
  | { readonly by: "kube-controller-manager"; readonly why: string }
  | { readonly by: "none"; readonly reason: "NoController" | "InvalidAnnotation"; readonly why: string }
  | { readonly by: "contested"; readonly why: string };

/**
 * Returns which controller runs a CronJob. Of `batch/v1`, kube-controller-manager runs all that are not adopted, unless the
 * leader of this program's controllers says on its Lease that it runs all of them. What wrote a status last proves nothing
 * about the next run.
 */
export function runnerOf(cronJob: CronJob, controllers: Controllers, now: EpochMs): Runner {
  const { flavour, stewardship, object } = cronJob;
  if (stewardship.isContested) return { by: "contested", why: stewardship.closed!.message };
  const isPlain = flavour.adoptable && stewardship.suspendedIn === "spec";
  const ours = ourRunner(cronJob, isPlain, controllers, controllers.readAt ?? now);
  if (!isPlain || controllers.isEmbedded || (ours.by === "cronjob-controller" && ours.leads === "yes")) return ours;
  if (object.spec.suspend === true && isManagedUnread(object)) {
    return { by: "none", reason: "InvalidAnnotation", why: managedProblem(object.metadata.annotations![MANAGED]!) };
  }
  return { by: "kube-controller-manager", why: "not adopted" };
}

/** Returns whether this program's controllers run it, provided that it is theirs. */
function ourRunner(cronJob: CronJob, isPlain: boolean, controllers: Controllers, now: EpochMs): Runner {
  const by = "cronjob-controller";
  const lease = leaseOf(cronJob, controllers, now);
  if (lease === undefined) return { by, leads: "unknown", why: "whether a controller leads was not looked at" };
  const { key } = lease;
  const adopted = isPlain ? "" : cronJob.flavour.adoptable ? "adopted; " : "";
  switch (lease.kind) {
    case "forbidden":
      return {
        by,
        leads: "unknown",
        why: `whether a controller leads is not known: you may not read Lease ${key}`,
      };
    case "missing":
      return {
        by,
        leads: "no Lease",
        why: `there is no Lease ${key}, which a controller with --leader-elect has`,
      };
    case "lease": {
      const why = whyNotBy(cronJob, lease, now);
      return why === undefined
        ? { by, leads: "yes", why: `${adopted}${lease.holder} leads (Lease ${key})` }
        : { by: "none", reason: "NoController", why };
    }
  }
}

/** Returns the Lease whose holder runs a CronJob; the first one where none does. */
export function leaseOf(cronJob: CronJob, { leases }: Controllers, now: EpochMs): LeaseFacts | undefined {
  return leases?.find((lease) => lease.kind === "lease" && whyNotBy(cronJob, lease, now) === undefined) ?? leases?.[0];
}

/** Returns why the holder of a Lease does not run a CronJob; of a plain `batch/v1` CronJob it has to say that it does. */
function whyNotBy(cronJob: CronJob, lease: LeaseFacts & { kind: "lease" }, now: EpochMs): string | undefined {
  const { key, holder, serves } = lease;
  const { flavour, stewardship, metadata: { namespace = "" } } = cronJob;
  const noLeader = whyNoLeader(lease, now);
  if (noLeader !== undefined) return noLeader;
  if (flavour.adoptable && stewardship.suspendedIn === "spec" && serves?.managedOnly !== false) return "not adopted";
  if (serves === undefined) return undefined;
  const { apis, namespaces } = serves;
  const api = flavour.apiVersion;
  const who = `${holder}, which leads (Lease ${key}),`;
  if (!apis.includes(api)) return `${who} runs CronJobs of ${apis.join(", ")}, and none of ${api}`;
  if (namespaces.length > 0 && !namespaces.includes(namespace)) {
    return `${who} runs CronJobs in ${namespaces.join(", ")} alone`;
  }
  return undefined;
}

/** A CronJob as the controller reads it that runs it. */
export interface RunCronJob {
  readonly cronJob: CronJob;
  readonly runner: Runner;
  /** Notes on its annotations: those without effect, and why. */
  readonly notes: readonly string[];
}

/** Reads a CronJob as its runner does: kube-controller-manager knows none of this program's annotations. */
export function asRun(cronJob: CronJob, controllers: Controllers, now: EpochMs): RunCronJob {
  const runner = runnerOf(cronJob, controllers, now);
  if (readsAnnotations(runner)) return { cronJob, runner, notes: cronJob.settings.problems };
  const annotations = Object.entries(cronJob.metadata.annotations ?? {});
  const idle = annotations.filter(([name]) =>
    name.startsWith(`${PREFIX}/`) && !(name === PAUSE && isSuspension(cronJob))
  );
  if (idle.length === 0) return { cronJob, runner, notes: [] };
  const { flavour, object, metadata } = cronJob;
  const kept = Object.fromEntries(annotations.filter((one) => !idle.includes(one)));
  return {
    cronJob: readCronJob(flavour, { ...object, metadata: { ...metadata, annotations: kept } }),
    runner,
    notes: idle.filter(([name]) => isAsked(name, cronJob, now)).map(([name, text]) =>
      name === MANAGED ? managedProblem(text) : `annotation ${name} has no effect: not adopted`
    ),
  };
}

/** Says where to look if a run that is due was not started, and nothing else says why. */
export function whereToLook(runner: Runner | undefined): string {
  const isLed = runner?.by === "cronjob-controller" && runner.leads === "yes";
  return isLed ? "a controller leads, so read its log" : "does a controller run?";
}

/** Returns whether the annotations of a CronJob count. */
export function readsAnnotations(runner: Runner): boolean {
  return runner.by !== "kube-controller-manager" && !(runner.by === "none" && runner.reason === "InvalidAnnotation");
}

/** Returns whether an annotation asks for anything: a pause that is over, or a back-fill that was answered, does not. */
function isAsked(
  name: string,
  { settings: { pause }, backfill, recordedBackfill, object }: CronJob,
  now: EpochMs,
): boolean {
  if (name === PAUSE) return readPauseNote(object).kind === "problem" || isPaused(pause, now);
  if (name === BACKFILL) return backfill.kind !== "backfill" || backfill.backfill.id !== recordedBackfill?.id;
  if (name === MANAGED) return isManagedUnread(object);
  return isSetting(name);
}

/** With `suspends` the note says whose `spec.suspend` it is. */
function isSuspension({ object }: CronJob): boolean {
  const reading = readPauseNote(object);
  return reading.kind === "note" && reading.note.suspends === true;
}
