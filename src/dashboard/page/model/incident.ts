import type { Explained, Row } from "../../wire.ts";
import { fullTime } from "../../../schedule/full_time.ts";
import { distanceOf, durationText } from "../../../view/times.ts";
import { OUTCOMES } from "../parts/run_shapes.tsx";
import { nameOf } from "./order.ts";

/** Runs that are listed. */
const LISTED = 5;

/** Returns how a CronJob stands, as Markdown for a chat or a ticket. */
export function incidentOf(
  row: Row,
  { verdict, lastLines }: Pick<Explained, "verdict" | "lastLines">,
  { now, link }: { readonly now: number; readonly link: string },
): string {
  const { state, since, cause, schedule, zone, lastSuccess, failuresInARow: { count, atLeast } } = row;
  const time = (at: number) => `${fullTime(at, zone)} (${distanceOf(at, now)} ago)`;
  const started = since === undefined
    ? ""
    : ` ${state === "Failing" && atLeast ? "at least " : ""}since ${time(since)}`;
  const facts = [
    ...cause ? [`Cause: ${plain(cause.message)}`] : [],
    ...state === "Failing" && count > 1 ? [`Failures in a row: ${atLeast ? "at least " : ""}${count}`] : [],
    `Last success: ${lastSuccess === undefined ? "not known" : time(lastSuccess)}`,
    ...row.nextRun?.kind === "known" ? [`Next run: ${fullTime(row.nextRun.startsAt, zone)}`] : [],
    `Schedule: ${code(schedule)} ${zone}`,
    `Why: it ${plain(verdict.message)}${verdict.why === undefined ? "" : `: ${plain(verdict.why)}`}`,
  ];
  const runs = row.lastRuns.slice(0, LISTED).map(({ at, outcome, ms, reason }) =>
    `| ${fullTime(at, zone)} | ${OUTCOMES[outcome]} | ${ms === undefined ? "" : durationText(ms)} | ${
      plain(reason ?? "")
    } |`
  );
  return [
    `**[${plain(nameOf(row))}](${link})** is ${state}${started}`,
    "",
    ...facts.map((fact) => `- ${fact}`),
    ...runs.length === 0 ? [] : ["", "| Run | Outcome | Took | Reason |", "| --- | --- | --- | --- |", ...runs],
    ...lastLines.length === 0 ? [] : ["", ...fenced(lastLines)],
    "",
  ].join("\n");
}

/** Text that is no Markdown, in one line. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_~<>|[\]#]/g, "\\$&");
}

function code(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

/** A fence that is longer than any in the lines. */
function fenced(lines: readonly string[]): string[] {
  const longest = Math.max(2, ...lines.flatMap((line) => line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return [fence, ...lines, fence];
}
