import { ownValue } from "../../base/own_value.ts";
import type { FieldSchema } from "./field_schema.ts";
import { SCALARS, type ScalarType } from "./scalars.ts";

/**
 * The structs of one package of the Kubernetes API, each with its fields in JSON's names.
 *
 * A field's text is `[protobuf number] type [flags]`. Types are `string`, `bool`, `int32`, `int64`, `double`, `bytes`, `time`,
 * `microtime`, `quantity`, `intOrString`, `any`, a struct (of another package: `core.Container`), `[]T` or `map[T]`. Flags:
 *
 * - `always`: written even when empty; `pointer`: written when given, even if zero; `value`: a struct that is there
 *   even when it is not given; `orNull`: a time written as null when absent; without any of these, empty is absent
 * - `inline`: the struct's fields stand in its place in JSON (but not in protobuf)
 * - `merge=KEY`, `merge`, `merge,retainKeys=KEY`: strategic merge patch
 * - `map=KEYS`, `set`: server-side apply merges the list by items; `atomic`: it takes the map as a whole
 * - `default=VALUE`: what is assumed where nothing is said
 * - `or=bool`, `or=array`: may also be that instead of the struct
 *
 * A struct's name may be followed by `atomic`, or by `keepUnknown` (fields that the table does not know are kept). In the
 * place of its fields may stand the struct that has the same.
 */
export type TypeTable = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

interface PackageOptions {
  /** The packages that its fields name. */
  readonly uses?: readonly TypePackage[];
  /** The API group, for one from before all were named with a domain: by default `<name>.k8s.io`. */
  readonly group?: string;
  /** Before a struct's name in OpenAPI: by default `io.k8s.api.<name>.v1`. */
  readonly prefix?: string;
}

/**
 * One package of the Kubernetes API, with the others that its fields name. A struct becomes a schema when it is first asked
 * for, so that structs can contain each other.
 */
export class TypePackage {
  readonly #table: TypeTable;
  readonly #options: PackageOptions;
  readonly #structs = new Map<string, FieldSchema>();

  constructor(readonly name: string, table: TypeTable, options: PackageOptions = {}) {
    this.#table = table;
    this.#options = options;
  }

  /** The API group of its kinds. */
  get group(): string {
    return this.#options.group ?? `${this.name}.k8s.io`;
  }

  /** The schema of a struct. */
  struct(name: string): FieldSchema {
    return this.#structs.getOrInsertComputed(name, () => this.#readStruct(name));
  }

  /** The schema of a struct that is an API object of its own: with `apiVersion` and `kind`. */
  object(name: string): FieldSchema {
    const struct = this.struct(name);
    return {
      ...struct,
      presence: "value",
      properties: { apiVersion: { type: "string" }, kind: { type: "string" }, ...struct.properties },
    };
  }

  #readStruct(name: string): FieldSchema {
    const found = Object.entries(this.#table).find(([key]) => key.split(" ")[0] === name);
    if (!found) throw new Error(`Cannot read type ${this.name}.${name}: no such struct in its table`);
    const flags = found[0].split(" ").slice(1);
    const fields = Object.entries<string>(typeof found[1] === "string" ? this.#table[found[1]]! : found[1]);
    let read: { properties: Record<string, FieldSchema>; inlined: NonNullable<FieldSchema["inlined"]> } | undefined;
    const content = () => read ??= this.#readFields(fields);
    return {
      type: "object",
      name: `${this.#options.prefix ?? `io.k8s.api.${this.name}.v1`}.${name}`,
      ...(flags.includes("atomic") ? { atomic: true } : {}),
      ...(flags.includes("keepUnknown") ? { preserveUnknown: true } : {}),
      get properties() {
        return content().properties;
      },
      get inlined() {
        return content().inlined;
      },
      required: fields.filter(([, text]) => text.split(" ").includes("always")).map(([field]) => field),
    };
  }

  #readFields(fields: [string, string][]) {
    const properties: Record<string, FieldSchema> = {};
    const inlined: { protobufId: number; schema: FieldSchema }[] = [];
    for (const [field, text] of fields) {
      const schema = this.#readField(text);
      if (text.endsWith(" inline")) {
        Object.assign(properties, schema.properties);
        inlined.push({ protobufId: schema.protobufId!, schema });
      } else properties[field] = schema;
    }
    return { properties, inlined };
  }

  #readField(text: string): FieldSchema {
    const words = text.split(" ");
    const protobufId = /^\d+$/.test(words[0] ?? "") ? Number(words.shift()) : undefined;
    const [type = "", ...flags] = words;
    return this.#withFlags(lazily(this.#readType(type), protobufId ? { protobufId } : {}), flags);
  }

  #readType(type: string): FieldSchema {
    if (type.startsWith("[]")) return { type: "list", items: this.#readType(type.slice(2)) };
    if (type.startsWith("map[")) return { type: "map", values: this.#readType(type.slice(4, -1)) };
    if (Object.hasOwn(SCALARS, type)) return { type: type as ScalarType };
    if (!type.includes(".")) return this.struct(type);
    const [packageName, struct = ""] = type.split(".");
    const found = this.#options.uses?.find(({ name }) => name === packageName);
    if (!found) throw new Error(`Cannot read type ${type}: ${this.name} uses no such package`);
    return found.struct(struct);
  }

  #withFlags(schema: FieldSchema, flags: string[]): FieldSchema {
    return flags.reduce((result, flag) => {
      const [name = "", value = ""] = flag.split("=");
      const meaning = ownValue(FLAGS, name);
      if (!meaning) throw new Error(`Cannot read type table: unknown flag ${flag}`);
      return lazily(result, meaning(value));
    }, schema);
  }
}

const FLAGS: Readonly<Record<string, (value: string) => Partial<FieldSchema>>> = {
  always: () => ({ presence: "always" }),
  pointer: () => ({ presence: "pointer" }),
  value: () => ({ presence: "value" }),
  orNull: () => ({ presence: "always" }),
  merge: (key) => ({ patchStrategy: ["merge"], ...(key && { patchMergeKey: key }) }),
  "merge,retainKeys": (key) => ({ patchStrategy: ["merge", "retainKeys"], patchMergeKey: key }),
  map: (keys) => ({ listType: "map", listMapKeys: keys.split(",") }),
  set: () => ({ listType: "set" }),
  atomic: () => ({ atomic: true }),
  default: (value) => ({ default: /^(\d+|false|{})$/.test(value) ? JSON.parse(value) : value }),
  or: (other) => ({ orElse: other as FieldSchema["orElse"] }),
  inline: () => ({}),
};

/**
 * Returns a copy that leaves getters what they are, so that a struct's fields are read when they are wanted and not
 * before.
 */
function lazily(schema: FieldSchema, more: Partial<FieldSchema> = {}): FieldSchema {
  return Object.defineProperties({}, {
    ...Object.getOwnPropertyDescriptors(schema),
    ...Object.getOwnPropertyDescriptors(more),
  }) as FieldSchema;
}
