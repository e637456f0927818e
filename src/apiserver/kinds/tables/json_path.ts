import type { Json } from "../../resource_kind.ts";

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all" }
  | { readonly kind: "filter"; readonly path: readonly Step[]; readonly operator: string; readonly value: unknown };

/**
 * Returns the function that finds the first match of a simple JSONPath such as `.spec.schedule` or
 * `.status.conditions[?(@.type=="Ready")].status`.
 */
export function compileJsonPath(path: string): (object: unknown) => unknown {
  const steps = parse(path.replace(/^\{(.*)\}$/, "$1"));
  return (object) => find([object], steps)[0];
}

function parse(path: string): Step[] {
  const steps: Step[] = [];
  const pattern =
    /\.?\[\?\(@([^=!<>]*?)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|([^)]*?))\s*\)\]|\[\*\]|\[(-?\d+)\]|\['([^']*)'\]|\["([^"]*)"\]|\.?((?:\\.|[^.[\]\\])+)/gy;
  for (let match; (match = pattern.exec(path));) {
    const [text, filterPath = "", operator, quoted, singleQuoted, bare, index, name, otherName, field = ""] = match;
    if (operator !== undefined) {
      const value = quoted ?? singleQuoted ?? (bare === "true" ? true : bare === "false" ? false : Number(bare));
      steps.push({ kind: "filter", path: parse(filterPath), operator, value });
    } else if (text === "[*]" || field === "*") steps.push({ kind: "all" });
    else if (index !== undefined) steps.push({ kind: "index", index: Number(index) });
    else steps.push({ kind: "field", name: name ?? otherName ?? field.replaceAll(/\\(.)/g, "$1") });
  }
  return steps;
}

function find(values: readonly unknown[], steps: readonly Step[]): unknown[] {
  return steps.reduce<unknown[]>((found, step) => found.flatMap((value) => take(value, step)), [...values]);
}

function take(value: unknown, step: Step): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  switch (step.kind) {
    case "field": {
      const child = (value as Json)[step.name];
      return child === undefined || Array.isArray(value) ? [] : [child];
    }
    case "index": {
      const child = Array.isArray(value) ? value.at(step.index) : undefined;
      return child === undefined ? [] : [child];
    }
    case "all":
      return Object.values(value);
    case "filter":
      return Object.values(value).filter((item) => {
        const isEqual = find([item], step.path)[0] === step.value;
        return step.operator === "==" ? isEqual : !isEqual;
      });
  }
}
