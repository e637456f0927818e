import type { ApiRequest } from "../http/exchange.ts";
import { flattened } from "../kinds/nested.ts";
import { unsupportedMediaType } from "../refusals.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { type Decoded, decodeObject, type FieldValidation } from "../schema/decode.ts";
import type { ServerContext } from "./context.ts";
import { dedupeOwners } from "./metadata.ts";

/** The content types of an object. */
const READABLE = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** `application/json; charset=utf-8` is `application/json`. */
export function mediaType(request: ApiRequest): string {
  return (request.header("content-type") ?? "application/json").replace(/;.*/, "").trim().toLowerCase();
}

/** @throws {Refusal} 415 */
export function checkReadable(request: ApiRequest): void {
  if (!READABLE.includes(mediaType(request))) throw unsupportedMediaType(READABLE);
}

/**
 * Reads an object of a kind out of a body.
 *
 * @throws {Refusal} 400, 413, 415
 */
export async function readObject(
  { registry }: ServerContext,
  request: ApiRequest,
  kind: ResourceKind,
  fieldValidation: FieldValidation,
): Promise<Json> {
  checkReadable(request);
  const contentType = mediaType(request);
  const options = { contentType, fieldValidation, knownKinds: registry.all() };
  return accepted(request, decodeObject(await request.body(), kind, options));
}

/** Returns the object of a request, which has metadata, and warns its client of all that was left out. */
export function accepted({ warnings }: ApiRequest, { object, warnings: complaints }: Decoded): Json {
  object.metadata ??= {};
  flattened([complaints, dedupeOwners(object)], warnings);
  return object;
}
