import type { CheckOfServer, FieldError, Json } from "../../apiserver/resource_kind.ts";
import type { Flavour } from "../../cronjob/api/flavour.ts";
import { readSettings } from "../../cronjob/api/read_settings.ts";
import type { CronJobObject } from "../../cronjob/api/types.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { scheduleFindings } from "../../lint/schedule_findings.ts";

/**
 * Returns the checks by which the embedded API server refuses a CronJob of these flavours whose schedules, zones or
 * exclusions the controller cannot read. The rules in the definitions' schemas are for servers that do not have the parser.
 */
export function cronJobChecks(flavours: readonly Flavour[]): Record<string, CheckOfServer> {
  return Object.fromEntries(flavours.map((api) => {
    const { resource } = api;
    const check = (object: Json) =>
      scheduleFindings({ api, object }, readSettings(api, object as CronJobObject))
        .map(({ field, message }): FieldError => ({ type: "FieldValueInvalid", field, detail: message }));
    return [`${apiVersionOf(resource)} ${resource.kind}`, check];
  }));
}
