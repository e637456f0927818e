import { ownValue } from "../base/own_value.ts";
import { apiVersionOf } from "../kube/resource.ts";
import type { Advice, CheckOfServer, DefaultsOfServer, FieldError, ResourceKind } from "./resource_kind.ts";

/** Extensions of kinds by the server's caller, by `apiVersion` and `kind`: `batch/v1 CronJob`. */
export interface KindSettings {
  /** Warnings for the writer of an object. @default none */
  readonly advice?: Readonly<Record<string, Advice>>;
  /** Defaults of new objects. @default none */
  readonly defaults?: Readonly<Record<string, DefaultsOfServer>> | undefined;
  /** Refusals beyond the kind's own rules. @default none */
  readonly checks?: Readonly<Record<string, CheckOfServer>> | undefined;
}

/** Every resource that is served now. Custom ones come and go. */
export class Registry {
  readonly #kinds = new Map<string, ResourceKind>();
  /** By `apiVersion` and `kind`: asked for with every owner reference. */
  readonly #byKind = new Map<string, ResourceKind>();

  readonly #settings: KindSettings;

  constructor(kinds: readonly ResourceKind[], settings: KindSettings = {}) {
    this.#settings = settings;
    for (const kind of kinds) this.add(kind);
  }

  /** Takes the place of one of the same group, version and plural. */
  add(kind: ResourceKind): void {
    const name = `${apiVersionOf(kind)} ${kind.kind}`;
    const { advice = {}, defaults = {}, checks = {} } = this.#settings;
    const check = ownValue(checks, name);
    const served = {
      ...kind,
      advice: ownValue(advice, name),
      setServerDefaults: ownValue(defaults, name),
      ...check && checkedBy(check, kind),
    };
    this.#kinds.set(id(kind.group, kind.version, kind.plural), served);
    this.#byKind.set(name, served);
  }

  remove(kind: ResourceKind): void {
    this.#kinds.delete(id(kind.group, kind.version, kind.plural));
    this.#byKind.delete(`${apiVersionOf(kind)} ${kind.kind}`);
  }

  find(group: string, version: string, plural: string): ResourceKind | undefined {
    return this.#kinds.get(id(group, version, plural));
  }

  /** By the `apiVersion` and `kind` of an object. */
  findKind(apiVersion: string, kind: string): ResourceKind | undefined {
    return this.#byKind.get(`${apiVersion} ${kind}`);
  }

  all(): ResourceKind[] {
    return [...this.#kinds.values()];
  }

  /** One kind for each place where objects are stored: the one that is stored as it is. */
  stored(): ResourceKind[] {
    const kinds = new Map<string, ResourceKind>();
    for (const kind of this.#kinds.values()) {
      const known = kinds.get(kind.storage);
      if (!known || (known.fromStored && !kind.fromStored)) kinds.set(kind.storage, kind);
    }
    return [...kinds.values()];
  }

  /** Whether the group is one of Kubernetes' own that are served. */
  hasOwnGroup(group: string): boolean {
    return this.all().some((kind) => kind.group === group && !kind.custom);
  }
}

/** An update is judged by what it adds: a fault that was there before is no reason to refuse it. */
function checkedBy(check: CheckOfServer, kind: ResourceKind): Pick<ResourceKind, "validate" | "validateUpdate"> {
  // A check relies on the types that the schema demands.
  const orElse = (errors: FieldError[], more: () => readonly FieldError[]) => errors.length > 0 ? errors : [...more()];
  return {
    validate: (object) => orElse(kind.validate(object), () => check(object)),
    validateUpdate: (object, old) =>
      orElse(kind.validateUpdate(object, old), () => {
        const before = new Set(check(old).map((error) => JSON.stringify(error)));
        return check(object).filter((error) => !before.has(JSON.stringify(error)));
      }),
  };
}

function id(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}
