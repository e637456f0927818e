import { FIELD_RULES, type FieldName } from "../../schedule/field_item.ts";

/**
 * A schedule, a zone, a date, a duration, as far as a cheap rule of CEL can judge it: each text that the controller reads passes,
 * and most of those that it cannot read do not. The rest (a range that falls, an unknown zone) is reported by conditions and
 * `lint`, and refused by the embedded API server, which asks the parser.
 *
 * API servers read patterns as RE2, the tests as JavaScript: only syntax of one meaning in both may stand here. That
 * leaves out `\s`, `\b`, `.`, flags, lookahead, quotes, and escapes of characters beyond U+00FF.
 */
export interface Shape {
  /** In characters. Without a bound API servers take a rule for too costly. */
  readonly maxLength: number;
  readonly rules: readonly ShapeRule[];
}

export interface ShapeRule {
  readonly pattern: string;
  /** The API server's answer to text that does not match. */
  readonly message: string;
}

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
const FIELDS: Readonly<Record<FieldName, readonly [value: string, ...others: string[]]>> = {
  "minute": [`${NUMBER}[0-5]?\\d`],
  "hour": [`${NUMBER}(?:[01]?\\d|2[0-3])`],
  "day-of-month": [DATE, `[Ll](?:[Ww]|-${NUMBER}(?:[1-9]|[12]\\d|30))?`, `${DATE}[Ww]`],
  "month": [`(?:${NUMBER}(?:[1-9]|1[0-2])|${NAME})`],
  "day-of-week": [WEEKDAY, `${WEEKDAY}(?:#${NUMBER}[1-5]|[Ll])`],
};

const UNSIGNED_DURATION = "(?:(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:ns|us|µs|μs|ms|s|m|h))+";
const EVERY = `every [+-]?(?:0|${UNSIGNED_DURATION})`;
const DESCRIPTOR = `@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|${EVERY})`;
const ZONE = "[A-Za-z0-9_+/-]*";
const ZONED = `(?:CRON_)?TZ=${ZONE} `;
const ANY = "(?:[^@]|@)*";

/**
 * A rule for the whole and one for each field, so that a refusal names the field. An empty text is let through: as the
 * tutorial's marker has it, and because `schedule` counts for nothing beside `schedules`.
 */
export const SCHEDULE: Shape = {
  maxLength: 1024,
  rules: [
    {
      pattern:
        `^(?:|(?:${ZONED}${BLANK}*)?${DESCRIPTOR}|(?:${ZONED})?${BLANK}*${WORD}(?:${BLANK}+${WORD}){4})${BLANK}*$`,
      message:
        "must be five fields (minute hour day-of-month month day-of-week), @hourly, @daily, @weekly, @monthly, " +
        "@yearly, or @every with a duration such as 1h30m",
    },
    ...Object.entries(FIELDS).map(([name, field], i) => ({
      pattern: `^(?:|(?:${ZONED})?${BLANK}*(?:@${ANY}|(?:${WORD}${BLANK}+){${i}}${listOf(field)}(?:${BLANK}${ANY})?))$`,
      message: `${name} must be ${
        FIELD_RULES.Extended[name as FieldName].allowed
      }; lists, ranges, steps and H are known`,
    })),
  ],
};

export const TIME_ZONE: Shape = {
  maxLength: 255,
  rules: [{ pattern: `^${ZONE}$`, message: "must be a name of the tz database such as Europe/Berlin" }],
};

const DAY = "(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])";
const TIME = "(?:[01]\\d|2[0-3]):[0-5]\\d";

export const DATE_OR_DAY: Shape = {
  maxLength: 40,
  rules: [{
    pattern: `^(?:\\d{4}-|--)${DAY}$`,
    message: "must be a date such as 2026-12-25, or --12-31 for each year",
  }],
};

export const BOUND: Shape = {
  maxLength: 64,
  rules: [{
    pattern: `^\\d{4}-${DAY}(?:[T ]${TIME}|[Tt]${TIME}:00(?:\\.0+)?(?:[Zz]|[+-]\\d\\d:\\d\\d))?$`,
    message: "must be a date such as 2026-12-24, a local time such as 2026-12-24T18:00, or RFC 3339 in whole minutes",
  }],
};

export const TIME_OF_DAY: Shape = {
  maxLength: 5,
  rules: [{ pattern: `^${TIME}$`, message: "must be a time of the day such as 06:00" }],
};

export const DURATION: Shape = {
  maxLength: 64,
  rules: [{ pattern: `^\\+?${UNSIGNED_DURATION}$`, message: "must be a duration such as 90m or 8h" }],
};

/** Returns a list with commas; its members may be empty. */
function listOf([value, ...others]: readonly [value: string, ...others: string[]]): string {
  const range = `(?:[*?](?:-[^ ,/]*)?|${value}(?:-${value})?|H(?:\\(${value}-${value}\\))?)${STEP}`;
  const item = `(?:${[range, ...others].join("|")})?`;
  return `${item}(?:,${item})*`;
}
