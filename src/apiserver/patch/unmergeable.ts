import { ownValue } from "../../base/own_value.ts";
import type { FieldSchema } from "../schema/field_schema.ts";
import { isOfType, typeMessage } from "../schema/mistyped.ts";
import { isObject } from "../../base/is_object.ts";
import { pathText } from "./field_set.ts";
import { itemElement } from "./typed_value.ts";

/**
 * Returns what keeps a configuration from being merged: values that are not of their fields' types, fields that the schema
 * does not have, and items of lists that cannot be distinguished.
 *
 * @param keeps whether fields that the schema does not have are kept here
 */
export function unmergeable(value: unknown, schema: FieldSchema, path = "", keeps = false): string[] {
  const wrong = wrongType(value, schema);
  if (wrong) return [`${path}: ${wrong}`];
  if (Array.isArray(value)) return schema.items ? unmergeableItems(value, schema, path, keeps) : [];
  if (!isObject(value) || (schema.type !== "object" && schema.type !== "map")) return [];
  const keepsHere = keeps || schema.preserveUnknown === true;
  return Object.entries(value).flatMap(([name, field]) => {
    const known = schema.type === "map" ? schema.values : ownValue(schema.properties, name), at = `${path}.${name}`;
    if (known) return unmergeable(field, known, at, keepsHere);
    return keepsHere ? [] : [`${at}: there is no such field`];
  });
}

function unmergeableItems(list: unknown[], schema: FieldSchema, path: string, keeps: boolean): string[] {
  const isMerged = schema.listType === "map" || schema.listType === "set", seen = new Set<string>();
  return list.flatMap((item, index) => {
    const why = wrongType(item, schema.items!) ?? (isMerged ? nameless(item, schema) : undefined);
    // No path leads below an item that has no name.
    if (why) return [`${path}[${index}]: ${why}`];
    const element = isMerged ? itemElement(item, schema) : `i:${index}`, at = path + pathText([element]);
    const isRepeated = seen.size === seen.add(element).size;
    return [...isRepeated ? [`${at}: is there twice`] : [], ...unmergeable(item, schema.items!, at, keeps)];
  });
}

function wrongType(value: unknown, schema: FieldSchema): string | undefined {
  const isWrong = (value ?? null) !== null && !isOfType(value, schema);
  return isWrong ? typeMessage(value, schema) : undefined;
}

/** Returns why no path can lead to an item. */
function nameless(item: unknown, { listType, listMapKeys = [], items }: FieldSchema): string | undefined {
  if (listType === "set") {
    return typeof item === "object" ? "must be a single value in a list of the type set" : undefined;
  }
  if (!isObject(item)) return "must be an object in a list of the type map";
  const isGiven = (key: string) => Object.hasOwn(item, key) || items?.properties?.[key]?.default !== undefined;
  return listMapKeys.some(isGiven) ? undefined : `must have ${listMapKeys.join(", ")}, by which the list is merged`;
}
