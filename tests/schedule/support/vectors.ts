// Reads the schedule vectors of `../data`, and says where the schedule room answers them wrongly.
// They were made with robfig/cron v3.0.1, Kubernetes' parser, and corrected to the wall clock where its stepping loses or
// invents runs: `class` names those cases. `*_all.jsonl.gz` holds all of them, `*.jsonl` what every test run looks at.
import { parseSchedule } from "../../../src/schedule/parse_schedule.ts";
import { ScheduleError } from "../../../src/schedule/schedule_error.ts";

export interface NextVector {
  readonly expr: string;
  /** "" is not set. */
  readonly tz: string;
  /** Unix seconds, as are all of `next`: the first six runs after it, or fewer where the schedule never runs again. */
  readonly from: number;
  readonly next: readonly number[];
  readonly class: string;
  readonly group: string;
}

export interface ParseVector {
  readonly expr: string;
  readonly ok: boolean;
}

export interface Vectors {
  readonly next: readonly NextVector[];
  readonly parse: readonly ParseVector[];
}

export async function readVectors(which: "trimmed" | "all"): Promise<Vectors> {
  const read = which === "trimmed" ? readLines : readPackedLines;
  return { next: await read<NextVector>("next"), parse: await read<ParseVector>("parse") };
}

/** One line for each wrong answer. */
export function wrongAnswers({ next, parse }: Vectors): string[] {
  return [...next.flatMap(wrongRuns), ...parse.flatMap(wrongVerdict)];
}

function wrongRuns(vector: NextVector): string[] {
  // To robfig/cron an interval has no grid: it counts from the instant that is asked about.
  const schedule = parseSchedule(vector.expr, { timeZone: vector.tz }).anchoredAt(vector.from * 1000);
  const runs: number[] = [];
  let at: number | undefined = vector.from * 1000;
  while (runs.length < 6 && (at = schedule.next(at)) !== undefined) runs.push(at / 1000);
  if (runs.join() === vector.next.join()) return [];
  return [`next ${JSON.stringify(vector)}: ${runs.join() || "never"}`];
}

function wrongVerdict(vector: ParseVector): string[] {
  const shown = JSON.stringify(vector.expr.slice(0, 100));
  try {
    parseSchedule(vector.expr);
    return vector.ok ? [] : [`parse ${shown}: accepted`];
  } catch (error) {
    if (!(error instanceof ScheduleError)) return [`parse ${shown}: threw ${error}`];
    return vector.ok ? [`parse ${shown}: ${error.message}`] : [];
  }
}

export const PROCESS_ZONES = ["America/St_Johns", "Pacific/Chatham", "Europe/Berlin"];

/** The output of this file as a program whose local zone is `zone`; `0 wrong` is what it should be. */
export async function answersUnder(zone: string, which: "trimmed" | "all"): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--allow-read", "--allow-env", import.meta.url, which],
    env: { TZ: zone },
  }).output();
  const decoder = new TextDecoder();
  return (decoder.decode(stderr) + decoder.decode(stdout)).trim();
}

async function readLines<T>(name: string): Promise<T[]> {
  return fromLines(await Deno.readTextFile(new URL(`../data/${name}.jsonl`, import.meta.url)));
}

async function readPackedLines<T>(name: string): Promise<T[]> {
  const packed = await Deno.readFile(new URL(`../data/${name}_all.jsonl.gz`, import.meta.url));
  return fromLines(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
}

function fromLines<T>(text: string): T[] {
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** As a program, it prints what is wrong about the vectors that its argument names: for runs under another `TZ`. */
if (import.meta.main) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone !== Deno.env.get("TZ")) throw new Error(`TZ does not reach the program: it runs in ${zone}`);
  if (parseSchedule("TZ=Local 0 0 * * *").timeZone !== zone) console.log("TZ=Local is not the zone of the process");
  const wrong = wrongAnswers(await readVectors(Deno.args[0] === "all" ? "all" : "trimmed"));
  console.log([...wrong, `${wrong.length} wrong`].join("\n"));
}
