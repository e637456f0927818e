import type { CronJobReport, LoadReport, SimulationReport } from "../../simulate/report.ts";
import { bytesText } from "../../simulate/requests.ts";
import { formatDistance } from "../../view/times.ts";
import { timeIn } from "../../schedule/full_time.ts";
import { printable } from "../../telemetry/printable.ts";
import { many } from "../print/counted.ts";
import { type HeatCell, type HeatMap, heatMapOf, levelOf, levelText } from "../../simulate/heat_map.ts";

const BLOCKS = "·░▒▓█";
const ASCII = ".-+*#";

/** Returns the report as people read it. */
export function formatText(report: SimulationReport, { ascii }: { readonly ascii: boolean }): string {
  const marks = ascii ? ASCII : BLOCKS;
  const map = heatMapOf(report);
  const lines = [
    ...title(report, map, marks),
    ...picture(map, marks),
    "",
    ...summary(report),
  ];
  return lines.map((line) => line.trimEnd()).map(printable).join("\n");
}

function title(report: SimulationReport, { levels, cellMinutes }: HeatMap, marks: string): string[] {
  const { cronJobs: { total, new: fresh, changed }, load: { runs }, timeZone } = report;
  const compared = fresh === undefined ? "" : ` (${fresh} new, ${changed} changed)`;
  const legend = levels.map((level, i) => `${marks[i]} ${levelText(level)}`);
  return [
    `${many(total, "CronJob")}${compared}, ${at(report.from, report)} to ${at(report.to, report)} ${timeZone}: ${
      many(runs, "run")
    }`,
    `Starts in the busiest minute of each ${cellMinutes === 60 ? "hour" : "5"}:  ${legend.join("  ")}`,
  ];
}

function at(time: string, { timeZone }: Pick<SimulationReport, "timeZone">): string {
  return timeIn(timeZone, Date.parse(time));
}

function picture({ columns, rows, levels }: HeatMap, marks: string): string[] {
  const margin = Math.max(...rows.map(({ label }) => label.length)) + 2;
  const width = Math.max(...columns.map((column) => column.length)) + 1;
  const head = " ".repeat(margin) + columns.map((column) => column.padEnd(width)).join("");
  const body = rows.map(({ label, cells }) => {
    const drawn = cells.map((cell) => (cell ? marks.charAt(levelOf(cell.value, levels)) : "").padEnd(width));
    return label.padEnd(margin) + drawn.join("") + grown(cells, levels, marks);
  });
  return [head, ...body];
}

/** Returns what of a row grows the most, if that shows. */
function grown(cells: readonly (HeatCell | undefined)[], levels: HeatMap["levels"], marks: string): string {
  let most: HeatCell | undefined;
  for (const cell of cells) {
    if (cell?.before === undefined || levelOf(cell.value, levels) <= levelOf(cell.before, levels)) continue;
    if (most === undefined || cell.value - cell.before > most.value - most.before!) most = cell;
  }
  return most ? ` ${marks === ASCII ? "<-" : "←"} ${most.label}: ${most.value} (was ${most.before})` : "";
}

function summary(report: SimulationReport): string[] {
  const { load, before, objects, advice, limits } = report;
  const was = (value: (load: LoadReport) => string) => {
    return before && value(before) !== value(load) ? ` (was ${value(before)})` : "";
  };
  const lines: [string, string][] = [
    [
      "peak starts",
      `${number(load.peakStarts.count)} in the minute ${at(load.peakStarts.minute, report)}${
        was(({ peakStarts }) => number(peakStarts.count))
      }`,
    ],
    [
      "peak active",
      `${number(load.peakActive.count)} at ${at(load.peakActive.at, report)}${
        was(({ peakActive }) => number(peakActive.count))
      }; ${durations(report)}`,
    ],
    [
      "requests",
      `${cores(load)} CPU at ${at(load.peakCpu.at, report)}${was(cores)}, ` +
      `${bytes(load)} at ${at(load.peakMemory.at, report)}${was(bytes)}`,
    ],
    ...NOTABLE.flatMap((each) => about(each, objects)),
    ...advice.map(({ schedule, count, instead, fields, peakStarts }): [string, string] => [
      "advice",
      `${number(count)} of the ${number(load.peakStarts.count)} say "${schedule}"; with "${instead}" in ${
        fields.join(" or ")
      } the busiest minute has ` +
      number(peakStarts),
    ]),
    ...limits.map(({ of, limit, reached, exceeded }): [string, string] => [
      "limit",
      `--max-${of} ${limit}: ${exceeded ? "EXCEEDED" : "kept"}, ${number(reached)} at most`,
    ]),
  ];
  let last = "";
  return lines.map(([head, text]) => {
    const shown = head === last ? "" : head;
    last = head;
    return shown.padEnd(13) + text;
  });
}

