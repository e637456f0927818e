import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../../resource_kind.ts";
import { isObject } from "../typed_object.ts";
import { NUMBER_RANGES, TEXT_FORMATS } from "./formats.ts";
import { type JsonSchema, OBJECT_FIELDS } from "./json_schema.ts";
import { compilePattern } from "./pattern.ts";

/** Where a value stands. Messages name the path below the value that is looked at, fields the whole path. */
interface Place {
  readonly path: string;
  readonly prefix: string;
  /** What stood there before; undefined where there was nothing, or nothing that can be told to be the same. */
  readonly old: unknown;
}

/**
 * What is wrong with a value by its schema, in kube-apiserver's words.
 *
 * @param prefix where the value stands: `status` when only that is looked at
 */
export function validateBySchema(value: unknown, schema: JsonSchema, prefix = ""): FieldError[] {
  return check(value, schema, { path: "", prefix, old: undefined });
}

/** The same of what takes the place of `old`: a part that says what it said before is not judged again, as the schema may have changed. */
export function validateChangeBySchema(value: unknown, old: unknown, schema: JsonSchema, prefix = ""): FieldError[] {
  return check(value, schema, { path: "", prefix, old });
}

function check(value: unknown, schema: JsonSchema, place: Place): FieldError[] {
  const errors = faultsOf(value, schema, place);
  return errors.length > 0 && place.old !== undefined && isDeepStrictEqual(value, place.old) ? [] : errors;
}

function faultsOf(value: unknown, schema: JsonSchema, place: Place): FieldError[] {
  if (value === null && schema.nullable) return [];
  const wrongType = checkType(value, schema, place);
  if (wrongType) return [wrongType, ...(typeof value === "number" ? checkNumber(value, schema, place) : [])];
  return [
    ...checkCombinations(value, schema, place),
    ...(typeof value === "string" ? checkText(value, schema, place) : []),
    ...(typeof value === "number" ? checkNumber(value, schema, place) : []),
    ...(Array.isArray(value) ? checkList(value, schema, place) : []),
    ...checkEnum(value, schema, place),
    ...(isObject(value) ? checkObject(value, schema, place) : []),
  ];
}

function checkType(value: unknown, schema: JsonSchema, place: Place): FieldError | undefined {
  const actual = typeOf(value);
  if (schema["x-kubernetes-int-or-string"]) {
    return actual === "integer" || actual === "string" ? undefined : typeError("integer,string", actual, place);
  }
  const { type, format } = schema;
  if (!type || actual === type || (type === "number" && actual === "integer")) return undefined;
  // Where a format says more than the type, it is what the value isn't.
  const byFormat = format && (actual === "number" || actual === "boolean" || actual === "object");
  return byFormat ? typeError(format, actual === "number" ? "float64" : "", place) : typeError(type, actual, place);
}

function typeError(wanted: string, actual: string, place: Place): FieldError {
  return {
    type: "FieldValueTypeInvalid",
    field: fieldOf(place),
    message: `Invalid value: ${JSON.stringify(actual)}: ${subject(place)} must be of type ${wanted}: ${
      JSON.stringify(actual)
    }`,
  };
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function checkText(text: string, { format, minLength, maxLength, pattern }: JsonSchema, place: Place): FieldError[] {
  const errors: FieldError[] = [];
  const length = [...text].length;
  if (maxLength !== undefined && length > maxLength) {
    errors.push({
      type: "FieldValueTooLong",
      field: fieldOf(place),
      message: `Too long: may not be more than ${maxLength} bytes`,
    });
  }
  if (minLength !== undefined && length < minLength) {
    errors.push(invalid(text, `should be at least ${minLength} chars long`, place));
  }
  if (pattern !== undefined && !(compilePattern(pattern)?.test(text) ?? true)) {
    errors.push(invalid(text, `should match '${pattern}'`, place));
  }
  const isFormat = format ? TEXT_FORMATS[format] : undefined;
  if (isFormat && !isFormat(text)) {
    errors.push({
      type: "FieldValueTypeInvalid",
      field: fieldOf(place),
      message: `Invalid value: ${JSON.stringify(text)}: ${subject(place)} must be of type ${format}: ${
        JSON.stringify(text)
      }`,
    });
  }
  return errors;
}

function checkNumber(value: number, schema: JsonSchema, place: Place): FieldError[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type, format } = schema;
  const errors: FieldError[] = [];
  const range = type === "integer" || schema["x-kubernetes-int-or-string"]
    ? NUMBER_RANGES[format ?? "int64"]
    : undefined;
  if (range && (!Number.isInteger(value) || value < range[0] || value > range[1])) {
    errors.push({
      type: "FieldValueInvalid",
      field: "<nil>",
      message: `Invalid value: "": Checked value must be of type integer with format ${format} in ${place.path}`,
    });
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) {
    errors.push(invalid(value, `should be a multiple of ${multipleOf}`, place));
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    errors.push(invalid(value, `should be less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`, place));
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    errors.push(invalid(value, `should be greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`, place));
  }
  return errors;
}

