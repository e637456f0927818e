/**
 * What can be a schedule, a zone, a date, a duration, as far as a CRD's `pattern` can say: no text that the controller
 * reads is refused, and most of those that it can't read are. What is left (a range that falls, an unknown zone) is
 * reported by the CronJob's conditions and by `lint`.
 *
 * Kubernetes reads patterns as RE2, editors and our own API server as JavaScript: only what means the same to both may stand
 * here. That leaves out `\s`, `\b`, `.`, flags, looking ahead, and escapes of characters beyond U+00FF.
 */

/** Anything that is not visible ASCII: blanks, and more. `İ` is the capital of the i in `fri`, as Go has it. */
const BLANK = "[^!-~İ]";
/** Neither `@` nor `=`, by which descriptors and zones are known. */
const WORD = "[!-<>?A-~İ]+";
const NUMBER = "\\+?0*";
const STEP = `(?:/${NUMBER}[1-9]\\d*)?`;
const NAME = "[A-Za-zİ]{3}";

const DATE = `${NUMBER}(?:[1-9]|[12]\\d|3[01])`;
const WEEKDAY = `(?:${NUMBER}[0-7]|${NAME})`;

/** The values of the five fields, and what else may stand in a list of them. */
const FIELDS: readonly (readonly [value: string, ...others: string[]])[] = [
  [`${NUMBER}[0-5]?\\d`],
  [`${NUMBER}(?:[01]?\\d|2[0-3])`],
  [DATE, `[Ll](?:[Ww]|-${NUMBER}(?:[1-9]|[12]\\d|30))?`, `${DATE}[Ww]`],
  [`(?:${NUMBER}(?:[1-9]|1[0-2])|${NAME})`],
  [WEEKDAY, `${WEEKDAY}(?:#${NUMBER}[1-5]|[Ll])`],
];

const UNSIGNED_DURATION = "(?:(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:ns|us|µs|μs|ms|s|m|h))+";
const EVERY = `every [+-]?(?:0|${UNSIGNED_DURATION})`;
const DESCRIPTOR = `@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|${EVERY})`;
const ZONE = "[A-Za-z0-9_+/-]*";
const ZONED = `(?:CRON_)?TZ=${ZONE} `;
const ANY = "(?:[^@]|@)*";

/**
 * One for the whole and one for each field, so that a refusal shows what is wrong. An empty text is let through: as the
 * tutorial's marker has it, and because `schedule` counts for nothing beside `schedules`.
 */
export const SCHEDULE_PATTERNS: readonly string[] = [
  `^(?:|(?:${ZONED}${BLANK}*)?${DESCRIPTOR}|(?:${ZONED})?${BLANK}*${WORD}(?:${BLANK}+${WORD}){4})${BLANK}*$`,
  ...FIELDS.map((field, i) =>
    `^(?:|(?:${ZONED})?${BLANK}*(?:@${ANY}|(?:${WORD}${BLANK}+){${i}}${listOf(field)}(?:${BLANK}${ANY})?))$`
  ),
];

export const ZONE_PATTERN = `^${ZONE}$`;

const DAY = "(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])";
const TIME = "(?:[01]\\d|2[0-3]):[0-5]\\d";

/** `2026-12-25`, `--12-31`. */
export const DATE_PATTERN = `^(?:\\d{4}-|--)${DAY}$`;

/** A date, a local time, or RFC 3339 in whole minutes. */
export const BOUND_PATTERN = `^\\d{4}-${DAY}(?:[T ]${TIME}|[Tt]${TIME}:00(?:\\.0+)?(?:[Zz]|[+-]\\d\\d:\\d\\d))?$`;

export const DURATION_PATTERN = `^\\+?${UNSIGNED_DURATION}$`;

/** Returns a list with commas; its members may be empty. */
function listOf([value, ...others]: readonly [value: string, ...others: string[]]): string {
  const range = `(?:[*?](?:-[^ ,/]*)?|${value}(?:-${value})?|H(?:\\(${value}-${value}\\))?)${STEP}`;
  const item = `(?:${[range, ...others].join("|")})?`;
  return `${item}(?:,${item})*`;
}
