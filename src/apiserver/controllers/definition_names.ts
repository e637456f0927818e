import { trueCondition, withCondition } from "../kinds/conditions.ts";
import { same } from "../operations/metadata.ts";
import type { Json } from "../resource_kind.ts";

const KINDS = ["kind", "listKind"];
const JUDGED = ["plural", "singular", "shortNames", ...KINDS];

/** Names that another definition of the group has already. */
interface Conflict {
  /** Of the definition's names. */
  readonly field: string;
  readonly taken: readonly string[];
}

/**
 * Returns which of its names a definition may not have: apiextensions `calculateNamesAndConditions`, in its order. What it was
 * granted before it keeps.
 *
 * @param others the other definitions of its group
 */
export function nameConflicts(definition: Json, others: readonly Json[]): Conflict[] {
  const own = granted(definition);
  const all = [own, ...others.map(granted)];
  const resources = new Set(all.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular, ...shortNames]));
  const kinds = new Set(all.flatMap(({ kind, listKind }) => [kind, listKind]));
  return JUDGED.flatMap((field) => {
    const had = new Set([own[field] ?? [], field === "shortNames" ? [own.plural, own.singular] : []].flat());
    const used = KINDS.includes(field) ? kinds : resources;
    const taken = [definition.spec.names[field] ?? []].flat().filter((name) => !had.has(name) && used.has(name));
    return taken.length ? [{ field, taken }] : [];
  });
}

/** Returns whether a definition has all the names that it asks for. */
export function hasItsNames(definition: Json): boolean {
  return ["NamesAccepted", "Established"].every((type) => trueCondition(definition, type)) &&
    same(definition.spec.names, granted(definition));
}

/** Returns the names by which the objects of a definition are served: once it is established, those that it was granted. */
export function servedNames(definition: Json): Json {
  const { names } = definition.spec;
  if (!trueCondition(definition, "Established")) return names;
  return { ...granted(definition), plural: names.plural, kind: names.kind };
}

/**
 * Returns the status of a definition whose names have been judged.
 *
 * @param at when that is
 */
export function namedStatus(definition: Json, others: readonly Json[], at: string): Json {
  const conflicts = nameConflicts(definition, others), last = conflicts.at(-1);
  const refused = conflicts.map(({ field }) => [field, granted(definition)[field]]);
  const accepted = last
    ? condition("NamesAccepted", false, `${last.field[0]!.toUpperCase()}${last.field.slice(1)}Conflict`, inUse(last))
    : condition("NamesAccepted", true, "NoConflicts", "no conflicts found");
  const established = !last
    ? condition("Established", true, "InitialNamesAccepted", "the initial names have been accepted")
    : condition("Established", false, "NotAccepted", "not all names are accepted");
  const news = trueCondition(definition, "Established") ? [accepted] : [accepted, established];
  const before: readonly Json[] = definition.status?.conditions ?? [];
  return {
    ...definition.status,
    conditions: news.reduce((conditions: readonly Json[], next) => withCondition(conditions, next, at), before),
    acceptedNames: { ...definition.spec.names, ...Object.fromEntries(refused) },
  };
}

function granted({ status }: Json): Json {
  return status?.acceptedNames ?? { plural: "", kind: "" };
}

/** An aggregate of errors, where several short names are taken. */
function inUse({ taken }: Conflict): string {
  const errors = taken.map((name) => `${JSON.stringify(name)} is already in use`);
  return errors.length > 1 ? `[${errors.join(", ")}]` : errors.join();
}

function condition(type: string, holds: boolean, reason: string, message: string): Json {
  return { type, status: holds ? "True" : "False", reason, message };
}
