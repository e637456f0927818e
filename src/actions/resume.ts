import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { ActionPlan } from "./action.ts";
import { type Hold, holdInWords, holdsOn, type Resumption } from "./holds.ts";

export interface ResumeRequest extends Resumption {
  /** The reason of the pauses that end; undefined for all pauses, and for halts by the controller too. */
  readonly reason: string | undefined;
  /** The author whose pauses are ended. */
  readonly of: string | undefined;
  /** Whether holds that were written by other means end too: `spec.suspend`, a note without an author. @default {false} */
  readonly withForeign?: boolean;
}

/**
 * Plans the end of the holds on a CronJob that the request is for. Pauses of other users stay, and so do holds that were written
 * by other means, unless the request is for them too.
 */
export function planResume(cronJob: CronJob, request: ResumeRequest): ActionPlan {
  const { closed } = cronJob.stewardship;
  if (closed) return { kind: "left", message: `not resumed: ${closed.message}` };
  const holds = holdsOn(cronJob, request.now);
  const ended = holds.filter((hold) => isMeant(hold, request));
  const left = holds.filter((hold) => !ended.includes(hold)).map(holdInWords).join(", and ");
  if (ended.length === 0) {
    return left === ""
      ? { kind: "unchanged", message: "is not paused" }
      : { kind: "left", message: `not resumed: ${left}` };
  }
  const edits = ended.map(({ end }) => end(request));
  return {
    kind: "edit",
    edit: {
      annotations: Object.assign({}, ...edits.map(({ annotations }) => annotations)),
      spec: edits.some(({ spec }) => spec) ? Object.assign({}, ...edits.map(({ spec }) => spec)) : undefined,
    },
    message: `resumed (was ${ended.map(({ message }) => message).join(", and ")})${
      left === "" ? "" : `, but still ${left}`
    }`,
  };
}

function isMeant(hold: Hold, { of, reason, withForeign = false }: ResumeRequest): boolean {
  switch (hold.kind) {
    case "note":
      return (hold.note.by === of || (withForeign && hold.note.by === undefined)) &&
        (reason === undefined || hold.note.reason === reason);
    case "halt":
      return reason === undefined;
    case "foreign":
      return withForeign;
  }
}
