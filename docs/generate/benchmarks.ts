import { judge } from "../../tests/bench/support/bounds.ts";
import {
  type Figure,
  type MeasuredProgram,
  type Measurement,
  middleOf,
  type Row,
  type Subject,
  textOf,
} from "../../tests/bench/support/measurement.ts";
import { type Curve, drawing } from "./curves.ts";
import { bullets, code, page, table } from "./markdown.ts";

/** Holds what was measured, a file each, and the drawings of it. */
export const BENCHMARKS = new URL("../benchmarks/", import.meta.url);

interface Section {
  readonly subject: Subject;
  readonly title: string;
  readonly about: string;
  readonly command: string;
  /** In this order, where they were measured; the first one is the size. */
  readonly figures: readonly string[];
  readonly curves: readonly { readonly name: string; readonly title: string; readonly figures: readonly string[] }[];
}

const SECTIONS: readonly Section[] = [
  {
    subject: "burst",
    title: "Due at one minute",
    about:
      "The delay of a start is the time at which a watch shows the Job, minus its scheduled time. A bare creation is " +
      "a Job that is created directly: as many, 64 requests at a time, in the same run. `start delay max / bare` compares the last of both. " +
      "The command counts the CPU of the minute from 62 s before the scheduled time, as runs are armed up to a minute ahead, until " +
      "all are recorded, 56 s after it at the earliest.",
    command: "deno task bench:cronjob --n 1000,5000,10000,20000,50000 --rounds 5",
    figures: [
      "CronJobs due",
      "start delay p50 (s)",
      "start delay p99 (s)",
      "start delay max (s)",
      "start delay max / bare",
      "CPU until the last start (s)",
      "CPU of the minute (s)",
      "memory before (MB)",
      "memory peak (MB)",
      "memory after (MB)",
    ],
    curves: [
      {
        name: "delay",
        title: "Delay of a start (s)",
        figures: ["start delay p50 (s)", "start delay p99 (s)", "start delay max (s)"],
      },
      { name: "cpu", title: "CPU (s)", figures: ["CPU until the last start (s)", "CPU of the minute (s)"] },
      { name: "memory", title: "Memory (MB)", figures: ["memory before (MB)", "memory peak (MB)"] },
    ],
  },
  {
    subject: "rest",
    title: "At rest",
    about: "No CronJob is due, and nothing changes.",
    command: "deno task bench:rest --n 20000,50000,100000 --jobs-each 5 --minutes 5",
    figures: [
      "CronJobs",
      "foreign Jobs",
      "start to lead (s)",
      "memory at rest (MB)",
      "memory peak (MB)",
      "CPU of a minute (s)",
      "share of a core (%)",
      "requests of a minute",
    ],
    curves: [
      { name: "memory", title: "Memory (MB)", figures: ["memory at rest (MB)", "memory peak (MB)"] },
    ],
  },
  {
    subject: "soak",
    title: "An hour of runs",
    about:
      "CronJobs that are due each minute, whose Jobs succeed at once and are cleaned up. The heap is what is in use " +
      "after a collection, each minute; its slope is that of the minutes after the 35th, as it grows until then.",
    command: "deno task bench:soak --cronjobs 300 --minutes 95",
    figures: ["CronJobs", "minutes", "runs", "heap first (MB)", "heap last (MB)", "heap grows in an hour (MB)"],
    curves: [],
  },
  {
    subject: "executable",
    title: "The executable",
    about:
      "The median of twenty starts; memory a minute after the start, and with the samples from the fifth minute to the tenth.",
    command: "deno task bench:binary",
    figures: [
      "file (MB)",
      "`version` (ms)",
      "`next` (ms)",
      "`lint` (ms)",
      "`controller` takes over after (ms)",
      "`controller` at rest (MB)",
      "`standalone` at rest (MB)",
      "`standalone` with samples (MB)",
    ],
    curves: [],
  },
  {
    subject: "page",
    title: "The page",
    about: "The dashboard in a real browser, each CronJob with four Jobs.",
    command: "deno task bench:dashboard --cronjobs 5000 --pairs 0",
    figures: [
      "CronJobs",
      "pages open",
      "all shown after (ms)",
      "first paint after the page's bytes (ms)",
      "a change shows after (ms)",
      "a key in the search shows after, median (ms)",
      "a key in the search shows after, most (ms)",
      "share of a core (%)",
      "memory without a page (MB)",
      "memory with pages (MB)",
    ],
    curves: [],
  },
];

