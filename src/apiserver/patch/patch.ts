import { parse as parseYaml } from "yaml";
import { ownValue } from "../../runtime/own_value.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import { badRequest, conflict, invalid, Refusal, unsupportedMediaType } from "../refusals.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { apiVersionOf } from "../kind_names.ts";
import {
  type Decoded,
  duplicateField,
  type FieldValidation,
  otherKind,
  readAs,
  unknownField,
} from "../schema/decode.ts";
import { checkDepth, duplicateFields } from "../schema/json_text.ts";
import { TypeMismatch } from "../schema/scalars.ts";
import { isObject } from "../schema/typed_object.ts";
import { applyConfiguration } from "./apply.ts";
import { jsonPatch } from "./json_patch.ts";
import { mergePatch } from "./merge_patch.ts";
import { strategicMergePatch } from "./strategic_merge_patch.ts";

export type PatchType = "json" | "merge" | "strategic" | "apply";

/** The content types of patches, in the order in which a refusal names them. */
const CONTENT_TYPES: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

export interface PatchOptions {
  readonly kind: ResourceKind;
  /** `""` for the object itself. */
  readonly subresource: string;
  /** As the request gave it; empty when it didn't. */
  readonly fieldManager: string;
  readonly force: boolean;
  readonly fieldValidation: FieldValidation;
  /** Every kind that the server has. */
  readonly knownKinds?: readonly ResourceKind[];
}

/** A patch that has been read. Its functions leave their arguments alone, so that they can be tried again. */
export interface Patch {
  /** True for server-side apply, which notes the ownership of fields itself. */
  readonly isApply: boolean;
  /** @throws {Refusal} */
  patch(live: Json, now: EpochMs): Decoded;
  /** What apply makes where there is nothing; other patches cannot. */
  readonly create?: (now: EpochMs) => Decoded;
}

/** Returns the media types of patches that a kind takes: what merges strategically, no definition says. */
export function patchTypes(kind: ResourceKind): string[] {
  return Object.keys(CONTENT_TYPES).filter((type) => !kind.custom || CONTENT_TYPES[type] !== "strategic");
}

/** @throws {Refusal} 415 */
export function patchType(mediaType: string, kind: ResourceKind): PatchType {
  const type = ownValue(CONTENT_TYPES, mediaType);
  if (!type || (kind.custom && type === "strategic")) throw unsupportedMediaType(patchTypes(kind));
  return type;
}

/**
 * Reads the body of a PATCH.
 *
 * @throws {Refusal} 400, 422
 */
export function readPatch(type: PatchType, body: Uint8Array, options: PatchOptions): Patch {
  const text = new TextDecoder().decode(body);
  if (type === "apply") return readApply(text, options);
  const value = parseJson(text);
  checkDepth(value);
  const complaints = options.fieldValidation === "Ignore" || type === "json"
    ? []
    : duplicateFields(text).map(duplicateField);
  return { isApply: false, patch: (live) => read(change(type, live, value, options.kind), complaints, options) };
}

function change(type: PatchType, live: Json, patch: unknown, kind: ResourceKind): Json {
  if (type === "json") return jsonPatch(live, patch);
  if (!isObject(patch)) {
    throw badRequest("error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}");
  }
  return type === "merge" ? mergePatch(live, patch) as Json : strategicMergePatch(live, patch, kind.schema);
}

function readApply(text: string, options: PatchOptions): Patch {
  const { kind, fieldManager } = options;
  const config = parseConfiguration(text);
  const isKind = config.apiVersion === apiVersionOf(kind) && config.kind === kind.kind;
  if (!isKind) throw badRequest(`invalid object type: ${groupVersion(config)}, Kind=${textOf(config.kind)}`);
  if (config.metadata?.managedFields !== undefined) throw badRequest("metadata.managedFields must be nil");
  const complaints = checkConfiguration(config, options);
  const apply = (live: Json | undefined, now: EpochMs) =>
    read(applyConfiguration(live, config, { ...options, manager: fieldManager, now }), complaints, {
      ...options,
      // What the configuration says has been looked at already.
      fieldValidation: "Ignore",
    });
  return {
    isApply: true,
    patch: apply,
    create: (now) => {
      const { name, uid } = config.metadata ?? {};
      if (uid) {
        throw conflict(
          kind,
          name,
          `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
        );
      }
      return apply(undefined, now);
    },
  };
}

/** As Go prints a group and version: the core group is empty. */
function groupVersion({ apiVersion }: Json): string {
  const text = textOf(apiVersion);
  return text.includes("/") ? text : `/${text}`;
}

/** What is no text counts as none. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function parseConfiguration(text: string): Json {
  let config: unknown;
  try {
    config = parseYaml(text);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${firstLineOf(error)}`);
  }
  if (!isObject(config)) throw badRequest("error decoding YAML: expected an object");
  checkDepth(config);
  return config;
}

/** Apply refuses fields that it doesn't know, whatever the request says; inside Pod templates they are only reported. */
function checkConfiguration(config: Json, { kind, fieldValidation }: PatchOptions): string[] {
  const { namespace, name } = config.metadata ?? {};
  const where = `(${textOf(namespace)}/${textOf(name)}; ${config.apiVersion}, Kind=${config.kind})`;
  try {
    const { object, unknownFields } = kind.read(config);
    const lost = unknownFields.filter((path) => !isKept(object, path));
    if (lost.length > 0 || (fieldValidation === "Strict" && unknownFields.length > 0)) {
      const fields = (lost.length > 0 ? lost : unknownFields).map((path) => `.${path}: field not declared in schema`);
      throw new Refusal(500, "", `failed to create typed patch object ${where}: ${listed(fields)}`);
    }
    return fieldValidation === "Ignore" ? [] : unknownFields.map(unknownField);
  } catch (error) {
    if (error instanceof TypeMismatch) {
      throw new Refusal(500, "", `failed to create typed patch object ${where}: ${error.message}`);
    }
    throw error;
  }
}

function isKept(object: Json, path: string): boolean {
  let value: unknown = object;
  for (const step of path.matchAll(/[^.[\]]+/g)) value = (value as Json | undefined)?.[step[0]];
  return value !== undefined;
}

/** Returns the patched object as one of its kind; what it cannot be is the patch's fault. */
function read(
  object: Json,
  complaints: readonly string[],
  { kind, fieldValidation, knownKinds = [] }: PatchOptions,
): Decoded {
  const isKind = object.apiVersion === apiVersionOf(kind) && object.kind === kind.kind;
  if (!isKind) throw invalidPatch(object, otherKind(object, kind, knownKinds));
  return readAs(kind, object, complaints, { fieldValidation, refusal: (why) => invalidPatch(object, why) });
}

function invalidPatch(object: Json, problem: string): Refusal {
  return invalid({ group: "", kind: "" }, "", [{
    type: "FieldValueInvalid",
    field: "patch",
    message: `Invalid value: ${JSON.stringify(JSON.stringify(object))}: ${problem}`,
  }]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${(error as Error).message}`);
  }
}

function listed(texts: readonly string[]): string {
  return texts.length === 1 ? texts.join() : `errors:\n  ${texts.join("\n  ")}`;
}
