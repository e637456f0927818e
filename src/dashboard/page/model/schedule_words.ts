import cronstrue from "cronstrue";

/** Words for a step that does not divide the hour, or the day, would hide where it begins anew. */
const UNEVEN = /^\S*\/(?!(?:[123456]|1[025]|[23]0)(?![0-9]))|^\S+ \S*\/(?!(?:[123468]|12)(?![0-9]))/;

/** Either day may match: words for both would say that both must. */
const TWO_DAYS = /^\S+ \S+ [^*?\s]\S* \S+ [^*?\s]/;

/** `At 02:00, only on Monday`; undefined for a schedule of which no words are right, such as one with `H`. */
export function inWords(schedule: string): string | undefined {
  if (UNEVEN.test(schedule) || TWO_DAYS.test(schedule)) return undefined;
  try {
    return cronstrue.toString(schedule, { use24HourTimeFormat: true });
  } catch {
    return undefined;
  }
}
