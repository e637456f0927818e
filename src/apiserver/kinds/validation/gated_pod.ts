import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../resource_kind.ts";
import { CORE_TYPES } from "../../schema/types/core.ts";
import { copyField } from "../define.ts";
import { type Findings, invalidValue } from "./field_errors.ts";
import { asStruct } from "./spec_diff.ts";

const TERMS = "requiredDuringSchedulingIgnoredDuringExecution";

/** Checks what is added while gates hold a Pod back: where it may go can only become less. */
export function gatedChange(spec: Json, old: Json): Findings {
  return [
    selectorChange(spec.nodeSelector, old.nodeSelector ?? {}),
    affinityChange(spec.affinity?.nodeAffinity, old.affinity?.nodeAffinity),
  ];
}

/** Returns the new spec with the old value of what {@linkcode gatedChange} judges. */
export function withoutGated(spec: Json, old: Json): Json {
  const result = { ...spec };
  copyField("nodeSelector", old, result);
  copyNodeAffinity(old, result);
  return result;
}

/** Makes the affinity to nodes what it is in `from`. */
export function copyNodeAffinity(from: Json, to: Json): void {
  const affinity = { ...to.affinity };
  copyField("nodeAffinity", from.affinity ?? {}, affinity);
  if (Object.keys(affinity).length > 0 || from.affinity) to.affinity = affinity;
  else delete to.affinity;
}

/** Core `validateNodeSelectorMutation`. */
function selectorChange(next: Json | undefined, old: Json): Findings {
  const why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return Object.keys(old).some((key) => next?.[key] !== old[key]) && invalidValue("spec.nodeSelector", next, why);
}

/** Core `validateNodeAffinityMutation`. */
function affinityChange(next: Json | undefined, old: Json | undefined): Findings {
  const at = `spec.affinity.nodeAffinity.${TERMS}.nodeSelectorTerms`;
  const terms = (affinity: Json | undefined): Json[] => affinity?.[TERMS]?.nodeSelectorTerms ?? [];
  const [oldTerms, newTerms] = [terms(old), terms(next)];
  if (oldTerms.length === 0) return [];
  const shown = (term: Json) => asStruct(term, CORE_TYPES.struct("NodeSelectorTerm"));
  if (oldTerms.length !== newTerms.length) {
    const why = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return invalidValue(at, newTerms.length === 0 ? null : newTerms.map(shown), why);
  }
  return newTerms.map((term, index) =>
    !isAddition(term, oldTerms[index]!) &&
    invalidValue(`${at}[${index}]`, shown(term), "only additions are allowed (no mutations or deletions)")
  );
}

const LISTS = ["matchExpressions", "matchFields"];

/** A term without any requirement chooses nothing, and with one it would choose something. */
function isAddition(next: Json, old: Json): boolean {
  const of = (term: Json, list: string): Json[] => term[list] ?? [];
  if (LISTS.every((list) => of(old, list).length === 0)) return LISTS.every((list) => of(next, list).length === 0);
  return LISTS.every((list) => isDeepStrictEqual(of(next, list).slice(0, of(old, list).length), of(old, list)));
}
