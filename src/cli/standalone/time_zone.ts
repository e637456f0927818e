import type { DefaultsOfServer } from "../../apiserver/resource_kind.ts";
import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import { hasZoneInside } from "../../cronjob/api/settings.ts";
import { isTimeZone } from "../../schedule/time_zone.ts";
import { ConfigError } from "../errors.ts";
import { byKind } from "./cron_job_rules.ts";
import { zoneOr } from "../flags/names.ts";

/**
 * Returns the zone that `--time-zone` names, `local` being that of this machine, or of TZ.
 *
 * @throws {FlagError} where there is none of that name
 * @throws {ConfigError} where this machine's has none now: it may be set before the next start
 */
export function readTimeZone(text: string, local = Intl.DateTimeFormat().resolvedOptions().timeZone): string {
  if (text === "local") {
    if (isTimeZone(local)) return local;
    throw new ConfigError(`--time-zone local: the zone of this machine, "${local}", is no name of the tz database`);
  }
  return zoneOr(", or local", text);
}

/**
 * Returns what new CronJobs get from the embedded API server: `zone`, unless they name one. It is written into the object,
 * so that its times never move, whatever the program is started with later.
 */
export function timeZoneDefaults(zone: string): Record<string, DefaultsOfServer> {
  const setTimeZone: DefaultsOfServer = ({ spec }) => {
    if (typeof spec?.schedule !== "string" || hasZoneInside(spec.schedule)) return;
    spec.timeZone ??= zone;
  };
  return byKind(FLAVOURS, () => setTimeZone);
}
