import type { DeepReadonly } from "../../kube/object.ts";
import type { Exclusion } from "../../schedule/exclusions/exclusion.ts";
import { MONTH_NAMES } from "../../schedule/month.ts";

/** Returns what an entry of `spec.exclude` leaves out; an entry that is none of the three forms as it is written. */
export function exclusionInWords(entry: DeepReadonly<Exclusion>): string {
  const { dates, from, to, schedule, duration = "1m" } = entry;
  if (Array.isArray(dates)) return dates.map(dateInWords).join(", ");
  if (from !== undefined && to !== undefined) return `from ${timeInWords(from)} ${endInWords(to)}`;
  if (schedule !== undefined) return `for ${duration} from each time of "${schedule}" on`;
  return JSON.stringify(entry);
}

/** `--12-31` is one for each year. */
function dateInWords(text: string): string {
  const [, month, day] = /^--(\d\d)-(\d\d)$/.exec(text) ?? [];
  return month === undefined ? text : `${Number(day)} ${MONTH_NAMES[Number(month) - 1]} of each year`;
}

function endInWords(to: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(to) ? `to the end of ${to}` : `until ${timeInWords(to)}`;
}

function timeInWords(text: string): string {
  return text.replace("T", " ");
}
