import type { StoredObject } from "./stored_object.ts";

/** The objects of one resource as they are now, by name and in the order of their keys. */
export class Collection {
  readonly #namespaces = new Map<string, Members>();
  #namespaceOrder: string[] | undefined;
  /** The version of the newest change, deletions included. */
  lastChange = 0;

  get(namespace: string, name: string): StoredObject | undefined {
    return this.#namespaces.get(namespace)?.byName.get(name);
  }

  set(object: StoredObject): void {
    this.#namespaces.getOrInsertComputed(object.namespace, () => {
      this.#namespaceOrder = undefined;
      return new Members();
    }).set(object);
  }

  delete(namespace: string, name: string): void {
    const members = this.#namespaces.get(namespace);
    members?.delete(name);
    if (members?.byName.size === 0) {
      this.#namespaces.delete(namespace);
      this.#namespaceOrder = undefined;
    }
  }

  /** In the order of keys. Of one namespace, or of all. */
  list(namespace?: string): readonly StoredObject[] {
    if (namespace !== undefined) return this.#namespaces.get(namespace)?.ordered() ?? [];
    // "a-b/x" comes before "a/x", as it does in etcd.
    this.#namespaceOrder ??= [...this.#namespaces.keys()].sort((a, b) => a + "/" < b + "/" ? -1 : 1);
    const [first, ...others] = this.#namespaceOrder.map((each) => this.#namespaces.get(each)!.ordered());
    return first && others.length === 0 ? first : [first ?? [], ...others].flat();
  }
}

/** The objects of one namespace. The order is worked out when it is asked for, and then only for what is new. */
class Members {
  readonly byName = new Map<string, StoredObject>();
  #order: string[] = [];
  #unordered: string[] = [];
  #gone = false;
  #list: StoredObject[] | undefined;

  set(object: StoredObject): void {
    if (!this.byName.has(object.name)) this.#unordered.push(object.name);
    this.byName.set(object.name, object);
    this.#list = undefined;
  }

  delete(name: string): void {
    if (!this.byName.delete(name)) return;
    this.#gone = true;
    this.#list = undefined;
  }

  ordered(): readonly StoredObject[] {
    if (this.#list) return this.#list;
    if (this.#gone) {
      this.#order = this.#order.filter((name) => this.byName.has(name));
      // A name that went and came back would be there twice.
      const known = new Set(this.#order);
      this.#unordered = [...new Set(this.#unordered)].filter((name) => this.byName.has(name) && !known.has(name));
      this.#gone = false;
    }
    if (this.#unordered.length) {
      this.#order = merge(this.#order, this.#unordered.sort(compare));
      this.#unordered = [];
    }
    return this.#list = this.#order.map((name) => this.byName.get(name)!);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function merge(left: readonly string[], right: readonly string[]): string[] {
  const [least, greatest] = [right[0], left.at(-1)];
  if (greatest === undefined || (least !== undefined && greatest < least)) return [...left, ...right];
  const out: string[] = [];
  let i = 0;
  for (const name of right) {
    for (let lesser = left[i]; lesser !== undefined && lesser < name; lesser = left[++i]) out.push(lesser);
    out.push(name);
  }
  return out.concat(left.slice(i));
}
