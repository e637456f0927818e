import { isObject } from "../../base/is_object.ts";
import type { Json } from "../resource_kind.ts";

/**
 * One step of a path into an object, in the form of FieldsV1: `f:name` (a field or key), `k:{"name":"main"}` (a list item by
 * its keys), `v:"x"` (an item of a set), `i:0` (an item by its index).
 */
export type PathElement = string;
export type Path = readonly PathElement[];

/** A set of paths. Immutable from outside; operations give new sets and may share parts. */
export class FieldSet {
  readonly #members = new Set<PathElement>();
  readonly #children = new Map<PathElement, FieldSet>();

  /** From `fieldsV1` of a managed fields entry. Clients may write these too: a value that is no object says nothing. */
  static fromFieldsV1(fields: unknown): FieldSet {
    const set = new FieldSet();
    if (!isObject(fields)) return set;
    for (const [element, below] of Object.entries(fields)) {
      if (element === ".") continue;
      const child = FieldSet.fromFieldsV1(below);
      if (child.isEmpty || below["."] !== undefined) set.#members.add(element);
      if (!child.isEmpty) set.#children.set(element, child);
    }
    return set;
  }

  toFieldsV1(): Json {
    const fields: Json = {};
    for (const element of this.elements().sort()) {
      const child = this.#children.get(element);
      const below = child?.toFieldsV1() ?? {};
      fields[element] = child && this.#members.has(element) ? { ".": {}, ...below } : below;
    }
    return fields;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0 && this.#children.size === 0;
  }

  /** Only while the set is being built. Does not keep `path`. */
  insert(path: Path): void {
    const last = path.length - 1;
    if (last < 0) return;
    // deno-lint-ignore no-this-alias
    let node: FieldSet = this;
    for (let index = 0; index < last; index++) {
      node = node.#children.getOrInsertComputed(path[index]!, () => new FieldSet());
    }
    node.#members.add(path[last]!);
  }

  hasMember(element: PathElement): boolean {
    return this.#members.has(element);
  }

  childOf(element: PathElement): FieldSet | undefined {
    return this.#children.get(element);
  }

  /** Every element that the set says anything of. */
  elements(): PathElement[] {
    return [...new Set([...this.#members, ...this.#children.keys()])];
  }

  union(other: FieldSet): FieldSet {
    return this.#combine(other, (a, b) => a || b, (a, b) => a && b ? a.union(b) : a ?? b);
  }

  intersection(other: FieldSet): FieldSet {
    return this.#combine(other, (a, b) => a && b, (a, b) => a && b ? a.intersection(b) : undefined);
  }

  /** Without the paths of `other`; paths below them stay. */
  difference(other: FieldSet): FieldSet {
    return this.#combine(other, (a, b) => a && !b, (a, b) => a && b ? a.difference(b) : a);
  }

  /** Without the paths of `other` and everything below them. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#combine(
      other,
      (a, b) => a && !b,
      (a, b, isTheirs) => isTheirs ? undefined : a && b ? a.recursiveDifference(b) : a,
    );
  }

  /** All paths, parents before children, siblings in order. */
  paths(): Path[] {
    return this.elements().sort().flatMap((element) => [
      ...(this.#members.has(element) ? [[element]] : []),
      ...(this.#children.get(element)?.paths() ?? []).map((path) => [element, ...path]),
    ]);
  }

  #combine(
    other: FieldSet,
    keepsMember: (mine: boolean, theirs: boolean) => boolean,
    joinChildren: (mine: FieldSet | undefined, theirs: FieldSet | undefined, isTheirs: boolean) => FieldSet | undefined,
  ): FieldSet {
    const result = new FieldSet();
    for (const element of new Set([...this.elements(), ...other.elements()])) {
      const isTheirs = other.#members.has(element);
      if (keepsMember(this.#members.has(element), isTheirs)) result.#members.add(element);
      const child = joinChildren(this.#children.get(element), other.#children.get(element), isTheirs);
      if (child && !child.isEmpty) result.#children.set(element, child);
    }
    return result;
  }
}

/** As messages show a path: `.spec.containers[name="main"].image`. */
export function pathText(path: Path): string {
  return path.map((element) => {
    const rest = element.slice(2);
    if (element.startsWith("f:")) return `.${rest}`;
    const keys = element.startsWith("k:") ? Object.entries(JSON.parse(rest)) : [];
    const shown = keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",");
    return `[${shown || (element.startsWith("v:") ? "=" : "") + rest}]`;
  }).join("");
}
