import { must } from "../../support/expected.ts";
import type { Case, Json, RecordedResponse, Select, Step } from "./case.ts";

const PLACEHOLDERS: Record<string, string> = {
  uid: "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
  rv: "[0-9]+",
  time: "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ",
  microtime: "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z",
  suffix: "[bcdfghjklmnpqrstvwxz2456789]{5}",
  token: "[A-Za-z0-9_=.-]+",
  age: "(?:\\d+[smhdy])+",
  any: "[^]*",
};
const PLACEHOLDER = new RegExp(`<(${Object.keys(PLACEHOLDERS).join("|")})>`);

/** The differences between two answers, one a line. The order of keys never matters, that of lists does. */
export function differences(want: Json, got: Json, path = "", loose: readonly string[] = []): string[] {
  if (loose.includes(path)) {
    return typeof want === typeof got ? [] : [`${path}: want ${typeof want}, got ${typeof got}`];
  }
  if (typeof want === "string" && typeof got === "string") {
    return want === got || patternOf(want).test(got) ? [] : [mismatch(path, want, got)];
  }
  if (Array.isArray(want) && Array.isArray(got)) {
    const count = want.length === got.length ? [] : [`${path}: want ${want.length} entries, got ${got.length}`];
    const common = Math.min(want.length, got.length);
    return [
      ...count,
      ...want.slice(0, common).flatMap((each, index) => differences(each, got[index], `${path}[${index}]`, loose)),
      ...want.slice(common).map((each, index) => `${path}[${common + index}]: missing ${JSON.stringify(each)}`),
      ...got.slice(common).map((each, index) => `${path}[${common + index}]: unexpected ${JSON.stringify(each)}`),
    ];
  }
  if (isMap(want) && isMap(got)) {
    return [...new Set([...Object.keys(want), ...Object.keys(got)])].flatMap((key) => {
      const inner = path ? `${path}.${key}` : key;
      if (!(key in got)) return [`${inner}: missing, want ${JSON.stringify(want[key])}`];
      if (!(key in want)) return [`${inner}: unexpected ${JSON.stringify(got[key])}`];
      return differences(want[key], got[key], inner, loose);
    });
  }
  return want === got ? [] : [mismatch(path, want, got)];
}

function mismatch(path: string, want: Json, got: Json): string {
  return `${path}: want ${JSON.stringify(want)}, got ${JSON.stringify(got)}`;
}

function isMap(value: Json): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function patternOf(text: string): RegExp {
  const parts = text.split(PLACEHOLDER).map((part, index) =>
    index % 2 ? PLACEHOLDERS[part] : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
  );
  return new RegExp(`^${parts.join("")}$`);
}

/** An answer with only what the case is about. */
export function prepare(response: RecordedResponse, step: Step, of: Case): RecordedResponse {
  let out: RecordedResponse = structuredClone(response);
  if (out.body) { for (const each of step.select ?? []) select(out.body, each); }
  for (const path of step.unordered ?? []) lookup(out, path)?.sort(byText);
  if (out.headers && !Object.keys(out.headers).length) delete out.headers;
  if (out.frames && step.ignoreBookmarks) out.frames = out.frames.filter(({ type }) => type !== "BOOKMARK");
  // How many bookmarks follow one another is chance.
  out.frames = out.frames?.filter(({ type }, index, all) => type !== "BOOKMARK" || all[index - 1]?.type !== "BOOKMARK");
  if (!out.frames) delete out.frames;
  if (!of.managedFields) out = withoutManagedFields(out);
  return withoutWords(out);
}

/**
 * Leaves of an answer what programs read: of a Status the code, the reason, and details; of its causes reason and field; of a
 * Table all but the descriptions of its columns.
 */
export function withoutWords(response: RecordedResponse): RecordedResponse {
  const { warning: _, ...headers } = response.headers ?? {};
  return {
    ...response,
    ...response.body && { body: withoutMessages(response.body) },
    ...response.frames && {
      frames: response.frames.map((frame) => ({ ...frame, object: withoutMessages(frame.object) })),
    },
    ...response.headers && Object.keys(headers).length > 0 ? { headers } : { headers: undefined },
  };
}

function withoutMessages(body: Json): Json {
  if (body?.kind === "Table" && body.columnDefinitions) {
    return {
      ...body,
      columnDefinitions: body.columnDefinitions.map(({ description: _, ...column }: Json) => column),
    };
  }
  if (body?.kind !== "Status") return body;
  const { message: _, ...status } = body, causes = status.details?.causes;
  if (!causes) return status;
  const read = new Set(causes.map(({ reason, field }: Json) => JSON.stringify({ reason, field })));
  return { ...status, details: { ...status.details, causes: [...read].sort() } };
}

function byText(a: Json, b: Json): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

export function lookup(value: Json, path: string): Json {
  return path.split(".").reduce((at, key) => at?.[key], value);
}

/** `a[].b` is b of every a. */
function select(value: Json, { path, key, values }: Select): void {
  const walk = (at: Json, [head = "", ...rest]: string[]): void => {
    if (at === undefined || at === null) return;
    if (rest.length && head.endsWith("[]")) {
      return (at[head.slice(0, -2)] ?? []).forEach((each: Json) => walk(each, rest));
    }
    if (rest.length) return walk(at[head], rest);
    if (Array.isArray(at[head])) at[head] = at[head].filter((each: Json) => values.includes(lookup(each, key!)));
    else if (at[head]) {
      at[head] = Object.fromEntries(Object.entries(at[head]).filter(([name]) => values.includes(name)));
    }
  };
  walk(value, path.split("."));
}

function withoutManagedFields(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutManagedFields);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => key !== "managedFields" || !Array.isArray(inner))
      .map(([key, inner]) => [key, withoutManagedFields(inner)]),
  );
}

/** What is wrong with the captured values. */
export function failedAsserts(step: Step, captured: Record<string, string>): string[] {
  return (step.asserts ?? []).filter((text) => {
    const [left = "", operator, right = ""] = text.split(" ");
    const [a, b] = [must(captured[left]), must(captured[right])];
    return !(operator === "<" ? BigInt(a) < BigInt(b) : operator === "==" ? a === b : a !== b);
  }).map((text) => `${text} does not hold of ${JSON.stringify(captured)}`);
}
