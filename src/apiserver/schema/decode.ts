import { parseDocument } from "yaml";
import { apiVersionOf } from "../kind_names.ts";
import { badRequest, invalid } from "../refusals.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { decodeProtobuf } from "../protobuf/envelope.ts";
import { checkDepth, duplicateFields } from "./json_text.ts";
import { OBJECT_FIELDS } from "./structural/json_schema.ts";
import { TypeMismatch } from "./scalars.ts";
import { isObject } from "./typed_object.ts";

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
  const { value, duplicates } = parseBody(body, kind, options);
  checkKind(value, kind, options);
  return readAs(kind, value, options.fieldValidation === "Ignore" ? [] : duplicates, {
    ...options,
    refusal: (why) => cannotBeHandled(value, kind, why),
  });
}

/**
 * Reads a value of any origin (a body, the outcome of a patch) as an object of a kind.
 *
 * @param complaints what there is to say of it already
 * @throws what `refusal` makes of what it cannot be
 */
export function readAs(
  kind: ResourceKind,
  value: Json,
  complaints: readonly string[],
  { fieldValidation, refusal }: Pick<DecodeOptions, "fieldValidation"> & { refusal: (why: string) => Error },
): Decoded {
  try {
    const { object, unknownFields } = kind.read(value);
    object.apiVersion = apiVersionOf(kind);
    object.kind = kind.kind;
    const warnings = [...complaints, ...(fieldValidation === "Ignore" ? [] : unknownFields.map(unknownField))];
    if (fieldValidation !== "Strict" || warnings.length === 0) return { object, warnings };
    throw refusal(`strict decoding error: ${warnings.join(", ")}`);
  } catch (error) {
    throw error instanceof TypeMismatch ? refusal(error.message) : error;
  }
}

function parseBody(
  body: Uint8Array,
  kind: ResourceKind,
  { contentType = "application/json", fieldValidation, knownKinds = [] }: DecodeOptions,
): { value: Json; duplicates: string[] } {
  const mediaType = contentType.replace(/;.*/, "").trim();
  if (mediaType === "application/vnd.kubernetes.protobuf") {
    const known = [kind, ...knownKinds];
    const schemaOf = (apiVersion: string, name: string) =>
      known.find((one) => apiVersionOf(one) === apiVersion && one.kind === name)?.schema;
    return { value: decodeProtobuf(body, schemaOf), duplicates: [] };
  }
  const text = new TextDecoder().decode(body);
  const isYaml = mediaType.endsWith("yaml");
  let value: unknown, duplicates: string[] = [];
  try {
    if (isYaml) ({ value, duplicates } = parseYaml(text));
    else value = JSON.parse(text);
  } catch (error) {
    throw unrecognized(kind, jsonError(text, error as Error), body);
  }
  if (!isObject(value)) {
    const fields =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    throw unrecognized(kind, `json: cannot unmarshal ${typeName(value)} into Go value of type ${fields}`, body);
  }
  for (const field of ["apiVersion", "kind"]) {
    const found = value[field] ?? "";
    if (typeof found === "string") continue;
    const why = `json: cannot unmarshal ${typeName(found)} into Go struct field .${field} of type string`;
    throw unrecognized(kind, why, body);
  }
  if (!isYaml && fieldValidation !== "Ignore") {
    duplicates = duplicateFields(text).map(duplicateField);
  } else {
    checkDepth(value);
  }
  return { value, duplicates };
}

/** A key that is given twice is no error yet: it is reported with the unknown fields. */
function parseYaml(text: string): { value: unknown; duplicates: string[] } {
  const document = parseDocument(text);
  const duplicates = document.errors.filter(({ code }) => code === "DUPLICATE_KEY");
  const [error] = document.errors.filter((one) => !duplicates.includes(one));
  if (error) throw error;
  const lines = duplicates.map(({ linePos }) => `yaml: line ${linePos?.[0].line}: key already set in map`);
  return { value: document.toJS(), duplicates: lines };
}

function checkKind(value: Json, kind: ResourceKind, { knownKinds = [], fieldValidation }: DecodeOptions): void {
  const expected = apiVersionOf(kind);
  const apiVersion = value.apiVersion || expected, kindName = value.kind || kind.kind;
  if (apiVersion === expected && kindName === kind.kind) return;
  if (kind.custom) {
    if (apiVersion === expected) {
      throw invalid({ group: kind.group, kind: kindName }, value.metadata?.name ?? "", [
        { type: "FieldValueInvalid", field: "kind", message: `Invalid value: "${kindName}": must be ${kind.kind}` },
      ]);
    }
    const refusal = badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
    // No schema is known for that version, so that all of the content is unknown.
    const unknown = Object.keys(value).filter((field) => !OBJECT_FIELDS.includes(field)).sort();
    if (fieldValidation !== "Ignore") refusal.warnings = unknown.map(unknownField);
    throw refusal;
  }
  const known = knownKinds.filter(({ custom }) => !custom);
  const why = otherKind({ apiVersion, kind: kindName }, kind, known, ' in scheme "pkg/api/legacyscheme/scheme.go:30"');
  throw cannotBeHandled({ apiVersion, kind: kindName }, kind, why);
}

/** Says why an object of another kind cannot be one of this. */
export function otherKind(
  { apiVersion, kind: kindName }: Json,
  kind: ResourceKind,
  known: readonly ResourceKind[],
  where = "",
): string {
  const other = known.find((one) => apiVersionOf(one) === apiVersion && one.kind === kindName);
  const goPackage = kind.group.replace(/\..*/, "") || "core";
  return other
    ? `converting (${other.version}.${other.kind}) to (${goPackage}.${kind.kind}): unknown conversion`
    : `no kind ${JSON.stringify(kindName)} is registered for version ${JSON.stringify(apiVersion)}${where}`;
}

/** Said of a field that the schema does not have. */
export function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`;
}

/** Said of a field that stands twice in the text. */
export function duplicateField(path: string): string {
  return `duplicate field ${JSON.stringify(path)}`;
}

function cannotBeHandled(value: Json, kind: ResourceKind, why: string) {
  const version = String(value.apiVersion || apiVersionOf(kind)).split("/").pop();
  return badRequest(`${value.kind || kind.kind} in version "${version}" cannot be handled as a ${kind.kind}: ${why}`);
}

function unrecognized(kind: ResourceKind, why: string, body: Uint8Array) {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; ` +
      `json parse error: ${why} (${summaryOf(body)})`,
  );
}

/** A body may be long, and hold what must not be shown. */
const SUMMARY_BYTES = 30;

function summaryOf(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const start = body.subarray(0, SUMMARY_BYTES);
  const more = body.length > SUMMARY_BYTES ? " ..." : "";
  const isText = start[0] === "{".charCodeAt(0);
  const hex = () => [...start].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return (isText ? new TextDecoder().decode(start) : hex()) + more;
}

/** Returns what Go calls the type of a JSON value. */
function typeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value === "boolean" ? "bool" : typeof value;
}

function jsonError(text: string, error: Error): string {
  return text === "" ? "unexpected end of JSON input" : error.message;
}
