import { type EpochMs, formatTime, latest } from "../../base/epoch_ms.ts";
import { takesPlace } from "../api/job.ts";
import type { Findings } from "../decision/findings.ts";
import { standstillOf } from "../decision/obstacles.ts";
import { restedUntil } from "../decision/start_point.ts";
import { notFollowed } from "./conditions.ts";
import { lastMissed } from "./run_records.ts";

/** Troubles of CronJobs beside failed runs, each with its meaning. */
export const TROUBLES = {
  "missed": "a scheduled time passed without a run",
  "skipped": "an active run has held back the third run in a row",
  "not-followed": "no run starts, though the spec asks for runs",
  "held": "no run starts until a person resumes the CronJob",
  "late": "a run has not started when spec.expect says",
  "slow": "no run has succeeded when spec.expect says",
  "stale": "no run has succeeded for as long as spec.expect says",
  "suspicious": "a run succeeded sooner, or with another message, than spec.expect says",
} as const;

export type TroubleKind = keyof typeof TROUBLES;

/** A trouble of a CronJob that a user should hear of. */
export interface Trouble {
  readonly kind: TroubleKind;
  /** Distinguishes it from others of its kind; the same in every process that finds it. */
  readonly id: string;
  readonly since: EpochMs;
  /** When it was found, where that may be much later. */
  readonly foundAt?: EpochMs;
  readonly message: string;
}

/** How many runs in a row must be held back to be a trouble. */
const MANY_SKIPPED = 3;
/** A refusal for less time may come from a webhook that restarts. */
const REFUSED_MS = 60_000;

/** Troubles that a person ends by `resume`. */
const HELD: readonly string[] = ["PausedAfterFailures", "RecordLost"];

/** Returns the troubles of a CronJob as it stands: each decision finds the same ones until they end. */
export function troublesOf(findings: Findings): Trouble[] {
  return [...missed(findings), ...skipped(findings), ...standing(findings), ...unmet(findings)];
}

function missed(findings: Findings): Trouble[] {
  const time = lastMissed(findings);
  if (time === undefined) return [];
  const message = `The run of ${formatTime(time)} was not started in time`;
  const { cronJob: { lastMissedTime }, now } = findings.input;
  const foundNow = time > (lastMissedTime ?? -Infinity) && { foundAt: now };
  return [{ kind: "missed", id: formatTime(time), since: time, ...foundNow, message }];
}

function skipped(findings: Findings): Trouble[] {
  const { input, children, start, scheduled, due: { schedule, offsetMs } } = findings;
  const { cronJob: { settings }, now } = input;
  const active = children.findLast((child) => takesPlace(child) && child.scheduledTime !== undefined);
  if (scheduled.kind !== "wait" || settings.policy !== "Forbid" || settings.catchUp === "All") return [];
  if (!active || !schedule) return [];
  const after = latest(active.scheduledTime, start.floor, restedUntil(findings))!;
  const [, , third] = schedule.between(after, now - offsetMs) as Iterable<EpochMs>;
  if (third === undefined) return [];
  const { name, uid } = active.metadata;
  const message = `${name} is still active and has held back ${MANY_SKIPPED} runs (concurrencyPolicy Forbid)`;
  return [{ kind: "skipped", id: uid, since: third, message }];
}

function standing(findings: Findings): Trouble[] {
  const found = notFollowed(findings);
  const { input: { cronJob, now }, start, scheduled, failures } = findings;
  if (!found) return [];
  const { reason, message } = found;
  if (HELD.includes(reason)) {
    const since = failures?.pausedSince ?? findings.block?.lost?.since ?? now;
    return [{ kind: "held", id: `${reason}/${formatTime(since)}`, since, message: `${reason}: ${message}` }];
  }
  if (scheduled.kind === "failed" && !standstillOf(findings)) {
    const { since } = scheduled;
    if (now - since < REFUSED_MS) return [];
    // One trouble, however many runs are refused until one starts.
    const last = start.lastScheduleTime === undefined ? "" : formatTime(start.lastScheduleTime);
    return [{ kind: "not-followed", id: `${reason}/${last}`, since, message: `${reason}: ${message}` }];
  }
  // Annotations change no generation.
  const written = cronJob.scheduleWrittenAt === undefined ? "" : formatTime(cronJob.scheduleWrittenAt);
  const id = `${reason}/${cronJob.metadata.generation ?? ""}/${written}`;
  return [{ kind: "not-followed", id, since: cronJob.specWrittenAt ?? now, message: `${reason}: ${message}` }];
}

function unmet({ expectations }: Findings): Trouble[] {
  return expectations.breaches.map(({ kind, time, since, message }) => ({
    kind: kind.toLowerCase() as Lowercase<typeof kind>,
    id: formatTime(time),
    since,
    message,
  }));
}
