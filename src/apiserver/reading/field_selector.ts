import { badRequest } from "../refusals.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { parse, type StoredObject } from "../storage/stored_object.ts";

export interface Term {
  readonly field: string;
  readonly value: string;
  readonly equal: boolean;
}

/** Selects objects by the fields that their kind offers for it. */
export class FieldSelector {
  readonly #terms: readonly Term[];
  readonly #kind: ResourceKind;

  /** @throws {Refusal} 400 for fields that the kind does not know */
  constructor(terms: readonly Term[], kind: ResourceKind) {
    this.#kind = kind;
    for (const { field } of terms) {
      const isKnown = isMetadataField(field) || Object.hasOwn(kind.selectableFields, field);
      if (!isKnown) throw unknownField(field, kind);
    }
    // Terms that need not read the object come first.
    this.#terms = terms.toSorted((a, b) => Number(isMetadataField(b.field)) - Number(isMetadataField(a.field)));
  }

  get matchesAll(): boolean {
    return this.#terms.length === 0;
  }

  matches(stored: StoredObject): boolean {
    return this.#terms.every(({ field, value, equal }) => (valueOf(stored, field, this.#kind) === value) === equal);
  }
}

/** @throws {Refusal} 400 for text that is none */
export function parseFieldTerms(text: string): Term[] {
  return splitTerms(text).map((term) => parseTerm(term, text));
}

/** Returns the only name that a selector lets through, if it is one at all and names one. */
export function exactName(text: string): string | undefined {
  return splitTerms(text).map((term) => TERM.exec(term)).find((match) =>
    match?.[1] === "metadata.name" && match[2] !== "!="
  )
    ?.[3];
}

/** Worked out once for each version of an object. */
const known = new WeakMap<StoredObject, { kind: ResourceKind; values: Readonly<Record<string, string>> }>();

function selectableValues(stored: StoredObject, kind: ResourceKind): Readonly<Record<string, string>> {
  const cached = known.get(stored);
  if (cached?.kind === kind) return cached.values;
  const object: Json = kind.fromStored ? kind.fromStored(parse(stored)) : parse(stored);
  const values = Object.fromEntries(
    Object.entries(kind.selectableFields).map(([field, value]) => [
      field,
      typeof value === "string" ? String(valueAt(object, field) ?? value) : value(object),
    ]),
  );
  known.set(stored, { kind, values });
  return values;
}

/** Returns what stands at a path, such as `spec.group`. */
export function valueAt(object: Json, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (value as Json | undefined)?.[name], object);
}

function isMetadataField(field: string): boolean {
  return field === "metadata.name" || field === "metadata.namespace";
}

function valueOf(stored: StoredObject, field: string, kind: ResourceKind): string | undefined {
  if (field === "metadata.name") return stored.name;
  return field === "metadata.namespace" ? stored.namespace : selectableValues(stored, kind)[field];
}

function unknownField(field: string, { selectableFields }: ResourceKind): Error {
  const known = ["metadata.name", "metadata.namespace", ...Object.keys(selectableFields)].join(", ");
  return badRequest(`cannot select by ${JSON.stringify(field)}: only by ${known}`);
}

/** Commas separate, unless a backslash is before them. */
function splitTerms(text: string): string[] {
  return text.match(/(?:\\.|[^,\\]|\\$)+/g) ?? [];
}

const TERM = /^((?:\\.|[^=!\\])*)(!=|==|=)(.*)$/s;

function parseTerm(term: string, selector: string): Term {
  const match = TERM.exec(term);
  if (!match) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
  const [, field = "", operator, value = ""] = match;
  return { field, value: unescaped(value), equal: operator !== "!=" };
}

/** Fields `UnescapeValue`. */
function unescaped(value: string): string {
  return value.replace(/\\([\\,=])|[\\,=]/g, (found, escaped?: string) => {
    if (escaped !== undefined) return escaped;
    throw badRequest(`invalid field selector: ${JSON.stringify(found)} in a value must stand behind a backslash`);
  });
}
