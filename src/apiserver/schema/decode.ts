import { type Document, isScalar, LineCounter, parseDocument, type Scalar, visit } from "yaml";
import { messageOf } from "../../telemetry/message_of.ts";
import { apiVersionOf } from "../kind_names.ts";
import { badRequest, invalid, type Refusal } from "../refusals.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { decodeProtobuf, ProtobufError } from "../protobuf/envelope.ts";
import { jsonSyntaxError } from "./json_syntax.ts";
import { checkDepth, duplicateFields, fieldComplaints, unknownField } from "./json_text.ts";
import { OBJECT_FIELDS } from "./structural/json_schema.ts";
import { jsonTypeOf, TypeMismatch } from "./scalars.ts";
import { isObject } from "../is_object.ts";
import { isVersionOf, otherKind, versionProblem } from "./known_types.ts";

/** What the query parameter of the same name says. */
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
  const { value, complaintsOf } = parseBody(body, kind, options);
  checkKind(value, kind, options);
  return readAs(kind, value, complaintsOf, { ...options, refusal: (why) => cannotBeHandled(value, kind, why) });
}

/** What strict decoding says of a text, of which these fields are unknown. */
type ComplaintsOf = (unknownFields: readonly string[]) => readonly string[];

/**
 * Reads a value of any origin (a body, the outcome of a patch) as an object of a kind.
 *
 * @param complaintsOf called unless it is all the same what fields there are
 * @throws what `refusal` makes of what it cannot be
 */
export function readAs(
  kind: ResourceKind,
  value: Json,
  complaintsOf: ComplaintsOf,
  { fieldValidation, refusal }: Pick<DecodeOptions, "fieldValidation"> & {
    refusal: (why: string, mismatch?: TypeMismatch) => Error;
  },
): Decoded {
  try {
    const { object, unknownFields } = kind.read(value);
    object.apiVersion = apiVersionOf(kind);
    object.kind = kind.kind;
    const complaints = fieldValidation === "Ignore" ? [] : complaintsOf(unknownFields);
    if (fieldValidation !== "Strict" || complaints.length === 0) return { object, warnings: [...complaints] };
    throw refusal(`strict decoding error: ${complaints.join(", ")}`);
  } catch (error) {
    throw error instanceof TypeMismatch ? refusal(error.message, error) : error;
  }
}

function parseBody(
  body: Uint8Array,
  kind: ResourceKind,
  { contentType = "application/json", fieldValidation, knownKinds = [] }: DecodeOptions,
): { value: Json; complaintsOf: ComplaintsOf } {
  const mediaType = contentType.replace(/;.*/, "").trim();
  if (mediaType === "application/vnd.kubernetes.protobuf") {
    return { value: readProtobuf(body, kind, knownKinds), complaintsOf: (unknown) => unknown.map(unknownField) };
  }
  const text = new TextDecoder().decode(body);
  const isYaml = mediaType.endsWith("yaml");
  let value: unknown, complaintsOf: ComplaintsOf = () => [];
  try {
    if (isYaml) {
      const parsed = parseYaml(text), { duplicates } = parsed;
      value = parsed.value;
      // A refusal says all of it as YAML's reader does, warnings each by itself.
      const repeated = fieldValidation === "Strict" && duplicates.length > 0
        ? [strictYamlError(duplicates)]
        : duplicates;
      // Kubernetes makes JSON of it, in order.
      complaintsOf = (unknown) => [...repeated, ...unknown.toSorted().map(unknownField)];
    } else value = JSON.parse(text);
  } catch (error) {
    throw unrecognized(kind, isYaml ? messageOf(error) : jsonSyntaxError(body) ?? messageOf(error), body);
  }
  const object = withTypeMeta(value);
  if (typeof object === "string") throw unrecognized(kind, object, body);
  const problem = kind.custom ? undefined : versionProblem(object);
  if (problem) throw unrecognizedBecause(kind, problem, body);
  if (kind.custom && !object.kind) {
    // What is not known by its schema must say what it is.
    throw unrecognizedBecause(kind, `Object 'Kind' is missing in '${text}'`, body);
  }
  if (isYaml || fieldValidation === "Ignore") checkDepth(object);
  else {
    const duplicates = duplicateFields(text);
    complaintsOf = (unknown) => fieldComplaints(text, duplicates, unknown);
  }
  return { value: object, complaintsOf };
}

