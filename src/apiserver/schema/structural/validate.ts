import { isDeepStrictEqual } from "node:util";
import {
  duplicate,
  type Findings,
  found,
  invalidState,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
  wrongType,
} from "../../kinds/validation/field_errors.ts";
import type { FieldError, Json } from "../../resource_kind.ts";
import { isObject } from "../../../base/is_object.ts";
import { repeatedIndexes, sortedKeys } from "../../sorted_keys.ts";
import { NUMBER_RANGES, TEXT_FORMATS } from "./formats.ts";
import { fieldSchemaOf, type JsonSchema, OBJECT_FIELDS } from "./json_schema.ts";
import { compilePattern } from "./pattern.ts";

/** Where a value stands. Messages name the path below the value that is looked at, fields the whole path. */
interface Place {
  readonly path: string;
  readonly prefix: string;
  /** The value before the change; undefined where there was none, or none that is known to be the same. */
  readonly old: unknown;
}

/**
 * Returns what is wrong with a value by its schema, in kube-apiserver's words.
 *
 * @param prefix where the value stands: `status` when only that is looked at
 */
export function validateBySchema(value: unknown, schema: JsonSchema, prefix = ""): FieldError[] {
  return check(value, schema, { path: "", prefix, old: undefined });
}

/**
 * Returns the same for what takes the place of `old`: a part that says what it said before is not judged again, as the
 * schema may have changed.
 */
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
  const ofNumber = typeof value === "number" && checkNumber(value, schema, place);
  if (wrongType) return found(wrongType, ofNumber);
  return found(
    checkCombinations(value, schema, place),
    typeof value === "string" && checkText(value, schema, place),
    ofNumber,
    Array.isArray(value) && checkList(value, schema, place),
    checkEnum(value, schema, place),
    isObject(value) && checkObject(value, schema, place),
  );
}

function checkType(value: unknown, schema: JsonSchema, place: Place): FieldError | undefined {
  const actual = typeOf(value);
  if (schema["x-kubernetes-int-or-string"]) {
    return actual === "integer" || actual === "string" ? undefined : typeError("integer,string", actual, place);
  }
  const { type } = schema;
  return !type || actual === type || (type === "number" && actual === "integer")
    ? undefined
    : typeError(type, actual, place);
}

function typeError(wanted: string, actual: string, place: Place): FieldError {
  return wrongType(fieldOf(place), wanted, actual);
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function checkText(text: string, { format, minLength, maxLength, pattern }: JsonSchema, place: Place): Findings {
  const { length } = [...text], isFormat = TEXT_FORMATS[format ?? ""];
  return [
    maxLength !== undefined && length > maxLength && tooLong(fieldOf(place), maxLength),
    minLength !== undefined && length < minLength &&
    invalid(text, `must be at least ${minLength} chars long`, place),
    pattern !== undefined && compilePattern(pattern)?.test(text) === false &&
    invalid(text, `must match '${pattern}'`, place),
    isFormat?.(text) === false && typeError(format!, text, place),
  ];
}

function checkNumber(value: number, schema: JsonSchema, place: Place): Findings {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type, format } = schema;
  const isWhole = type === "integer" || schema["x-kubernetes-int-or-string"];
  const [least, most] = isWhole && NUMBER_RANGES[format ?? "int64"] || [-Infinity, Infinity];
  const ofFormat = `${place.path}: must be a whole number from ${least} to ${most}`;
  const isOutside = value < least || value > most || (least !== -Infinity && !Number.isInteger(value));
  const orEqual = (exclusive: boolean | undefined) => exclusive ? "" : "or equal to ";
  return [
    isOutside && invalidState("<nil>", ofFormat),
    multipleOf !== undefined && !Number.isInteger(value / multipleOf) &&
    invalid(value, `must be a multiple of ${multipleOf}`, place),
    maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum) &&
    invalid(value, `must be less than ${orEqual(exclusiveMaximum)}${maximum}`, place),
    minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum) &&
    invalid(value, `must be greater than ${orEqual(exclusiveMinimum)}${minimum}`, place),
  ];
}

function checkList(list: unknown[], schema: JsonSchema, place: Place): Findings {
  const { items, minItems, maxItems, uniqueItems } = schema, oldOf = oldItems(schema, place);
  return [
    minItems !== undefined && list.length < minItems &&
    invalid(list.length, `must have at least ${minItems} items`, place),
    maxItems !== undefined && list.length > maxItems && tooMany(fieldOf(place), list.length, maxItems),
    uniqueItems && repeatedIndexes(list).length > 0 && invalid("", "must not contain duplicates", place),
    items &&
    list.map((item, index) => check(item, items, { ...itemOf(place, index), old: oldOf(item) })),
    checkItemKeys(list, schema, place),
  ];
}