function checkList(list: unknown[], schema: JsonSchema, place: Place): FieldError[] {
  const { items, minItems, maxItems, uniqueItems } = schema;
  const errors: FieldError[] = [];
  if (minItems !== undefined && list.length < minItems) {
    errors.push(invalid(list.length, `should have at least ${minItems} items`, place));
  }
  if (maxItems !== undefined && list.length > maxItems) errors.push(tooMany(list.length, maxItems, place));
  if (uniqueItems && duplicates(list).length > 0) errors.push(invalid("", "shouldn't contain duplicates", place));
  if (items) {
    for (const [index, item] of list.entries()) {
      errors.push(...check(item, items, { ...itemOf(place, index), old: oldItem(item, schema, place) }));
    }
  }
  return [...errors, ...checkItemKeys(list, schema, place)];
}

/** Sets hold nothing twice; items of map lists differ in their keys. */
function checkItemKeys(list: unknown[], schema: JsonSchema, place: Place): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  if (listType !== "set" && listType !== "map") return [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const names = listType === "set"
    ? list
    : list.map((item) => Object.fromEntries(keys.map((key) => [key, (item as Json)?.[key]])));
  return duplicates(names).map((index) => ({
    type: "FieldValueDuplicate",
    field: fieldOf(itemOf(place, index)),
    message: `Duplicate value: ${JSON.stringify(names[index])}`,
  }));
}

/** The indexes of items that are there before. */
function duplicates(list: readonly unknown[]): number[] {
  return list.flatMap((item, index) =>
    list.slice(0, index).some((earlier) => isDeepStrictEqual(earlier, item)) ? [index] : []
  );
}

function checkEnum(value: unknown, schema: JsonSchema, place: Place): FieldError[] {
  if (!schema.enum || schema.enum.some((one) => isDeepStrictEqual(one, value))) return [];
  const supported = schema.enum.map((one) => JSON.stringify(typeof one === "string" ? one : JSON.stringify(one)));
  return [{
    type: "FieldValueNotSupported",
    field: fieldOf(place),
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.join(", ")}`,
  }];
}

function checkObject(object: Json, schema: JsonSchema, place: Place): FieldError[] {
  const { properties = {}, additionalProperties, required = [], minProperties, maxProperties } = schema;
  const errors: FieldError[] = [];
  const count = Object.keys(object).length;
  if (minProperties !== undefined && count < minProperties) {
    errors.push(invalid(count, `should have at least ${minProperties} properties`, place));
  }
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(count, maxProperties, place));
  for (const name of required) {
    if (object[name] === undefined) {
      errors.push({ type: "FieldValueRequired", field: fieldOf(childOf(place, name)), message: "Required value" });
    }
  }
  for (const [key, value] of Object.entries(object).sort(([a], [b]) => a < b ? -1 : 1)) {
    // Of the fields that every object has, a schema may only narrow the names in the metadata.
    const isRootField = place.path === "" && place.prefix === "" && key !== "metadata" && OBJECT_FIELDS.includes(key);
    const child = Object.hasOwn(properties, key)
      ? properties[key]
      : typeof additionalProperties === "object"
      ? additionalProperties
      : undefined;
    if (child && !isRootField && value !== undefined) errors.push(...check(value, child, childOf(place, key)));
  }
  return errors;
}

/** What was there before excuses no part of them, as with Kubernetes: a part that is passed over makes another one match. */
function checkCombinations(value: unknown, { allOf, anyOf, oneOf, not }: JsonSchema, at: Place): FieldError[] {
  const place = { ...at, old: undefined };
  const passes = (schema: JsonSchema) => check(value, schema, place).length === 0;
  const errors: FieldError[] = [];
  if (anyOf && !anyOf.some(passes)) errors.push(invalid("", "must validate at least one schema (anyOf)", place));
  if (oneOf && oneOf.filter(passes).length !== 1) {
    errors.push(invalid("", "must validate one and only one schema (oneOf)", place));
  }
  if (allOf && !allOf.every(passes)) {
    errors.push(
      invalid("", "must validate all the schemas (allOf)", place),
      ...allOf.flatMap((schema) => check(value, schema, place)),
    );
  }
  if (not && passes(not)) errors.push(invalid("", "must not validate the schema (not)", place));
  return errors;
}

function invalid(value: unknown, detail: string, place: Place): FieldError {
  return {
    type: "FieldValueInvalid",
    field: fieldOf(place),
    message: `Invalid value: ${JSON.stringify(value)}: ${subject(place)} ${detail}`,
  };
}

function tooMany(actual: number, most: number, place: Place): FieldError {
  return {
    type: "FieldValueTooMany",
    field: fieldOf(place),
    message: `Too many: ${actual}: must have at most ${most} items`,
  };
}

function childOf({ path, prefix, old }: Place, key: string): Place {
  const before = isObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
  return { path: path ? `${path}.${key}` : key, prefix, old: before };
}

function itemOf({ path, prefix }: Place, index: number): Place {
  return { path: `${path}[${index}]`, prefix, old: undefined };
}

/** The item that an item takes the place of. Only in map lists can that be told, by their keys. */
function oldItem(item: unknown, schema: JsonSchema, { old }: Place): unknown {
  if (!Array.isArray(old)) return undefined;
  const { "x-kubernetes-list-type": type, "x-kubernetes-list-map-keys": keys = [] } = schema;
  if (type !== "map") return undefined;
  return old.find((one) => keys.every((key) => isDeepStrictEqual(one?.[key], (item as Json)?.[key])));
}

function fieldOf({ path, prefix }: Place): string {
  return prefix && path ? `${prefix}.${path}` : prefix || path || "<nil>";
}

function subject({ path }: Place): string {
  return `${path} in body`;
}
