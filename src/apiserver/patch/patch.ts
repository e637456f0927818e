import { isDeepStrictEqual } from "node:util";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { invalidState } from "../kinds/validation/field_errors.ts";
import { badRequest, conflict, invalid, Refusal, unsupportedMediaType } from "../refusals.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { type Decoded, type FieldValidation, parseYaml, readAs } from "../schema/decode.ts";
import { checkDepth, duplicateFields, unknownFields } from "../schema/json_text.ts";
import { jsonTypeOf } from "../schema/scalars.ts";
import { TypeMismatch } from "../schema/typed_object.ts";
import { isObject } from "../../base/is_object.ts";
import { mergePatch } from "../../base/merge_patch.ts";
import { applyConfiguration } from "./apply.ts";
import { jsonPatch } from "./json_patch.ts";
import { strategicMergePatch } from "./strategic_merge_patch.ts";
import { unmergeable } from "./unmergeable.ts";

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
}

/** A patch that has been read. Its functions leave their arguments alone, so that they can be tried again. */
export interface Patch {
  /** True for server-side apply, which notes the ownership of fields itself. */
  readonly isApply: boolean;
  /** @throws {Refusal} */
  patch(live: Json, now: EpochMs): Decoded;
  /** Makes the object that apply creates; other patches create none. */
  readonly create?: (now: EpochMs) => Decoded;
}

/** @throws {Refusal} 415 */
export function patchType(mediaType: string, { custom }: ResourceKind): PatchType {
  // A definition has no strategies of merging.
  const taken = Object.keys(CONTENT_TYPES).filter((type) => !custom || CONTENT_TYPES[type] !== "strategic");
  if (taken.includes(mediaType)) return CONTENT_TYPES[mediaType]!;
  throw unsupportedMediaType(taken);
}

/**
 * Reads the body of a PATCH.
 *
 * @throws {Refusal} 400, 422
 */
export function readPatch(type: PatchType, body: Uint8Array, options: PatchOptions): Patch {
  const text = new TextDecoder().decode(body);
  if (type === "apply") return readApply(parseConfiguration(text, options), options);
  const patch = parseJson(text);
  const twice = options.fieldValidation === "Ignore" ? [] : duplicateFields(text);
  return { isApply: false, patch: (live) => change(type, live, { patch, twice }, options) };
}

function change(
  type: Exclude<PatchType, "apply">,
  live: Json,
  { patch, twice }: { readonly patch: unknown; readonly twice: readonly string[] },
  options: PatchOptions,
): Decoded {
  switch (type) {
    case "json":
      return read(jsonPatch(live, patch), twice, options);
    case "merge":
      if (patch === null) throw badRequest("Invalid JSON Patch");
      return read(mergePatch(live, asObject(patch)) as Json, twice, options);
    case "strategic": {
      const object = asObject(patch ?? {});
      return read(strategicMergePatch(live, object, options.kind.schema), twice, options, true);
    }
  }
}

function asObject(patch: unknown): Json {
  if (isObject(patch)) return patch;
  throw undecodable(`must be an object, not ${jsonTypeOf(patch)}`);
}

function undecodable(why: string): Refusal {
  return badRequest(`error decoding patch: ${why}`);
}

interface Configuration {
  readonly config: Json;
  readonly complaints: readonly string[];
}

function readApply({ config, complaints }: Configuration, options: PatchOptions): Patch {
  const { kind, fieldManager } = options;
  const apply = (live: Json | undefined, now: EpochMs) => {
    const applied = applyConfiguration(live, config, { ...options, manager: fieldManager, now });
    // The configuration has been checked already.
    const { object } = read(applied, [], { ...options, fieldValidation: "Ignore" });
    return { object, warnings: [...complaints] };
  };
  return {
    isApply: true,
    patch: apply,
    create: (now) => {
      const { name, uid } = config.metadata ?? {};
      if (uid) {
        const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
        throw conflict(kind, name, why);
      }
      return apply(undefined, now);
    },
  };
}

/** A value that is no text counts as empty. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function parseConfiguration(text: string, { kind, fieldValidation }: PatchOptions): Configuration {
  let parsed: ReturnType<typeof parseYaml>;
  try {
    parsed = parseYaml(text);
  } catch (error) {
    throw undecodable(messageOf(error));
  }
  const config = parsed.value ?? {};
  if (!isObject(config)) throw undecodable(`must be an object, not ${jsonTypeOf(config)}`);
  checkDepth(config);
  const isKind = config.apiVersion === apiVersionOf(kind) && config.kind === kind.kind;
  if (!isKind) throw badRequest(`the body must be of ${apiVersionOf(kind)}, kind ${kind.kind}`);
  if (Array.isArray(config.metadata?.managedFields)) throw badRequest("metadata.managedFields must be nil");
  const unknown = checkConfiguration(config, kind, fieldValidation);
  if (parsed.duplicates.length > 0 && fieldValidation === "Strict") {
    throw undecodable(parsed.duplicates.join(", "));
  }
  return { config, complaints: fieldValidation === "Ignore" ? [] : [...parsed.duplicates, ...unknown] };
}

/** Apply refuses fields that it doesn't know, whatever the request says; inside Pod templates they are only reported. */
function checkConfiguration(config: Json, kind: ResourceKind, fieldValidation: FieldValidation): string[] {
  const fail = (...why: string[]) => new Refusal(500, "", `cannot apply the configuration: ${why.join(", ")}`);
  const errors = unmergeable(config, kind.schema);
  if (errors.length > 0) throw fail(...errors);
  try {
    const unknown = unknownFields(kind.read(config).unknownFields);
    if (unknown.length === 0 || fieldValidation !== "Strict") return unknown;
    throw fail(...unknown);
  } catch (error) {
    throw error instanceof TypeMismatch ? fail(error.message) : error;
  }
}

/** Returns the patched object as one of its kind; what it cannot be is the patch's fault. */
function read(
  object: Json,
  complaints: readonly string[],
  { kind, fieldValidation }: PatchOptions,
  isStrategic = false,
): Decoded {
  const own = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  const given = { apiVersion: textOf(object.apiVersion) || own.apiVersion, kind: textOf(object.kind) || own.kind };
  // A strategic patch has a type already, whatever it says it is of.
  if (!isStrategic && !isDeepStrictEqual(given, own)) {
    throw invalidPatch(`must leave an object of ${own.apiVersion}, kind ${own.kind}`);
  }
  return readAs(kind, object, complaints, { fieldValidation, refusal: invalidPatch });
}

function invalidPatch(problem: string): Refusal {
  return invalid({ group: "", kind: "" }, "", [invalidState("patch", problem)]);
}

function parseJson(text: string): unknown {
  let patch: unknown;
  try {
    patch = JSON.parse(text);
  } catch (error) {
    throw undecodable(messageOf(error));
  }
  checkDepth(patch);
  return patch;
}
