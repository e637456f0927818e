import type { ResourceTable } from "../../resource_kind.ts";
import { orNone, since } from "./cells.ts";
import { AGE, NAME, table, templateColumns } from "./columns.ts";

export const CRON_JOB_TABLE: ResourceTable = table({
  Name: NAME,
  Schedule: ["The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron.", ({ spec }) => spec.schedule],
  Timezone: [
    "The time zone name for the given schedule, see https://en.wikipedia.org/wiki/List_of_tz_database_time_zones. If not specified, this will default to the time zone of the kube-controller-manager process. The set of valid time zone names and the time zone offset is loaded from the system-wide time zone database by the API server during CronJob validation and the controller manager during execution. If no system-wide time zone database can be found a bundled version of the database is used instead. If the time zone name becomes invalid during the lifetime of a CronJob or due to a change in host configuration, the controller will stop creating new new Jobs and will create a system event with the reason UnknownTimeZone. More information can be found in https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#time-zones",
    ({ spec }) => orNone(spec.timeZone),
  ],
  "Suspend boolean": [
    "This flag tells the controller to suspend subsequent executions, it does not apply to already started executions.  Defaults to false.",
    ({ spec }) => spec.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False",
  ],
  "Active integer": ["A list of pointers to currently running jobs.", ({ status }) => (status?.active ?? []).length],
  "Last Schedule": [
    "Information when was the last time the job was successfully scheduled.",
    ({ status }, now) => since(status?.lastScheduleTime, now, "<none>"),
  ],
  Age: AGE,
  ...templateColumns(({ spec }) => spec.jobTemplate.spec),
});