/** Returns what was measured, by the names of its files without their endings, in their order. */
export async function readMeasurements(): Promise<Map<string, Measurement>> {
  const names = (await Array.fromAsync(Deno.readDir(BENCHMARKS))).map(({ name }) => name)
    .filter((name) => name.endsWith(".json")).sort();
  const read = async (name: string): Promise<[string, Measurement]> => [
    name.replace(/\.json$/, ""),
    JSON.parse(await Deno.readTextFile(new URL(name, BENCHMARKS))),
  ];
  return new Map(await Promise.all(names.map(read)));
}

/** Returns the page and its drawings, by their paths in `docs/`. A subject of which nothing was measured is left out. */
export function benchmarkFiles(measurements: ReadonlyMap<string, Measurement>): Map<string, string> {
  const files = new Map<string, string>();
  const parts = SECTIONS.flatMap((section) => {
    const ofSubject = [...measurements].filter(([, { subject }]) => subject === section.subject);
    if (ofSubject.length === 0) return [];
    for (const [name, measurement] of ofSubject) {
      for (const [path, { svg }] of drawingsOf(section, name, measurement)) files.set(path, svg);
    }
    return [
      `## ${section.title}`,
      section.about,
      "```sh parse\n" + `${section.command} --json docs/benchmarks/${section.subject}.json\n` + "```",
      ...ofSubject.flatMap(([name, measurement]) => measurementParts(section, name, measurement)),
    ];
  });
  files.set(
    "benchmarks.md",
    page(
      "Benchmarks",
      "What the controller costs, and how anyone can measure it again. Each section has its command; `CJC_TEST_BINARY` names " +
        "the executable to measure, which `deno task compile` makes. Each measures on the embedded API server, whose " +
        "speed counts for both sides of a ratio; where there are two cores, it and the controller have one each. The command " +
        "writes a file, from which `deno task manifests` writes this page. " +
        "[What limits one process](why.md#limits) follows from these numbers.",
      ...parts,
    ),
  );
  return files;
}

function measurementParts(section: Section, name: string, measurement: Measurement): string[] {
  const { apiServer, date, machine: { cores, cpu, memory, system }, source, programs } = measurement;
  const machine = [`${cores} cores`, cpu, ...memory === undefined ? [] : [memory], system].join(", ");
  return [
    `### On ${apiServer}`,
    bullets([`Measured: ${date}, [as data](benchmarks/${name}.json)`, `Machine: ${machine}`, `Source: ${source}`]),
    ...programs.flatMap((program, i) => [`**${program.name}**`, ...programParts(section, program, i === 0)]),
    ...[...drawingsOf(section, name, measurement)].map(([path, { title }]) => `![${title}](${path})`),
  ];
}

function programParts({ subject, figures }: Section, { rows }: MeasuredProgram, isOurs: boolean): string[] {
  const shown = figures.filter((figure) => rows.some((row) => figure in row));
  const cells = (row: Row) => shown.map((figure) => figure in row ? textOf(row[figure] as Figure) : "");
  const judgements = isOurs ? judge(subject, rows) : [];
  return [
    table(shown, rows.map(cells)),
    ...judgements.length === 0 ? [] : [bullets(judgements.map(({ figure, text }) => `${figure} ${code(text)}`))],
  ];
}

/** Returns a drawing for each of the section's, of all programs that were measured at several sizes. */
function drawingsOf(
  { figures: [size = ""], curves }: Section,
  name: string,
  { programs }: Measurement,
): Map<string, { readonly title: string; readonly svg: string }> {
  const drawings = new Map<string, { readonly title: string; readonly svg: string }>();
  for (const { name: suffix, title, figures } of curves) {
    const lines = programs.flatMap(({ name: program, rows }, i) =>
      figures.map((figure): Curve => ({
        label: i === 0 ? figure : `${figure.replace(/ \(.*\)$/, "")}, ${program.replace(/ .*/, "")}`,
        points: rows.filter((row) => figure in row && size in row).map((row) => {
          const value = row[figure] as Figure;
          const [least, most] = typeof value === "number" ? [value, value] : value;
          return { x: middleOf(row[size] as Figure), least, most };
        }),
      }))
    ).filter(({ points }) => points.length > 1);
    if (lines.length > 0) {
      drawings.set(`benchmarks/${name}-${suffix}.svg`, { title, svg: drawing(title, size, lines) });
    }
  }
  return drawings;
}
