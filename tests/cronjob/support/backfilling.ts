import { BACKFILL, BACKFILL_PROGRESS } from "../../../src/cronjob/api/annotations.ts";
import type { Flavour } from "../../../src/cronjob/api/flavour.ts";
import type { BackfillSpec } from "../../../src/cronjob/api/spec_fields.ts";
import type { BackfillStatus, CronJobSpec } from "../../../src/cronjob/api/types.ts";
import { must } from "../../support/expected.ts";
import { Starting } from "./starting.ts";

/** From 06:00 to 08:59 hourly, while the CronJob is there since 10:00. */
export const REQUEST: BackfillSpec = { id: "a", from: "2026-03-10T06:00:00Z", to: "2026-03-10T09:00:00Z" };

export function startingWith(
  flavour: Flavour,
  request: Partial<BackfillSpec> = {},
  { spec, ...more }: { spec?: Partial<CronJobSpec>; armed?: string } = {},
): Starting {
  const asked = { ...REQUEST, ...request };
  const schedule = { schedule: "0 * * * *", ...spec };
  return flavour.extrasIn === "spec"
    ? new Starting({ flavour, spec: { ...schedule, backfill: asked }, ...more })
    : new Starting({ flavour, spec: schedule, annotations: { [BACKFILL]: JSON.stringify(asked) }, ...more });
}

export function progressOf({ flavour, cronJob }: Starting): BackfillStatus | undefined {
  if (flavour.openStatus) return cronJob.status?.backfill;
  const text = cronJob.metadata.annotations?.[BACKFILL_PROGRESS];
  return text === undefined ? undefined : JSON.parse(text);
}

export function countsOf(s: Starting) {
  const { state, slots, succeeded, failed, gone, skipped } = progressOf(s)!;
  return { state, slots, succeeded, failed, gone, skipped };
}

/** Ends what is active, one Job after the other, until nothing is started any more. */
export async function runOut(s: Starting, end: "Complete" | "Failed" = "Complete"): Promise<void> {
  for (let i = 0; i < 50; i++) {
    await s.comeToRest();
    const active = [...s.server.jobs.values()].filter(({ status }) => !status?.conditions);
    if (active.length === 0) return;
    s.finishJob(must(active[0]), end);
  }
  throw new Error("It never ends");
}
