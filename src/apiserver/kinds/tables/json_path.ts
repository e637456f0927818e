import type { Json } from "../../resource_kind.ts";

/** Returns what one step of a path finds in an object or list. */
type Step = (value: object) => unknown[];

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
      const path = parse(filterPath), isMeant = (item: unknown) => find([item], path)[0] === value;
      steps.push((items) => Object.values(items).filter((item) => isMeant(item) === (operator === "==")));
    } else if (text === "[*]" || field === "*") steps.push(Object.values);
    else if (index !== undefined) steps.push((list) => given(Array.isArray(list) ? list.at(Number(index)) : undefined));
    else {
      const key = name ?? otherName ?? field.replaceAll(/\\(.)/g, "$1");
      steps.push((object) => given(Array.isArray(object) ? undefined : (object as Json)[key]));
    }
  }
  return steps;
}

function given(value: unknown): unknown[] {
  return value === undefined ? [] : [value];
}

function find(values: readonly unknown[], steps: readonly Step[]): unknown[] {
  return steps.reduce<readonly unknown[]>(
    (found, step) => found.flatMap((value) => typeof value === "object" && value !== null ? step(value) : []),
    values,
  ) as unknown[];
}
