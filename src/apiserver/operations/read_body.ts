import { parse as parseYaml } from "yaml";
import { messageOf } from "../errors.ts";
import type { ApiRequest } from "../http/exchange.ts";
import { badRequest, Refusal } from "../refusal.ts";
import { apiVersionOf } from "../registry.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";

/** `application/json; charset=utf-8` is `application/json`. */
export function mediaType(request: ApiRequest): string {
  return (request.header("content-type") ?? "application/json").split(";")[0].trim().toLowerCase();
}

/** Reads an object of a kind out of a body. */
export async function readObject(request: ApiRequest, kind: ResourceKind): Promise<Json> {
  const bytes = await request.body();
  const type = mediaType(request);
  const text = new TextDecoder().decode(bytes);
  let value: unknown;
  try {
    value = type === "application/yaml" ? parseYaml(text) : JSON.parse(text);
  } catch (error) {
    throw unrecognized(kind, messageOf(error), text);
  }
  if (type !== "application/json" && type !== "application/yaml") throw unsupportedMediaType(type);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw unrecognized(kind, "json: cannot unmarshal into an object", text);
  }
  const object = value as Json;
  object.kind ||= kind.kind;
  object.apiVersion ||= apiVersionOf(kind);
  checkType(object, kind);
  object.metadata ??= {};
  return object;
}

function checkType(object: Json, kind: ResourceKind): void {
  if (object.kind === kind.kind && object.apiVersion === apiVersionOf(kind)) return;
  const version = String(object.apiVersion).split("/").pop();
  throw badRequest(
    `${object.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind.kind}: ` +
      `no kind ${JSON.stringify(object.kind)} is registered for version ${JSON.stringify(object.apiVersion)}`,
  );
}

function unrecognized(kind: ResourceKind, why: string, text: string): Refusal {
  const shown = text === "" ? "<empty>" : text.slice(0, 100);
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; ` +
      `json parse error: ${why} (${shown})`,
  );
}

export function unsupportedMediaType(type: string): Refusal {
  return new Refusal(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ` +
      `application/json, application/yaml, application/vnd.kubernetes.protobuf (got ${JSON.stringify(type)})`,
    {},
  );
}
