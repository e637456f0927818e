import { quantile } from "../../cronjob/status/durations.ts";
import type { RunView, RunViewOutcome } from "../../view/cron_job_view.ts";
import type { ViewInput } from "../../view/look.ts";
import { keyOf } from "../../kube/object.ts";
import { whyOf } from "../../view/pods.ts";
import { durationMs } from "../../view/runs.ts";
import { fullTime } from "../../schedule/full_time.ts";
import { distanceOf } from "../../view/times.ts";
import { type Cell, formatTable } from "../shared/table.ts";
import type { Colour, Terminal } from "../shared/terminal.ts";

interface About {
  /** All runs that are known, shown or not. */
  readonly known: readonly RunView[];
  readonly input: ViewInput;
  readonly zone: string;
  readonly terminal: Terminal;
}

const COLOURS: Partial<Record<RunViewOutcome, Colour>> = {
  Succeeded: "green",
  Failed: "red",
  Missed: "red",
  Skipped: "yellow",
  Pending: "yellow",
  Running: "cyan",
};

/** What a small screen does without, the least important first. */
const SPARE: readonly string[] = ["JOB", "START", "TRIGGER", "DURATION"];

const TRIGGERS: Readonly<Record<RunView["trigger"], string>> = {
  Schedule: "schedule",
  Manual: "by hand",
  Backfill: "back-fill",
};

const NONE_CHOSEN = "No such run is known: leave out --failed and --since to see the others";

/** Returns the table of `runs`, and what all known runs add up to. */
export function formatHistory(runs: readonly RunView[], about: About): string {
  if (runs.length === 0) return about.known.length === 0 ? "No run is known" : NONE_CHOSEN;
  const rows = runs.map((run): Cell[] => [
    atZone(run, about),
    TRIGGERS[run.trigger],
    late(run),
    duration(run, about),
    outcome(run),
    whyOf(run, about.input),
    run.job ?? "",
  ]);
  const head = [`TIME (${about.zone})`, "TRIGGER", "START", "DURATION", "OUTCOME", "WHY", "JOB"];
  const table = formatTable([head, ...rows], { terminal: about.terminal, explains: "WHY", spare: SPARE });
  return [table, ...summary(about.known)].join("\n");
}

/** Returns the table of runs of several CronJobs, newest first, and how many of those that are wanted it leaves out. */
export function formatHistories(
  runs: readonly { readonly run: RunView; readonly input: ViewInput }[],
  { zone, known, wanted, terminal }: Pick<About, "zone" | "terminal"> & { known: number; wanted: number },
): string {
  if (runs.length === 0) return known === 0 ? "No run is known" : NONE_CHOSEN;
  const rows = runs.map(({ run, input }): Cell[] => [
    atZone(run, { zone }),
    keyOf(input.cronJob),
    TRIGGERS[run.trigger],
    duration(run, { input }),
    outcome(run),
    whyOf(run, input),
    run.job ?? "",
  ]);
  const head = [`TIME (${zone})`, "CRONJOB", "TRIGGER", "DURATION", "OUTCOME", "WHY", "JOB"];
  const table = formatTable([head, ...rows], { terminal, explains: "WHY", spare: SPARE });
  return wanted === runs.length ? table : `${table}\nThe newest ${runs.length} of ${wanted}: --last shows more`;
}

function atZone({ scheduledTime, startedAt }: RunView, { zone }: Pick<About, "zone">): string {
  const instant = scheduledTime ?? startedAt;
  // The zone stands in the head.
  return instant === undefined ? "" : fullTime(instant, zone).slice(0, -zone.length - 1);
}

function late({ trigger, scheduledTime, startedAt }: RunView): string {
  if (trigger !== "Schedule" || scheduledTime === undefined || startedAt === undefined) return "";
  return `+${distanceOf(scheduledTime, startedAt)}`;
}

function duration(run: RunView, { input: { now } }: Pick<About, "input">): string {
  const ms = durationMs(run);
  if (ms !== undefined) return distanceOf(0, ms);
  const goesOn = run.outcome === "Running" || run.outcome === "Pending";
  return goesOn && run.startedAt !== undefined ? `${distanceOf(run.startedAt, now)} so far` : "";
}

function outcome({ outcome }: RunView): Cell {
  const colour = COLOURS[outcome];
  return colour === undefined ? outcome : { text: outcome, colour };
}

/** Returns how long those took that ended, and how many of them succeeded. */
function summary(runs: readonly RunView[]): string[] {
  const ended = runs.filter(({ outcome }) => outcome === "Succeeded" || outcome === "Failed");
  const durations = ended.flatMap((run) => durationMs(run) ?? []).sort((a, b) => a - b);
  if (durations.length === 0) return [];
  const took = (share: number) => distanceOf(0, quantile(durations, share));
  const succeeded = ended.filter(({ outcome }) => outcome === "Succeeded").length;
  const many = `${ended.length} ${ended.length === 1 ? "run" : "runs"}`;
  const share = Math.floor(100 * succeeded / ended.length);
  return [`p50 ${took(0.5)}, p95 ${took(0.95)} over ${many} that ended; ${share} % of them succeeded`];
}
