import { loadClientNode } from "../../support/client_node.ts";
import { must } from "../../support/expected.ts";

interface Model {
  readonly discriminator?: string;
  readonly mapping?: Readonly<Record<string, string>>;
  getAttributeTypeMap(): readonly { baseName: string; type: string; format: string }[];
}

type Exports = Record<string, unknown>;

/** Which values a type that is no model takes. */
const VALUES: Record<string, (value: unknown, format: string) => boolean> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: (value, format) => typeof value === "number" && (!format.startsWith("int") || Number.isSafeInteger(value)),
  IntOrString: (value) => typeof value === "string" || Number.isSafeInteger(value),
  Date: (value) => typeof value === "string" && !Number.isNaN(Date.parse(value)),
  V1MicroTime: (value) => typeof value === "string" && !Number.isNaN(Date.parse(value)),
  any: () => true,
  object: (value) => typeof value === "object" && value !== null,
};

/** Strings in the models, and more than that for Kubernetes. */
const QUANTITIES = new Set(["V1ResourceRequirements.limits", "V1ResourceRequirements.requests"]);
const QUANTITY = /^\d+(\.\d+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$/;

/** Compares objects, as they are written, with the types that `@kubernetes/client-node` was generated with: those of the API itself. */
export class Models {
  readonly #exports: Exports;

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  static async load(): Promise<Models> {
    return new Models(await loadClientNode() as unknown as Exports);
  }

  /** What is wrong with an object, a line each. */
  faultsOf(object: { apiVersion: string; kind: string; metadata: { namespace?: string } }): string[] {
    const faults: string[] = [];
    const { apiVersion, kind, metadata } = object;
    const scope = this.#scopeOf(apiVersion, kind);
    if (scope === undefined) return [`${apiVersion} ${kind}: there is no such kind`];
    if (scope === "cluster" && metadata.namespace !== undefined) faults.push(`${kind}: has no namespace`);
    if (scope === "namespaced" && metadata.namespace === undefined) faults.push(`${kind}: needs a namespace`);
    const version = apiVersion.split("/").at(-1)!;
    this.walk(object, `${must(version[0]).toUpperCase()}${version.slice(1)}${kind}`, kind, faults);
    return faults;
  }

  /** As a value of the type that a model names so: `string`, `Array<V1Container>`, `{ [key: string]: string; }`, `V1Container`. */
  walk(value: unknown, type: string, path: string, faults: string[], format = ""): void {
    const wrong = () => void faults.push(`${path}: must be ${type}, and is ${JSON.stringify(value)}`);
    const item = /^Array<(.*)>$/.exec(type)?.[1];
    const entry = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
    if (item !== undefined) {
      if (!Array.isArray(value)) return wrong();
      value.forEach((member, index) => this.walk(member, item, `${path}[${index}]`, faults));
      return;
    }
    const takes = VALUES[type];
    if (takes) {
      if (!takes(value, format)) wrong();
      return;
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) return wrong();
    if (entry !== undefined) {
      for (const [key, member] of Object.entries(value)) this.walk(member, entry, `${path}.${key}`, faults);
      return;
    }
    this.#walkModel(value as Record<string, unknown>, type, path, faults);
  }

  #walkModel(value: Record<string, unknown>, type: string, path: string, faults: string[]): void {
    const named = this.#exports[type] as Model | undefined;
    const mapped = named?.discriminator && named.mapping?.[String(value[named.discriminator])];
    const model = mapped ? this.#exports[mapped] as Model : named;
    if (!model) return void faults.push(`${path}: there is no type ${type}`);
    const attributes = new Map(model.getAttributeTypeMap().map((attribute) => [attribute.baseName, attribute]));
    for (const [name, member] of Object.entries(value)) {
      const attribute = attributes.get(name);
      if (!attribute) {
        faults.push(`${path}.${name}: ${type} has no such field`);
        continue;
      }
      this.walk(member, attribute.type, `${path}.${name}`, faults, attribute.format);
      if (!QUANTITIES.has(`${type}.${name}`)) continue;
      for (const [resource, quantity] of Object.entries(member as Record<string, string>)) {
        if (!QUANTITY.test(quantity)) faults.push(`${path}.${name}.${resource}: ${quantity} is no quantity`);
      }
    }
  }

  /** Whether the API has the kind, and where its objects are, as the methods that create them show. */
  #scopeOf(apiVersion: string, kind: string): "namespaced" | "cluster" | undefined {
    const [version = "", group = ""] = apiVersion.split("/").reverse();
    const words = group === "" ? ["core"] : group.replace(/\.k8s\.io$/, "").split(".");
    const name = [...words, version].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
    const api = this.#exports[`${name}Api`] as { prototype: object } | undefined;
    if (!api) return undefined;
    if (`createNamespaced${kind}` in api.prototype) return "namespaced";
    return `create${kind}` in api.prototype ? "cluster" : undefined;
  }
}
