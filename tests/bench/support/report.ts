import { outputOf } from "../../../deploy/binary/support.ts";
import { must } from "../../support/expected.ts";
import { PROGRAM } from "../../support/program.ts";
import { judge } from "./bounds.ts";
import { growthExponent, median } from "./statistics.ts";
import { type Machine, type Measurement, middleOf, type Row, type Subject } from "./measurement.ts";

/** Prints a column for each row, the bounds beside their figures, and writes the rows as JSON where a file is named. */
export async function report(
  subject: Subject,
  rows: readonly Row[],
  file: string | undefined,
  program: readonly string[] = PROGRAM,
): Promise<void> {
  const judgements = judge(subject, rows);
  const names = [...new Set(rows.flatMap(Object.keys))];
  const [size = ""] = names;
  const growth = (name: string) => {
    const points = rows.map((row) => ({ x: middleOf(must(row[size])), y: middleOf(row[name] ?? 0) }));
    const grows = name !== size && points.length > 1 && points.every(({ y }) => y > 0);
    return grows ? { "grows as n^": growthExponent(points).toFixed(2) } : {};
  };
  console.table(Object.fromEntries(names.map((name) => {
    const wanted = judgements.filter(({ figure }) => figure === name).map(({ text }) => text).join("; ");
    const figures = rows.map((row, i) => [`${i + 1}: ${size} ${row[size]}`, row[name] ?? ""]);
    return [name, { ...Object.fromEntries(figures), ...growth(name), ...wanted && { wanted } }];
  })));
  if (file === undefined) return;
  const measurement = await measurementOf(subject, rows, program);
  await Deno.writeTextFile(file, `${JSON.stringify(measurement, null, 2)}\n`);
}

/** Returns the median of each figure. */
export function medians(rounds: readonly Record<string, number>[]): Record<string, number> {
  const names = Object.keys(must(rounds[0]));
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => must(round[name])))]));
}

/** Returns figures with two decimals. */
export function rounded(row: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Math.round(value * 100) / 100]));
}

async function measurementOf(
  subject: Subject,
  rows: readonly Row[],
  program: readonly string[],
): Promise<Measurement> {
  const [command = "", ...args] = program;
  const version = await outputOf(command, [...args, "version"]);
  const commit = await outputOf("git", ["describe", "--always", "--dirty", "--exclude", "*"]);
  const [, bench = ""] = /(\w+)_bench\.ts$/.exec(Deno.mainModule) ?? [];
  return {
    subject,
    date: new Date().toISOString().slice(0, 10),
    machine: await machine(),
    apiServer: "the embedded API server",
    source: `\`deno task bench:${bench} ${Deno.args.join(" ")}\`, at commit ${commit}`,
    programs: [{ name: version, rows }],
  };
}

async function machine(): Promise<Machine> {
  const [, cpu = "unknown"] = /model name\s*: (.*)/.exec(await Deno.readTextFile("/proc/cpuinfo")) ?? [];
  return {
    cores: navigator.hardwareConcurrency,
    cpu,
    memory: `${Math.round(Deno.systemMemoryInfo().total / 1e9)} GB`,
    system: `Linux ${Deno.osRelease()}`,
  };
}
