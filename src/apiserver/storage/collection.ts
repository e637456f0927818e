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
  readonly #added = new Set<string>();
  #gone = false;
  #list: StoredObject[] | undefined;

  set(object: StoredObject): void {
    if (!this.byName.has(object.name)) this.#added.add(object.name);
    this.byName.set(object.name, object);
    this.#list = undefined;
  }

  delete(name: string): void {
    if (!this.byName.delete(name)) return;
    this.#added.delete(name);
    this.#gone = true;
    this.#list = undefined;
  }

  ordered(): readonly StoredObject[] {
    if (this.#list) return this.#list;
    if (this.#gone) {
      // A name that went and came back is among those that were added.
      this.#order = this.#order.filter((name) => this.byName.has(name) && !this.#added.has(name));
      this.#gone = false;
    }
    if (this.#added.size > 0) {
      // It takes one pass, as the old names are in order.
      this.#order = [...this.#order, ...this.#added].sort();
      this.#added.clear();
    }
    return this.#list = this.#order.map((name) => this.byName.get(name)!);
  }
}
