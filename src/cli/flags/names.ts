import { quote, ScheduleError } from "../../schedule/schedule_error.ts";
import { checkTimeZone } from "../../schedule/check_time_zone.ts";
import { FlagError } from "../errors.ts";

/** Reads `--time-zone`. @throws {FlagError} unless it names a zone */
export function zoneName(name: string): string {
  return zoneOr("", name);
}

/** The same where `others` are the words that it takes besides. */
export function zoneOr(others: string, name: string): string {
  try {
    checkTimeZone(name);
    return name;
  } catch (cause) {
    if (!(cause instanceof ScheduleError)) throw cause;
    throw new FlagError(`--time-zone ${quote(name)}: ${cause.remedy}${others}`, { cause });
  }
}

/** Reads `--namespace`. @throws {FlagError} unless it is a name by the rule of the API server */
export function namespaceName(name: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return name;
  throw new FlagError(
    `--namespace must be at most 63 lower case letters, digits and '-', current value is ${JSON.stringify(name)}`,
  );
}
