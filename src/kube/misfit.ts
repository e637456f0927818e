import { isObject } from "../base/is_object.ts";
import { apiVersionOf, type Resource } from "./resource.ts";

/** The object that an answer has to be of. A field that is absent is not judged. */
export interface Expected {
  readonly resource: Resource;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  /** UID of an owner that the object names. */
  readonly ownerUid?: string | undefined;
  /** Whether it may lack name and UID, as a review has none that no server stores. @default {false} */
  readonly isUnstored?: boolean;
}

/** An answer is of something else: a gateway mixed it up or made it up, and whether the request took effect is unknown. */
export class MisfitError extends Error {
  override readonly name = "MisfitError";
}

/** Returns why an answer is not of the expected object; undefined where it is. */
export function misfitOf(expected: Expected, answer: unknown): string | undefined {
  const { resource, isUnstored = false } = expected;
  const { apiVersion, kind, metadata } = loose(answer);
  const misfit = differs("kind", kind, resource.kind) ?? differs("apiVersion", apiVersion, apiVersionOf(resource));
  if (misfit !== undefined || isUnstored) return misfit;
  const { name, namespace, uid, ownerReferences } = loose(metadata);
  return differs("name", name, expected.name) ??
    (resource.namespaced ? differs("namespace", namespace, expected.namespace) : undefined) ??
    differs("uid", uid, undefined) ??
    ownerMisfit(ownerReferences, expected.ownerUid);
}

/** Returns why an answer is not a list of the resource. The items are to have their kind by now. */
export function listMisfitOf(expected: Expected, answer: unknown): string | undefined {
  const { kind, metadata, items } = loose(answer);
  const misfit = differs("kind", kind, `${expected.resource.kind}List`) ?? versionMisfit(metadata);
  if (misfit !== undefined) return misfit;
  if (!Array.isArray(items)) return "it has no items";
  for (const item of items) {
    const misfit = misfitOf(expected, item);
    if (misfit !== undefined) return `of an item, ${misfit}`;
  }
  return undefined;
}

/** Returns why the object of a watch event is not one that can have come; of a bookmark its version alone counts. */
export function eventMisfitOf(expected: Expected, type: string, object: unknown): string | undefined {
  return versionMisfit(loose(object).metadata) ?? (type === "BOOKMARK" ? undefined : misfitOf(expected, object));
}

/** Returns why an answer to a deletion is neither a `Status` of success nor the object. */
export function deletionMisfitOf(expected: Expected, answer: unknown): string | undefined {
  const { kind, status } = loose(answer);
  return kind === "Status" ? differs("status", status, "Success") : misfitOf(expected, answer);
}

/**
 * Returns whether a text is of the expected object by its looks: it names all that is asked for, and its kind first, as
 * API servers write it. What does not look so may be of it all the same.
 */
export function looksLike({ resource, name, namespace, ownerUid }: Expected, text: string): boolean {
  const kind = `"kind":"${resource.kind}"`;
  const apiVersion = `"apiVersion":"${apiVersionOf(resource)}"`;
  return (text.startsWith(`{${kind},${apiVersion},`) || text.startsWith(`{${apiVersion},${kind},`)) &&
    text.includes(`"name":"${name}"`) && text.includes('"uid":"') &&
    (namespace === undefined || text.includes(`"namespace":"${namespace}"`)) &&
    (ownerUid === undefined || text.includes(`"uid":"${ownerUid}"`));
}

function versionMisfit(metadata: unknown): string | undefined {
  return differs("resourceVersion", loose(metadata).resourceVersion, undefined);
}

/** Where nothing is asked for, any text that is not empty will do. */
function differs(field: string, found: unknown, expected: string | undefined): string | undefined {
  const fits = expected === undefined ? typeof found === "string" && found !== "" : found === expected;
  return fits
    ? undefined
    : `its ${field} is ${shown(found)}${expected === undefined ? "" : `, not ${shown(expected)}`}`;
}

function ownerMisfit(owners: unknown, uid: string | undefined): string | undefined {
  if (uid === undefined || (Array.isArray(owners) && owners.some((owner) => owner?.uid === uid))) return undefined;
  return `no owner of it has the uid ${shown(uid)}`;
}

/** Of what is no object, all fields are missing. */
function loose(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** Of something that may be anything and as long as anything. */
function shown(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(value.slice(0, 253))
    : value === undefined
    ? "missing"
    : typeof value;
}
