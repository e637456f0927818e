import { ownValue } from "../../runtime/own_value.ts";
import { labelValueErrors, qualifiedNameErrors } from "../kinds/validation/names.ts";
import { badRequest } from "../refusals.ts";

type Operator = "in" | "notin" | "exists" | "absent" | "gt" | "lt";

interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>> | undefined;

/** Which objects, by their labels. Without requirements: all. */
export class LabelSelector {
  constructor(readonly requirements: readonly Requirement[]) {}

  get matchesAll(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Labels): boolean {
    return this.requirements.every((requirement) => satisfies(requirement, ownValue(labels, requirement.key)));
  }
}

function satisfies({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case "in":
      return value !== undefined && values.includes(value);
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "absent":
      return value === undefined;
    case "gt":
      return isInteger(value) && BigInt(value) > BigInt(values[0]!);
    case "lt":
      return isInteger(value) && BigInt(value) < BigInt(values[0]!);
    default:
      return operator satisfies never;
  }
}

function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^[+-]?\d+$/.test(text);
}

/** @throws {Refusal} 400, in the words of kube-apiserver's parser */
export function parseLabelSelector(text: string): LabelSelector {
  return new LabelSelector(new Parser(text).parse());
}

/** What marks of comparison mean. */
const COMPARISONS: Readonly<Record<string, Operator>> = { "=": "in", "==": "in", "!=": "notin", ">": "gt", "<": "lt" };
const END = "";

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? [];
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    while (this.#peek() !== END) {
      const token = this.#peek();
      if (token !== "!" && !isWord(token)) {
        throw badRequest(`found '${token}', expected: !, identifier, or 'end of string'`);
      }
      const requirement = this.#requirement();
      checkRequirement(requirement);
      requirements.push(requirement);
      const separator = this.#next();
      if (separator === END) break;
      if (separator !== ",") throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
      const following = this.#peek();
      if (following !== "!" && !isWord(following)) {
        throw badRequest(`found '${following}', expected: identifier after ','`);
      }
    }
    return requirements;
  }

  #requirement(): Requirement {
    const absent = this.#peek() === "!";
    if (absent) this.#next();
    const key = this.#next();
    if (!isWord(key)) throw unparsable(`found '${key}', expected: identifier`);
    if (absent) return { key, operator: "absent", values: [] };
    if (this.#peek() === END || this.#peek() === ",") return { key, operator: "exists", values: [] };
    const token = this.#next();
    if (token === "in" || token === "notin") return { key, operator: token, values: this.#values() };
    const operator = ownValue(COMPARISONS, token);
    if (!operator) throw unparsable(`found '${token}', expected: in, notin, =, ==, !=, gt, lt`);
    const value = this.#value();
    if ((operator === "gt" || operator === "lt") && !isInteger(value)) {
      throw unparsable(`for 'Gt', 'Lt' operators, the value must be an integer`);
    }
    return { key, operator, values: [value] };
  }

  /** An empty value is a value. */
  #value(): string {
    return isWord(this.#peek()) ? this.#next() : "";
  }

  #values(): string[] {
    const open = this.#next();
    if (open !== "(") throw unparsable(`found '${open}' expected: '('`);
    const values: string[] = [];
    for (;;) {
      values.push(this.#value());
      const token = this.#next();
      if (token === ")") return values;
      if (token !== ",") throw unparsable(`found '${token}', expected: ',' or ')'`);
    }
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? END;
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? END;
  }
}

function checkRequirement({ key, operator, values }: Requirement): void {
  const errors = qualifiedNameErrors(key);
  if (errors.length) throw unparsable(`key: Invalid value: ${JSON.stringify(key)}: ${errors.join("; ")}`);
  if (operator !== "in" && operator !== "notin") return;
  for (const [index, value] of values.entries()) {
    const errors = labelValueErrors(value);
    if (errors.length === 0) continue;
    throw unparsable(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${errors.join("; ")}`);
  }
}

function isWord(token: string): boolean {
  return /^[^=!(),<>]+$/.test(token);
}

function unparsable(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}
