import { type Command, InvalidArgumentError } from "commander";
import { addOptions, option } from "../options.ts";

/** The options of `standalone` on the command line about runs that are remembered. */
export interface KeepOptions {
  /** Milliseconds. */
  keepRuns: number;
  /** Bytes. */
  keepLogs: number;
}

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const DAY_MS = 86_400_000;

const AGE_UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };
const SIZE_UNITS: Readonly<Record<string, number>> = { MiB: MIB, GiB: GIB, MB: 1e6, GB: 1e9, Mi: MIB, Gi: GIB };

/** Adds the flags of `KeepOptions`; 0 remembers nothing. */
export function addKeepOptions(command: Command): Command {
  return addOptions(
    command,
    option("--keep-runs <age>", "how long runs and their logs are remembered after their Jobs are gone: 12h, 30d, 8w")
      .argParser(inUnits(AGE_UNITS, "an age such as 12h, 30d or 8w")).default(30 * DAY_MS, "30d"),
    option("--keep-logs <size>", "how much of logs is remembered, the oldest of which go first: 500MiB, 1GiB")
      .argParser(inUnits(SIZE_UNITS, "a size such as 500MiB or 1GiB")).default(GIB, "1GiB"),
  );
}

function inUnits(units: Readonly<Record<string, number>>, what: string): (text: string) => number {
  return (text) => {
    if (text === "0") return 0;
    const [, number = "", unit = ""] = /^(\d{1,6})([A-Za-z]+)$/.exec(text) ?? [];
    const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (factor === undefined) throw new InvalidArgumentError(`must be ${what}, or 0.`);
    return Number(number) * factor;
  };
}
