import type { ResourceTable } from "../../resource_kind.ts";
import { containerImages, containerNames, orNone, selectorText, since } from "./cells.ts";
import { CRON_JOB_COLUMNS } from "./columns.ts";

export const CRON_JOB_TABLE: ResourceTable = {
  columns: CRON_JOB_COLUMNS,
  row({ metadata, spec, status = {} }, now) {
    const template = spec.jobTemplate.spec;
    return {
      cells: [
        metadata.name,
        spec.schedule,
        orNone(spec.timeZone),
        spec.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False",
        (status.active ?? []).length,
        since(status.lastScheduleTime, now, "<none>"),
        since(metadata.creationTimestamp, now),
        containerNames(template.template.spec),
        containerImages(template.template.spec),
        selectorText(template.selector),
      ],
    };
  },
};
