import { InvalidArgumentError } from "commander";

const [MIB, GIB] = [1024 ** 2, 1024 ** 3];
const DAY_MS = 86_400_000;

/** An argument parser for an age in milliseconds, and one for a size in bytes. */
export const ageMs = inUnits({ h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS }, "an age such as 12h, 30d or 8w");
export const sizeBytes = inUnits(
  { MiB: MIB, GiB: GIB, MB: 1e6, GB: 1e9, Mi: MIB, Gi: GIB },
  "a size such as 500MiB or 1GiB",
);

function inUnits(units: Readonly<Record<string, number>>, what: string): (text: string) => number {
  return (text) => {
    if (text === "0") return 0;
    const [, number = "", unit = ""] = /^(\d{1,6})([A-Za-z]+)$/.exec(text) ?? [];
    const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (factor === undefined) throw new InvalidArgumentError(`must be ${what}, or 0.`);
    return Number(number) * factor;
  };
}
