import { applyPatch, type Operation } from "rfc6902";
import { badRequest, Refusal } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";

/** More would only serve to keep the server busy. */
const MAX_OPERATIONS = 10_000;

/**
 * RFC 6902. Gives a new object.
 *
 * @throws {Refusal} 400 for what is no JSON patch, 413 for too many operations, 422 where an operation fails
 */
export function jsonPatch(target: Json, patch: unknown): Json {
  if (!Array.isArray(patch)) {
    const what = patch === null ? "null" : typeof patch;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${what} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (patch.length > MAX_OPERATIONS) {
    throw new Refusal(
      413,
      "RequestEntityTooLarge",
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
    );
  }
  const object = structuredClone(target);
  let failures: (Error | null)[];
  try {
    failures = applyPatch(object, patch as Operation[]);
  } catch {
    throw rejected();
  }
  if (failures.some((failure) => failure !== null)) throw rejected();
  return object;
}

function rejected(): Refusal {
  return new Refusal(422, "Invalid", "the server rejected our request due to an error in our request", {});
}
