import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import type { Explanation } from "../../view/explain/explanation.ts";
import { nextRunJson, runJson } from "../../view/json.ts";
import { fullTime } from "../../schedule/full_time.ts";
import type { Runner } from "../../view/runner.ts";
import { distanceOf } from "../../view/times.ts";
import { printable } from "../../telemetry/printable.ts";
import { remedyOf } from "../../view/remedies.ts";
import { many } from "../print/counted.ts";

/** An explanation, and whether CronJobs of several APIs have its name: its remedies then name the API. */
type Named = Explanation & { readonly isNamesake?: boolean };

/** Returns an explanation as text. */
export function formatExplanation(explanation: Named, now: EpochMs): string {
  const { apiVersion, name, isNamesake, verdict, checks, lastLines, actions, runner, notes } = explanation;
  const which = isNamesake ? ` (${apiVersion})` : "";
  return [
    printable(`${name}${which} ${verdict.message}.`),
    ...section("Why", verdict.why === undefined ? [] : [verdict.why]),
    ...section("Output", lastLines),
    ...section("Checks", checks.map(({ result, message }) => `${result.padEnd(4)}  ${message}`)),
    ...section("By", runner === undefined ? [] : [`${runBy(runner)}: ${runner.why}`]),
    ...section("Note", notes),
    ...section("Since", since(explanation, now)),
    ...section("Do", actions.map((action) => remedyOf(action, explanation))),
    ...section("Next", next(explanation, now)),
  ].join("\n");
}

const RUN_BY: Readonly<Record<Runner["by"], string>> = {
  "cronjob-controller": "cronjob-controller runs it",
  "kube-controller-manager": "kube-controller-manager runs it",
  none: "no controller runs it",
  contested: "two controllers claim it",
};

function runBy(runner: Runner): string {
  const isSure = runner.by !== "cronjob-controller" || runner.leads === "yes";
  return `${RUN_BY[runner.by]}${isSure ? "" : ", if one is there"}`;
}

const INDENT = 8;

function section(head: string, lines: readonly string[]): string[] {
  return lines.map((line, i) => (i === 0 ? head : "").padEnd(INDENT) + printable(line));
}

function since({ lastSuccess, sinceSuccess, zone }: Explanation, now: EpochMs): string[] {
  const counts = Object.entries(sinceSuccess).filter(([, count]) => count > 0)
    .map(([what, count]) => `${many(count, "run")} ${what}; `).join("");
  if (lastSuccess === undefined) return [`${counts}no success is known`];
  return [`${counts}last success ${fullTime(lastSuccess, zone)} (${distanceOf(lastSuccess, now)} ago)`];
}

const EXPECTED = {
  Start: "",
  Wait: ": waits if an active run has not ended by then",
  Replace: ": will replace the active run",
} as const;

function next({ nextRun, zone }: Explanation, now: EpochMs): string[] {
  if (nextRun === undefined) return ["nothing is scheduled as things stand"];
  if (nextRun.kind === "unknown") return [`not known: ${nextRun.message}`];
  const { scheduledTime, startsAt, expected, behind } = nextRun;
  const late = startsAt === scheduledTime ? "" : `, the run of ${fullTime(scheduledTime, zone)}`;
  const whatIf = behind === undefined ? EXPECTED[expected] : `: waits in line behind ${behind}`;
  return [`${fullTime(startsAt, zone)}, in ${distanceOf(now, startsAt)}${late}${whatIf}`];
}

/** Returns an explanation as JSON: `docs/schemas/explain.json`. */
export function explanationJson(explanation: Named) {
  const { scheduledTime, run, lastSuccess, nextRun, actions, isNamesake: _, ...rest } = explanation;
  return {
    ...rest,
    scheduledTime: scheduledTime === undefined ? undefined : formatTime(scheduledTime),
    run: run && runJson(run),
    lastSuccess: lastSuccess === undefined ? undefined : formatTime(lastSuccess),
    actions: actions.map((action) => ({ ...action, remedy: remedyOf(action, explanation) })),
    nextRun: nextRun && nextRunJson(nextRun),
  };
}
