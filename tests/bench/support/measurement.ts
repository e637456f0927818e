/** One number, or the least and the most of several measurements. */
export type Figure = number | readonly [least: number, most: number];
/** Figures by their names, which name their units too. The first one is the size of what is measured. */
export type Row = Readonly<Record<string, Figure>>;
export type Subject = "burst" | "rest" | "soak" | "executable" | "page";

/** What a benchmark found, as a file of docs/benchmarks. */
export interface Measurement {
  readonly subject: Subject;
  readonly date: string;
  readonly machine: Machine;
  readonly apiServer: string;
  /** The command to repeat it by, or what the figures are of. */
  readonly source: string;
  readonly programs: readonly MeasuredProgram[];
}

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memory?: string;
  readonly system: string;
}

export interface MeasuredProgram {
  readonly name: string;
  readonly rows: readonly Row[];
}

/** Returns one number for a figure: of a range the middle. */
export function middleOf(figure: Figure): number {
  return typeof figure === "number" ? figure : (figure[0] + figure[1]) / 2;
}

/** Returns the number that a bound counts: of a range the most. */
export function mostOf(figure: Figure): number {
  return typeof figure === "number" ? figure : figure[1];
}

/** Returns the figure as a person reads it: `5,000`, `0.52-0.63`. */
export function textOf(figure: Figure): string {
  const text = (value: number) => value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 2 : 0 });
  return typeof figure === "number" ? text(figure) : figure.map(text).join("-");
}
