/** A JSON Schema of values, as far as the tests read it. */
export interface ValueSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: ValueSchema;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
}

export interface SchemaLeaf {
  readonly path: readonly string[];
  readonly schema: ValueSchema;
}

/** Returns the values that are no groups of others. */
export function leavesOf(schema: ValueSchema, path: readonly string[] = []): SchemaLeaf[] {
  if (!schema.properties) return [{ path, schema }];
  return Object.entries(schema.properties).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}

/** Returns all values that a schema, or that of its items, takes; undefined: they are not listed. */
export function takenBy({ type, enum: listed, items }: ValueSchema): readonly unknown[] | undefined {
  if (items) return takenBy(items);
  return listed ?? (type === "boolean" ? [true, false] : undefined);
}

/** Returns what stands at a path; undefined: nothing. */
export function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], values);
}