/** Of more than these the others are counted. */
const SHOWN = 5;

function about([head, countOf, textOf]: Notable, objects: readonly CronJobReport[]): [string, string][] {
  const concerned = objects.filter((one) => countOf(one) > 0).sort((a, b) => countOf(b) - countOf(a));
  const others = concerned.length - SHOWN;
  const shown = concerned.slice(0, SHOWN).map((one): [string, string] => [head, textOf(one)]);
  return others > 0 ? [...shown, [head, `and ${many(others, "other CronJob")}; -o json names all`]] : shown;
}

const WHY = {
  JobAlreadyActive: "others are active",
  Superseded: "a later one takes its place",
  MissSchedule: "the deadline passes",
  PassedOver: "a later one is started",
  JobNameTaken: "the name of its Job is taken",
} as const;

/** Something that happens to CronJobs: how often, and the line about one. */
type Notable = readonly [head: string, countOf: (one: CronJobReport) => number, textOf: (one: CronJobReport) => string];

const NOTABLE: readonly Notable[] = [
  ["skipped", ({ skipped }) => sumOf(skipped), (one) => {
    const reasons = Object.keys(one.skipped).map((reason) => WHY[reason as keyof typeof WHY]).join(", ");
    return `${many(sumOf(one.skipped), "run")} of ${nameOf(one)}: ${reasons} (${policyOf(one)})`;
  }],
  ["late", ({ late }) => late, (one) => {
    const most = formatDistance(one.latestSeconds);
    return `${many(one.late, "run")} of ${nameOf(one)}, by up to ${most} (${policyOf(one)})`;
  }],
  [
    "replaced",
    ({ replaced }) => replaced,
    (one) => `${many(one.replaced, "run")} of ${nameOf(one)} ended for the next one (${policyOf(one)})`,
  ],
  ["unmet", ({ unmet = {} }) => sumOf(unmet), (one) => {
    const kinds = Object.entries(one.unmet!).map(([kind, times]) => `${kind} ${many(times, "time")}`);
    return `${nameOf(one)}: ${kinds.join(", ")}, first: ${one.firstUnmet} (${policyOf(one)})`;
  }],
  ["rests", ({ rest }) => rest ? 1 : 0, (one) => `${nameOf(one)}: ${one.rest!.reason}: ${one.rest!.message}`],
];

function policyOf({ concurrencyPolicy, durationSeconds, durationIsMeasured, schedule }: CronJobReport): string {
  const lasts = `${durationIsMeasured ? "lasts" : "taken to last"} ${formatDistance(durationSeconds)}`;
  return `${concurrencyPolicy}, ${lasts}, ${schedule}`;
}

function durations({ durations: { by, measured, assumed, assumedSeconds } }: SimulationReport): string {
  const length = formatDistance(assumedSeconds);
  if (measured === 0) return `every run is taken to last ${length}`;
  return `by the ${by} of ${measured} that were measured${
    assumed === 0 ? "" : `; ${assumed} are taken to last ${length}`
  }`;
}

function cores({ peakCpu }: LoadReport): string {
  return String(Math.round(peakCpu.cores * 100) / 100);
}

function bytes({ peakMemory }: LoadReport): string {
  return bytesText(peakMemory.bytes);
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function nameOf({ namespace, name }: CronJobReport): string {
  return `${namespace}/${name}`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
