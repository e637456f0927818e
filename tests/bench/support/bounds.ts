import { must } from "../../support/expected.ts";
import { growthExponent } from "./statistics.ts";
import { type Figure, middleOf, mostOf, type Row, type Subject, textOf } from "./measurement.ts";

/** What is wanted of a figure. It is said, and never asserted: it depends on the machine. */
interface Bound {
  readonly figure: string;
  readonly most: number;
  /** Of this size alone. @default every size */
  readonly at?: number;
  /** Whether the bound is on the exponent with which the figure grows. @default on the figure itself */
  readonly grows?: boolean;
  /** Of each so many. @default of all */
  readonly each?: number;
}

const BOUNDS: Readonly<Record<Subject, readonly Bound[]>> = {
  burst: [
    { figure: "start delay max / bare", most: 1.1 },
    { figure: "start delay max (s)", most: 60, at: 50_000 },
    { figure: "CPU until the last start (s)", most: 1.05, grows: true },
    { figure: "CPU of the minute (s)", most: 1.3, each: 1_000 },
    { figure: "memory peak (MB)", most: 350, at: 20_000 },
  ],
  rest: [
    { figure: "memory at rest (MB)", most: 1_073.7, at: 100_000 },
    { figure: "share of a core (%)", most: 1 },
    { figure: "start to lead (s)", most: 60 },
    { figure: "memory at rest (MB)", most: 1.05, grows: true },
  ],
  soak: [{ figure: "heap grows in an hour (MB)", most: 1 }],
  executable: [],
  page: [],
};

/** Whether a bound holds, for the worst of the rows that it is for. */
export interface Judgement {
  readonly figure: string;
  /** Such as `<= 1.1: held`. */
  readonly text: string;
  readonly held: boolean;
}

/** Returns a judgement of each bound that these rows can be judged by. */
export function judge(subject: Subject, rows: readonly Row[]): Judgement[] {
  return BOUNDS[subject].flatMap(({ figure, most, at, grows, each }) => {
    const measured = rows.filter((row) => figure in row && (at === undefined || sizeOf(row) === at));
    if (measured.length < (grows ? 2 : 1)) return [];
    const figureOf = (row: Row) => must<Figure>(row[figure]);
    const value = grows
      ? growthExponent(measured.map((row) => ({ x: sizeOf(row), y: middleOf(figureOf(row)) })))
      : Math.max(...measured.map((row) => mostOf(figureOf(row)) * (each ? each / sizeOf(row) : 1)));
    const held = value <= most;
    const power = grows ? "n^" : "";
    const where = at !== undefined ? ` at ${textOf(at)}` : each !== undefined ? ` for ${textOf(each)}` : "";
    const by = held ? "held" : "missed";
    return [{ figure, held, text: `<= ${power}${textOf(most)}${where}: ${by} (${power}${textOf(value)})` }];
  });
}

function sizeOf(row: Row): number {
  return middleOf(must(Object.values(row)[0]));
}
