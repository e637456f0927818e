import { applyPatch, type Operation, Pointer } from "rfc6902";
import { badRequest, Refusal, rejected } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";
import { isObject } from "../../base/is_object.ts";

/** More would only serve to keep the server busy. */
const MAX_OPERATIONS = 10_000;

/** As kube-apiserver, of JSON in all: copies of copies soon fill any memory. */
const MAX_COPIED = 3 * 1024 * 1024;

const TEXTS = ["op", "path", "from"];

/**
 * RFC 6902. Gives a new object.
 *
 * @throws {Refusal} 400 for what is no JSON patch, 413 for too many operations, 422 where an operation fails
 */
export function jsonPatch(target: Json, patch: unknown): Json {
  checkOperations(patch);
  if (patch === null) return target;
  if (patch.length > MAX_OPERATIONS) {
    const why = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`;
    throw new Refusal(413, "RequestEntityTooLarge", `Request entity too large: ${why}`);
  }
  const object = structuredClone(target);
  let copied = 0;
  for (const operation of patch) {
    if (operation?.op === "copy") copied += sizeAt(object, operation.from);
    if (copied > MAX_COPIED || !isDone(object, operation)) throw rejected();
  }
  return object;
}

function isDone(object: Json, operation: Json): boolean {
  try {
    return applyPatch(object, [operation as unknown as Operation])[0] === null;
  } catch {
    return false;
  }
}

/** Returns how long the JSON at a path is; 0 where there is none. */
function sizeAt(object: Json, path: unknown): number {
  try {
    return JSON.stringify(Pointer.fromJSON(path as string).get(object))?.length ?? 0;
  } catch {
    return 0;
  }
}

function checkOperations(patch: unknown): asserts patch is Json[] | null {
  if (patch === null) return;
  const isOperation = (operation: unknown) =>
    operation === null ||
    isObject(operation) && TEXTS.every((name) => typeof (operation[name] ?? "") === "string");
  if (Array.isArray(patch) && patch.every(isOperation)) return;
  throw badRequest("a JSON patch must be a list of operations, in which op, path and from are texts");
}
