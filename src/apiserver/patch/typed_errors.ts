import { ownValue } from "../../runtime/own_value.ts";
import { jsonTypeOf } from "../schema/scalars.ts";
import type { Json } from "../resource_kind.ts";
import type { FieldSchema } from "../schema/field_schema.ts";
import { isObject } from "../is_object.ts";
import { pathText } from "./field_set.ts";
import { itemElement } from "./typed_value.ts";

/** What is wrong at a place: `.spec.schedule: expected string, got …`. */
type Problem = readonly [path: string, why: string];

/**
 * Returns what keeps a configuration from being applied: values of another type than their field's, fields that the schema
 * does not have, and items of lists that cannot be distinguished. Structured-merge-diff `validatingObjectWalker`.
 */
export function typedErrors(config: Json, schema: FieldSchema): string[] {
  return problemsOf(config, schema, false).map(([path, why]) => path ? `${path}: ${why}` : why);
}

/** @param keeps whether fields that the schema does not have are kept here */
function problemsOf(value: unknown, schema: FieldSchema, keeps: boolean): Problem[] {
  if (value === null || value === undefined) return [];
  switch (schema.type) {
    case "object":
    case "map":
      if (isObject(value)) return fieldProblems(value, schema, keeps || schema.preserveUnknown === true);
      return schema.orElse ? [] : expected("object", value);
    case "list":
      return Array.isArray(value) ? itemProblems(value, schema, keeps) : expected("array", value);
    default:
      return scalarProblems(value, schema);
  }
}

function fieldProblems(value: Json, schema: FieldSchema, keeps: boolean): Problem[] {
  return Object.entries(value).flatMap(([name, field]): Problem[] => {
    const fieldSchema = schema.type === "map" ? schema.values : ownValue(schema.properties, name);
    if (fieldSchema) return problemsOf(field, fieldSchema, keeps).map(below(`.${name}`));
    return keeps ? [] : [[`.${name}`, "field not declared in schema"]];
  });
}

function itemProblems(list: unknown[], schema: FieldSchema, keeps: boolean): Problem[] {
  const isNamed = schema.listType === "map" || schema.listType === "set";
  const seen = new Set<string>();
  const problems: Problem[] = [];
  for (const [index, item] of list.entries()) {
    const why = isNamed && nameless(item, schema);
    // Nothing can be said of what is below an item that has no name.
    if (why) return [...problems, ["", `element ${index}: ${why}`]];
    const element = isNamed ? itemElement(item, schema) : `i:${index}`;
    const name = pathText([element]);
    if (seen.has(element)) problems.push(["", `duplicate entries for key ${name}`]);
    seen.add(element);
    for (const found of problemsOf(item, schema.items!, keeps)) problems.push(below(name)(found));
  }
  return problems;
}

/** Returns why no path can lead to an item. */
function nameless(item: unknown, { listType, listMapKeys = [], items }: FieldSchema): string | undefined {
  if (listType === "set") {
    return typeof item === "object" ? "must be a single value in a list of the type set" : undefined;
  }
  if (!isObject(item)) return "must be an object in a list of the type map";
  const isGiven = (key: string) => Object.hasOwn(item, key) || items?.properties?.[key]?.default !== undefined;
  if (listMapKeys.some(isGiven)) return undefined;
  return `must have ${listMapKeys.join(", ")}, by which the list is merged`;
}

const NUMBERS = ["int32", "int64", "double"];
const TEXTS = ["string", "bytes"];

function scalarProblems(value: unknown, { type }: FieldSchema): Problem[] {
  const wanted = NUMBERS.includes(type) ? "number" : TEXTS.includes(type) ? "string" : type === "bool" && "boolean";
  const isRight = wanted ? jsonTypeOf(value) === wanted : typeof value !== "object" || type === "any";
  return isRight ? [] : expected(wanted || "a single value", value);
}

function expected(wanted: string, value: unknown): Problem[] {
  return problem(`must be ${wanted}, not ${jsonTypeOf(value)}`);
}

function problem(why: string): Problem[] {
  return [["", why]];
}

function below(step: string): (problem: Problem) => Problem {
  return ([path, why]) => [`${step}${path}`, why];
}
