import type { FieldError, FieldErrorType } from "../apiserver/resource_kind.ts";

type Rewording = readonly [pattern: RegExp, words: string];

/** What the API server says, as `lint` says it. `$1` is the value that stands in the field. */
const REWORDINGS: Readonly<Partial<Record<FieldErrorType, Rewording>>> = {
  FieldValueRequired: [/^Required value(: )?(.*)/s, "is missing$1$2"],
  FieldValueNotSupported: [/^Unsupported value: (.*?): supported values: (.*)/s, "cannot be $1: must be one of $2"],
  FieldValueDuplicate: [/^Duplicate value: (.*)/s, "cannot be $1 a second time"],
  FieldValueForbidden: [/^Forbidden: (.*)/s, "is not allowed here: $1"],
  FieldValueTooLong: [/^Too long: (.*)/s, "is too long: $1"],
  FieldValueTooMany: [/^Too many: (\d+): (.*)/s, "has too many items, $1: $2"],
  FieldValueNotFound: [/^Not found: (.*)/s, "names $1, which is not there"],
  FieldValueInvalid: [/^Invalid value: (?:("(?:[^"\\]|\\.)*"|-?[\d.]+|null|true|false): )?(.*)/s, "cannot be $1: $2"],
};

/** The example that stands beside it teaches more. */
const EXPRESSION = /, regex used for validation is '[^']*'/g;
const LONGEST_VALUE = 60;

/**
 * Returns what the API server says of a field in words that go on from the field's name.
 *
 * @param written what stands in the field: a `restartPolicy` of `Always` is "required" to the server too
 */
export function inOwnWords({ type, field, message }: FieldError, written: unknown): string {
  if (type === "FieldValueRequired" && typeof written === "string" && written !== "") {
    return `cannot be ${shortened(JSON.stringify(written))}${message.replace(/^Required value/, "")}`;
  }
  const [pattern, words] = REWORDINGS[type] ?? [/^$/, ""];
  const match = pattern.exec(message.replaceAll(EXPRESSION, ""));
  if (match === null) return message;
  if (type === "FieldValueInvalid" && match[1] === undefined) return withoutObject(match[2] ?? "");
  return words.replaceAll(/\$(\d)/g, (_, i) => shortened(match[Number(i)] ?? "")).replaceAll(`${field} in body `, "");
}

/** Of a whole object that is refused the reason says enough. */
function withoutObject(text: string): string {
  const end = /^[[{]/.test(text) ? text.lastIndexOf("}: ") : -1;
  return end < 0 ? text : text.slice(end + 3);
}

function shortened(text: string): string {
  return text.startsWith('"') && text.endsWith('"') && !text.includes('", "') && text.length > LONGEST_VALUE
    ? `${text.slice(0, LONGEST_VALUE)}…"`
    : text;
}