/** Returns JSON as an object, which can say what version and kind it is of; what Go says of any other JSON. */
export function withTypeMeta(value: unknown): Json | string {
  // Go leaves a struct as it is where JSON has null.
  const object = value ?? {};
  if (!isObject(object)) {
    const fields = 'APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\""';
    return `json: cannot unmarshal ${jsonTypeOf(object)} into Go value of type struct { ${fields} }`;
  }
  const wrong = ["apiVersion", "kind"].find((field) => typeof (object[field] ?? "") !== "string");
  if (wrong === undefined) return object;
  return `json: cannot unmarshal ${jsonTypeOf(object[wrong])} into Go struct field .${wrong} of type string`;
}

function readProtobuf(body: Uint8Array, kind: ResourceKind, knownKinds: readonly ResourceKind[]): Json {
  const known = [kind, ...knownKinds];
  const schemaOf = (apiVersion: string, name: string) =>
    known.find((one) => apiVersionOf(one) === (apiVersion || apiVersionOf(kind)) && one.kind === (name || kind.kind))
      ?.schema;
  try {
    return decodeProtobuf(body, schemaOf);
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw error.type
      ? cannotBeHandled(error.type, kind, error.message)
      : unrecognizedBecause(kind, error.message, body);
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

/** Returns what YAML's strict reader says of keys that are given twice. */
export function strictYamlError(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:${duplicates.map((line) => `\n  ${line}`).join("")}`;
}

/** Versions that are as good; Pods' `AcceptsGroupVersion`. */
const ALSO_TAKEN: Readonly<Record<string, string>> = { "policy/v1": "policy/v1beta1" };

function checkKind(value: Json, kind: ResourceKind, { knownKinds = [], fieldValidation }: DecodeOptions): void {
  const expected = apiVersionOf(kind);
  const apiVersion = value.apiVersion || (kind.custom ? "" : expected), kindName = value.kind || kind.kind;
  if (apiVersion === expected && kindName === kind.kind) return;
  if (kind.custom) {
    if (apiVersion === expected) throw otherType(value, kind);
    const refusal = otherVersion(apiVersion, expected);
    // No schema is known for that version, so that all of the content is unknown.
    const unknown = Object.keys(value).filter((field) => !OBJECT_FIELDS.includes(field)).sort();
    if (fieldValidation !== "Ignore") refusal.warnings = unknown.map(unknownField);
    throw refusal;
  }
  const type = { apiVersion, kind: kindName };
  if (!isVersionOf(type, kind, knownKinds)) throw cannotBeHandled(type, kind, otherKind(type, kind, knownKinds));
  if (apiVersion !== ALSO_TAKEN[expected]) throw otherVersion(apiVersion, expected);
}

function otherVersion(found: string, expected: string): Refusal {
  return badRequest(`the API version in the data (${found}) does not match the expected API version (${expected})`);
}

/** Customresource `ValidateTypeMeta`. */
export function otherType({ apiVersion, kind: name, metadata }: Json, kind: ResourceKind): Refusal {
  const wrong = name !== kind.kind ? ["kind", name, kind.kind] : ["apiVersion", apiVersion, apiVersionOf(kind)];
  const [field = "", found, wanted] = wrong, shown = typeof found === "string" ? found : "";
  return invalid({ group: kind.group, kind: name }, metadata?.name ?? "", [
    { type: "FieldValueInvalid", field, message: `Invalid value: ${JSON.stringify(shown)}: must be ${wanted}` },
  ]);
}

function cannotBeHandled(value: Json, kind: ResourceKind, why: string) {
  const version = String(value.apiVersion || apiVersionOf(kind)).split("/").pop();
  return badRequest(`${value.kind || kind.kind} in version "${version}" cannot be handled as a ${kind.kind}: ${why}`);
}

function unrecognized(kind: ResourceKind, why: string, body: Uint8Array) {
  return unrecognizedBecause(kind, `couldn't get version/kind; json parse error: ${why}`, body);
}

function unrecognizedBecause(kind: ResourceKind, why: string, body: Uint8Array) {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${summaryOf(body)})`,
  );
}

/** A body may be long, and hold what must not be shown. */
const SUMMARY_BYTES = 30;

function summaryOf(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const start = body.subarray(0, SUMMARY_BYTES);
  const more = body.length > SUMMARY_BYTES ? " ..." : "";
  const isText = start[0] === "{".charCodeAt(0);
  return (isText ? new TextDecoder().decode(start) : start.toHex()) + more;
}
