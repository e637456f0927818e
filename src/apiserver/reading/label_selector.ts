import { ownValue } from "../../runtime/own_value.ts";
import { labelValueErrors, qualifiedNameErrors } from "../kinds/validation/names.ts";
import { badRequest } from "../refusals.ts";

/** What each operator asks of a label's value, which may not be there. */
const SATISFIED = {
  in: (value: string | undefined, values: readonly string[]) => value !== undefined && values.includes(value),
  notin: (value: string | undefined, values: readonly string[]) => value === undefined || !values.includes(value),
  exists: (value: string | undefined) => value !== undefined,
  absent: (value: string | undefined) => value === undefined,
  gt: (value: string | undefined, [limit]: readonly string[]) => isInteger(value) && BigInt(value) > BigInt(limit!),
  lt: (value: string | undefined, [limit]: readonly string[]) => isInteger(value) && BigInt(value) < BigInt(limit!),
};

type Operator = keyof typeof SATISFIED;

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
    return this.requirements.every(({ key, operator, values }) => SATISFIED[operator](ownValue(labels, key), values));
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
    if (this.#peek() === END) return requirements;
    for (let expected = "!, identifier, or 'end of string'";; expected = "identifier after ','") {
      const token = this.#peek();
      if (token !== "!" && !isWord(token)) throw badRequest(`found '${token}', expected: ${expected}`);
      requirements.push(checked(this.#requirement()));
      const separator = this.#next();
      if (separator === END) return requirements;
      if (separator !== ",") throw badRequest(`found '${separator}', expected: ',' or 'end of string'`);
    }
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

function checked(requirement: Requirement): Requirement {
  const { key, operator, values } = requirement;
  const check = (at: string, value: string, errors: readonly string[]) => {
    if (errors.length) throw unparsable(`${at}: Invalid value: ${JSON.stringify(value)}: ${errors.join("; ")}`);
  };
  check("key", key, qualifiedNameErrors(key));
  if (operator === "in" || operator === "notin") {
    for (const [index, value] of values.entries()) check(`values[${index}][${key}]`, value, labelValueErrors(value));
  }
  return requirement;
}

function isWord(token: string): boolean {
  return /^[^=!(),<>]+$/.test(token);
}

function unparsable(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}
