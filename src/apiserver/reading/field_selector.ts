import { badRequest } from "../refusals.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { parse, type StoredObject } from "../storage/stored_object.ts";

export interface Term {
  readonly field: string;
  readonly value: string;
  readonly equal: boolean;
}

/** Which objects, by fields that their kind lets one select by. */
export class FieldSelector {
  readonly #terms: readonly Term[];
  readonly #kind: ResourceKind;
  readonly #needsObject: boolean;

  /** @throws {Refusal} 400 for fields that the kind does not know */
  constructor(terms: readonly Term[], kind: ResourceKind) {
    this.#kind = kind;
    this.#terms = terms;
    for (const { field } of this.#terms) {
      if (!isMetadataField(field) && !(field in kind.selectableFields)) throw unknownField(field, kind);
    }
    this.#needsObject = this.#terms.some(({ field }) => !isMetadataField(field));
  }

  get matchesAll(): boolean {
    return this.#terms.length === 0;
  }

  /** The only name that can match, if there is one. */
  get name(): string | undefined {
    return this.#terms.find(({ field, equal }) => field === "metadata.name" && equal)?.value;
  }

  matches(stored: StoredObject): boolean {
    if (this.matchesAll) return true;
    const metadataMatches = this.#terms.every(({ field, value, equal }) =>
      !isMetadataField(field) || (metadataValue(stored, field) === value) === equal
    );
    if (!metadataMatches || !this.#needsObject) return metadataMatches;
    const fields = selectableValues(stored, this.#kind);
    return this.#terms.every(({ field, value, equal }) =>
      isMetadataField(field) || (fields[field] === value) === equal
    );
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

function valueAt(object: Json, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (value as Json | undefined)?.[name], object);
}

function isMetadataField(field: string): boolean {
  return field === "metadata.name" || field === "metadata.namespace";
}

function metadataValue(stored: StoredObject, field: string): string {
  return field === "metadata.name" ? stored.name : stored.namespace;
}

function unknownField(field: string, kind: ResourceKind): Error {
  if (kind.custom || Object.keys(kind.selectableFields).length) {
    return badRequest(`field label not supported: ${field}`);
  }
  return badRequest(
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** Commas separate, unless a backslash is before them. */
function splitTerms(text: string): string[] {
  return text.match(/(?:\\.|[^,\\])+/g) ?? [];
}

const TERM = /^((?:\\.|[^=!\\])*)(!=|==|=)(.*)$/s;

function parseTerm(term: string, selector: string): Term {
  const match = TERM.exec(term);
  if (!match) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
  const [, field = "", operator, value = ""] = match;
  return { field, value: value.replace(/\\(.)/g, "$1"), equal: operator !== "!=" };
}