/** Sets hold nothing twice; items of map lists differ in their keys. */
function checkItemKeys(list: unknown[], schema: JsonSchema, place: Place): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  if (listType !== "set" && listType !== "map") return [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const names = listType === "set"
    ? list
    : list.map((item) => Object.fromEntries(keys.map((key) => [key, (item as Json)?.[key]])));
  return repeatedIndexes(names).map((index) => duplicate(fieldOf(itemOf(place, index)), sortedKeys(names[index])));
}

function checkEnum(value: unknown, schema: JsonSchema, place: Place): Findings {
  const supported = schema.enum?.map((one) => typeof one === "string" ? one : JSON.stringify(one));
  const isMember = schema.enum?.some((one) => isDeepStrictEqual(one, value)) ?? true;
  return !isMember && notSupported(fieldOf(place), sortedKeys(value), supported!);
}

function checkObject(object: Json, schema: JsonSchema, place: Place): Findings {
  const { minProperties, maxProperties } = schema, count = Object.keys(object).length;
  return [
    minProperties !== undefined && count < minProperties &&
    invalid(count, `must have at least ${minProperties} properties`, place),
    maxProperties !== undefined && count > maxProperties && tooMany(fieldOf(place), count, maxProperties),
    schema.required?.map((name) => object[name] === undefined && required(fieldOf(childOf(place, name)))),
    Object.entries(object).sort(([a], [b]) => a < b ? -1 : 1).map(([key, value]) => {
      // Of the fields that every object has, a schema may only narrow the names in the metadata.
      const isRootField = place.path === "" && place.prefix === "" && key !== "metadata" && OBJECT_FIELDS.includes(key);
      const child = fieldSchemaOf(schema, key);
      return child && !isRootField && value !== undefined && check(value, child, childOf(place, key));
    }),
  ];
}

/** The value before the change excuses no part of them, as with Kubernetes: a part that is passed over makes another one match. */
function checkCombinations(value: unknown, { allOf, anyOf, oneOf, not }: JsonSchema, at: Place): Findings {
  const place = { ...at, old: undefined };
  const judge = (schemas: readonly JsonSchema[] | undefined) => schemas?.map((schema) => check(value, schema, place));
  const passed = (judged: readonly FieldError[][]) => judged.filter((errors) => errors.length === 0).length;
  // Nothing says which field it is about but the message.
  const must = (what: string) => invalidState(at.prefix || "<nil>", `${at.path}: must ${what}`);
  const any = judge(anyOf), one = judge(oneOf), all = judge(allOf), never = judge(not && [not]);
  return [
    any && passed(any) === 0 && [must("validate at least one schema (anyOf)"), any[0]],
    one && passed(one) === 0 && [must("validate one and only one schema (oneOf). Found none valid"), one[0]],
    one && passed(one) > 1 &&
    must(`validate one and only one schema (oneOf). Found ${passed(one)} valid alternatives`),
    all && passed(all) < all.length &&
    [all, must(`validate all the schemas (allOf)${passed(all) === 0 ? ". None validated" : ""}`)],
    never && passed(never) === 1 && must("not validate the schema (not)"),
  ];
}

function invalid(value: unknown, detail: string, place: Place): FieldError {
  return invalidValue(fieldOf(place), value, detail);
}

function childOf({ path, prefix, old }: Place, key: string): Place {
  const before = isObject(old) && Object.hasOwn(old, key) ? old[key] : undefined;
  return { path: path ? `${path}.${key}` : key, prefix, old: before };
}

function itemOf({ path, prefix }: Place, index: number): Place {
  return { path: `${path}[${index}]`, prefix, old: undefined };
}

/** Returns what finds the item that an item takes the place of. Only the keys of map lists show that. */
function oldItems(schema: JsonSchema, { old }: Place): (item: unknown) => unknown {
  const { "x-kubernetes-list-type": type, "x-kubernetes-list-map-keys": keys = [] } = schema;
  if (!Array.isArray(old) || type !== "map") return () => undefined;
  const keysOf = (item: unknown) => JSON.stringify(sortedKeys(keys.map((key) => (item as Json)?.[key])));
  const before = new Map<string, unknown>();
  for (const item of old) before.getOrInsert(keysOf(item), item);
  return (item) => before.get(keysOf(item));
}

function fieldOf({ path, prefix }: Place): string {
  return prefix && path ? `${prefix}.${path}` : prefix || path || "<nil>";
}
