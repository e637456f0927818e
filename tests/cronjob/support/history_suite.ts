import * as fc from "fast-check";
import { test } from "../../support/test.ts";
import { BATCH, PRODUCTION, TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import { History } from "./history.ts";
import { actions } from "./history_actions.ts";
import { checkPause, checkSafety, checkTimeouts, checkTruth } from "./history_checks.ts";
import { checkLine, checkOrder } from "./history_line.ts";
import type { Setting } from "./history_setting.ts";

export const SETTINGS: Record<string, Omit<Setting, "prompt">> = {
  "Allow": {
    api: TUTORIAL,
    spec: { concurrencyPolicy: "Allow", successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 },
  },
  "Allow, no history": {
    api: TUTORIAL,
    spec: { concurrencyPolicy: "Allow", successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 },
  },
  "Allow with a deadline": { api: TUTORIAL, spec: { concurrencyPolicy: "Allow", startingDeadlineSeconds: 4 } },
  "Allow, catching all up": { api: TUTORIAL, spec: { concurrencyPolicy: "Allow", catchUp: { policy: "All" } } },
  "Allow, catching all up, three at a time": {
    api: TUTORIAL,
    spec: { concurrencyPolicy: "Allow", catchUp: { policy: "All", maxParallel: 3 }, successfulJobsHistoryLimit: 0 },
  },
  "Allow, catching all up with a deadline": {
    api: TUTORIAL,
    spec: { concurrencyPolicy: "Allow", startingDeadlineSeconds: 9, catchUp: { policy: "All" } },
  },
  "Queue, catching all up with a deadline": {
    api: TUTORIAL,
    spec: { concurrencyPolicy: "Queue", startingDeadlineSeconds: 6, catchUp: { policy: "All" } },
  },
  "Replace, catching all up": { api: TUTORIAL, spec: { concurrencyPolicy: "Replace", catchUp: { policy: "All" } } },
  "batch/v1, Allow, catching all up": {
    api: BATCH,
    spec: { concurrencyPolicy: "Allow", successfulJobsHistoryLimit: 0 },
    annotations: { "cronjob-controller.dev/catch-up": "All" },
  },
  "batch/v1, Forbid, catching all up with a deadline": {
    api: BATCH,
    spec: { concurrencyPolicy: "Forbid", startingDeadlineSeconds: 100 },
    annotations: { "cronjob-controller.dev/catch-up": "All" },
  },
  "Forbid": { api: TUTORIAL, spec: { concurrencyPolicy: "Forbid", successfulJobsHistoryLimit: 1 } },
  "Forbid, catching all up": { api: TUTORIAL, spec: { concurrencyPolicy: "Forbid", catchUp: { policy: "All" } } },
  "Replace": { api: TUTORIAL, spec: { concurrencyPolicy: "Replace", successfulJobsHistoryLimit: 0 } },
  "Queue": { api: TUTORIAL, spec: { concurrencyPolicy: "Queue", startingDeadlineSeconds: 3 } },
  "Allow, with exclusions": {
    api: TUTORIAL,
    spec: {
      concurrencyPolicy: "Allow",
      catchUp: { policy: "All" },
      exclude: [{ schedule: "*/3 * * * *" }, { from: "2026-03-10T09:01", to: "2026-03-10T09:02" }],
    },
    isExcluded: (slot) => {
      const minute = Math.floor(slot / 60_000) % 60;
      return minute % 3 === 0 || minute === 1 && slot < Date.parse("2026-03-10T09:02:00Z");
    },
  },
  "Forbid, with exclusions that are made up for": {
    api: TUTORIAL,
    spec: {
      concurrencyPolicy: "Forbid",
      exclude: [{ schedule: "*/2 * * * *" }],
      onExcluded: "RunAfter",
    },
    isExcluded: (slot) => Math.floor(slot / 60_000) % 2 === 0,
  },
  "Allow, with several schedules": {
    api: TUTORIAL,
    spec: {
      concurrencyPolicy: "Allow",
      catchUp: { policy: "All" },
      schedules: [{ schedule: "@every 5s" }, { schedule: "@every 7s" }, { schedule: "* * * * *" }],
    },
    isNotEdited: true,
  },
  "batch/v1, Allow, with several schedules": {
    api: BATCH,
    spec: { concurrencyPolicy: "Allow" },
    annotations: {
      "cronjob-controller.dev/schedules": '[{"schedule":"*/2 * * * *"},{"schedule":"*/3 * * * *"}]',
    },
    isNotEdited: true,
  },
  "Allow, pausing after failures": {
    api: TUTORIAL,
    spec: { concurrencyPolicy: "Allow", pauseAfterFailures: 2, failedJobsHistoryLimit: 0 },
  },
  "batch/v1, Allow, pausing after failures": {
    api: BATCH,
    spec: { concurrencyPolicy: "Allow", failedJobsHistoryLimit: 0 },
    annotations: { "cronjob-controller.dev/pause-after-failures": "2" },
  },
  "Forbid, with Pods that wait": {
    api: TUTORIAL,
    spec: { concurrencyPolicy: "Forbid", pendingTimeoutSeconds: 12, failedJobsHistoryLimit: 1 },
    pendingSeconds: 12,
  },
  "batch/v1, Allow, with Pods that wait": {
    api: BATCH,
    spec: { concurrencyPolicy: "Allow" },
    annotations: { "cronjob-controller.dev/pending-timeout-seconds": "150" },
    pendingSeconds: 150,
  },
  "cronjob-controller.dev/v1, Forbid": { api: PRODUCTION, spec: { concurrencyPolicy: "Forbid" } },
  "batch/v1, Allow": { api: BATCH, spec: { concurrencyPolicy: "Allow" } },
  "batch/v1, Forbid": { api: BATCH, spec: { concurrencyPolicy: "Forbid" } },
  "batch/v1, Replace": { api: BATCH, spec: { concurrencyPolicy: "Replace" } },
};

/** Where runs of the past could do harm. */
const BACKFILLED = [
  "Allow, no history",
  "Allow, catching all up",
  "Forbid",
  "Forbid, catching all up",
  "Queue",
  "Allow, with exclusions",
  "Allow, pausing after failures",
  "Forbid, with Pods that wait",
  "batch/v1, Allow",
  "batch/v1, Replace",
];

const VARIANTS = [
  ["", { edits: false }],
  [", edited and suspended", { edits: true }],
  [", with runs of the past", { edits: false, backfills: true }],
  [", by a clock that is set", { edits: false, jumps: true }],
  [", by a clock that is set and is not the API server's", { edits: false, jumps: true, serverIsRight: true }],
] as const;

type Variant = (typeof VARIANTS)[number][1];

/** A setting, and what can happen in its histories. */
export interface HistoryCase {
  readonly name: string;
  readonly setting: Omit<Setting, "prompt">;
  readonly variant: Variant;
}

export const CASES: readonly HistoryCase[] = Object.entries(SETTINGS).flatMap(([name, setting]) =>
  VARIANTS.filter(([, variant]) =>
    !(variant.edits && setting.isNotEdited) && (!("backfills" in variant) || BACKFILLED.includes(name))
  ).map(([more, variant]) => ({ name: `${name}${more}`, setting, variant }))
);

/** Returns what holds of every history of a case. `onKept` is called with each for which it did. */
export function keepsPromises({ setting: of, variant }: HistoryCase, onKept: (history: History) => void = () => {}) {
  const drawn = actions({ ...variant, pending: of.pendingSeconds !== undefined });
  return fc.asyncProperty(fc.boolean(), drawn, async (prompt, steps) => {
    const setting = { ...of, prompt, serverIsRight: "serverIsRight" in variant };
    const history = new History(setting);
    for (const step of steps) {
      await history.act(step);
      checkSafety(history, setting);
    }
    await history.settle();
    checkSafety(history, setting);
    checkTruth(history, setting);
    await history.checkRest();
    checkSafety(history, setting);
    checkTruth(history, setting);
    await history.act({ do: "wait", seconds: 30 });
    await history.settle();
    checkSafety(history, setting);
    checkTruth(history, setting);
    checkOrder(history, setting);
    await checkLine(history, setting);
    await checkPause(history, setting);
    await checkTimeouts(history, setting);
    onKept(history);
  });
}

/** Random histories: whatever happens in whatever order, what must hold holds. */
export function historyTests({ runs }: { runs: number }): void {
  for (const each of CASES) {
    test(`Any history keeps the promises: ${each.name}`, async () => {
      await fc.assert(keepsPromises(each), { numRuns: runs });
    });
  }
}
