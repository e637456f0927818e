import type { Json } from "../resource_kind.ts";
import type { FieldSchema } from "./field_schema.ts";

/** The fields of a struct that have a default, and those with such fields inside. */
interface Plan {
  readonly own: readonly (readonly [name: string, value: unknown])[];
  readonly inner: readonly (readonly [name: string, schema: FieldSchema])[];
}

const plans = new WeakMap<object, Plan>();

/** Gives fields that are not given, of a struct and of all structs inside of it, the defaults that the type table has. */
export function applyTypeDefaults(struct: Json, schema: FieldSchema): void {
  const { own, inner } = planOf(schema);
  // A struct is all that a default is besides text, numbers and booleans, and it is empty.
  for (const [name, value] of own) struct[name] ??= typeof value === "object" ? {} : value;
  for (const [name, field] of inner) {
    const value = struct[name];
    if (field.items) { for (const item of value ?? []) applyTypeDefaults(item, field.items); }
    else if (value) applyTypeDefaults(value, field);
  }
}

function planOf({ properties = {} }: FieldSchema): Plan {
  let plan = plans.get(properties);
  if (!plan) {
    // A struct may contain itself; where it does it has no defaults.
    plans.set(properties, { own: [], inner: [] });
    const fields = Object.entries(properties);
    plan = {
      own: fields.flatMap(([name, field]) => field.default === undefined ? [] : [[name, field.default] as const]),
      inner: fields.filter(([, field]) => {
        const { own, inner } = planOf(field.items ?? field);
        return own.length + inner.length > 0;
      }),
    };
    plans.set(properties, plan);
  }
  return plan;
}
