import { quote, ScheduleError } from "../../schedule/schedule_error.ts";
import { checkTimeZone } from "../../schedule/check_time_zone.ts";
import { FlagError } from "../errors.ts";

/** @throws {FlagError} unless `--time-zone` names a zone; `others` are the words that it takes besides */
export function checkZone(name: string, others = ""): void {
  try {
    checkTimeZone(name);
  } catch (cause) {
    if (!(cause instanceof ScheduleError)) throw cause;
    throw new FlagError(`--time-zone ${quote(name)}: ${cause.remedy}${others}`, { cause });
  }
}

/** @throws {FlagError} unless `--namespace` is a name by the rule of the API server */
export function checkNamespace(name: string): void {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return;
  throw new FlagError(
    `--namespace must be at most 63 lower case letters, digits and '-', current value is ${JSON.stringify(name)}`,
  );
}
