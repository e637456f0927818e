import { type Document, isScalar, LineCounter, parseDocument, type Scalar, visit } from "yaml";
import { messageOf } from "../../telemetry/message_of.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { invalidValue } from "../kinds/validation/field_errors.ts";
import { badRequest, invalid, type Refusal } from "../refusals.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { decodeProtobuf, ProtobufError, type SchemaOf } from "../protobuf/envelope.ts";
import { checkDepth, duplicateFields, unknownFields } from "./json_text.ts";
import { jsonTypeOf } from "./scalars.ts";
import { TypeMismatch } from "./typed_object.ts";
import { isObject } from "../../base/is_object.ts";

/** The values of the query parameter of the same name. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface DecodeOptions {
  /** @default "Warn" */
  readonly fieldValidation?: FieldValidation;
  /** The request's `Content-Type`; JSON when absent. */
  readonly contentType?: string;
  /** Every kind that the server has, to distinguish a wrong kind from one that doesn't exist. */
  readonly knownKinds?: readonly ResourceKind[];
}

export interface Decoded {
  readonly object: Json;
  /** About unknown and duplicate fields, for `Warning` headers. */
  readonly warnings: string[];
}

/**
 * Reads the body of a create or an update as an object of `kind`, with unknown fields pruned and no defaults yet.
 *
 * @throws {Refusal} 400 in kube-apiserver's words, if it cannot be one
 */
export function decodeObject(body: Uint8Array, kind: ResourceKind, options: DecodeOptions = {}): Decoded {
  const known = [kind, ...options.knownKinds ?? []];
  const schemaOf = (apiVersion: string, name: string) =>
    known.find((one) => apiVersionOf(one) === (apiVersion || apiVersionOf(kind)) && one.kind === (name || kind.kind))
      ?.schema;
  const { value, complaints } = parseBody(body, kind, options, schemaOf);
  checkKind(value, kind);
  return readAs(kind, value, complaints, { ...options, refusal: badRequest });
}

/**
 * Reads a value of any origin (a body, the outcome of a patch) as an object of a kind.
 *
 * @param said the complaints of strict decoding about the value's text; those about unknown fields are added
 * @throws what `refusal` makes of what it cannot be
 */
export function readAs(
  kind: ResourceKind,
  value: Json,
  said: readonly string[],
  { fieldValidation, refusal }: Pick<DecodeOptions, "fieldValidation"> & {
    refusal: (why: string) => Error;
  },
): Decoded {
  try {
    const { object, unknownFields: unknown } = kind.read(value);
    object.apiVersion = apiVersionOf(kind);
    object.kind = kind.kind;
    const complaints = fieldValidation === "Ignore" ? [] : [...said, ...unknownFields(unknown)];
    if (fieldValidation !== "Strict" || complaints.length === 0) return { object, warnings: complaints };
    throw refusal(`strict decoding error: ${complaints.join(", ")}`);
  } catch (error) {
    throw error instanceof TypeMismatch ? refusal(error.message) : error;
  }
}

/**
 * Reads a body as JSON, whatever kind it says that it is of.
 *
 * @param kind the one that is named where it cannot be read
 * @throws {Refusal} 400
 */
export function parseBody(
  body: Uint8Array,
  kind: ResourceKind,
  { contentType = "application/json", fieldValidation }: DecodeOptions,
  schemaOf: SchemaOf,
): { value: Json; complaints: readonly string[] } {
  const mediaType = contentType.replace(/;.*/, "").trim();
  if (mediaType === "application/vnd.kubernetes.protobuf") {
    return { value: readProtobuf(body, kind, schemaOf), complaints: [] };
  }
  const text = new TextDecoder().decode(body);
  const isYaml = mediaType.endsWith("yaml");
  let value: unknown, complaints: readonly string[] = [];
  try {
    if (isYaml) ({ value, duplicates: complaints } = parseYaml(text));
    else value = JSON.parse(text);
  } catch (error) {
    throw unrecognized(kind, messageOf(error));
  }
  const object = withTypeMeta(value);
  if (typeof object === "string") throw unrecognized(kind, object);
  if (isYaml || fieldValidation === "Ignore") checkDepth(object);
  else complaints = duplicateFields(text);
  return { value: object, complaints };
}

/** Returns JSON as an object that says its version and kind as texts, or the problem. */
function withTypeMeta(value: unknown): Json | string {
  // Go leaves a struct as it is where JSON has null.
  const object = value ?? {};
  if (!isObject(object)) return `must be an object, not ${jsonTypeOf(object)}`;
  const wrong = ["apiVersion", "kind"].find((field) => typeof (object[field] ?? "") !== "string");
  return wrong === undefined ? object : `${wrong}: must be a string, not ${jsonTypeOf(object[wrong])}`;
}

function readProtobuf(body: Uint8Array, kind: ResourceKind, schemaOf: SchemaOf): Json {
  try {
    return decodeProtobuf(body, schemaOf);
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw unrecognized(kind, error.message);
  }
}

/** A key that is given twice is no error yet: it is reported with the unknown fields. */
export function parseYaml(text: string): { value: unknown; duplicates: string[] } {
  // Most clients send JSON as YAML, which is read as such in a fraction of the time.
  const json = asJson(text);
  if (json !== undefined) return { value: json, duplicates: [] };
  const lineCounter = new LineCounter();
  // Neither the look for keys that stand twice nor a picture of each error: their time grows with the square of the text.
  const document = parseDocument(text, { lineCounter, uniqueKeys: false, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new Error(`${error.message} at line ${line}, column ${col}`);
  }
  const duplicates = repeatedKeys(document).map(({ range, value }) =>
    `line ${lineCounter.linePos(range![0]).line}: key ${JSON.stringify(String(value))} already set in map`
  );
  return { value: document.toJS(), duplicates };
}

/** Returns what a text is as JSON without keys that are given twice; undefined for what is none. */
function asJson(text: string): unknown {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return duplicateFields(text).length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the keys that their map has had before, in the order of the text. */
function repeatedKeys(document: Document.Parsed): Scalar[] {
  const repeated: Scalar[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) repeated.push(key);
        seen.add(key.value);
      }
    },
  });
  return repeated.sort((one, other) => one.range![0] - other.range![0]);
}

function checkKind(value: Json, kind: ResourceKind): void {
  const expected = apiVersionOf(kind);
  const apiVersion = value.apiVersion || expected, kindName = value.kind || kind.kind;
  if (kindName !== kind.kind) {
    if (!kind.custom) {
      throw badRequest(`the kind in the data (${kindName}) does not match the expected kind (${kind.kind})`);
    }
    // Customresource `ValidateTypeMeta`.
    const error = invalidValue("kind", kindName, `must be ${kind.kind}`);
    throw invalid({ group: kind.group, kind: kindName }, value.metadata?.name ?? "", [error]);
  }
  if (apiVersion === expected) return;
  throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${expected})`);
}

function unrecognized(kind: ResourceKind, why: string): Refusal {
  return badRequest(`the body must be an object of kind ${kind.kind}: ${why}`);
}
