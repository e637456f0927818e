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

/** Returns whether it is one that 64 bits hold. */
function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^[+-]?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
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
    this.#tokens = text.match(/==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+/g) ?? [];
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
    checkKey(key);
    if (absent) return { key, operator: "absent", values: [] };
    if (this.#peek() === END || this.#peek() === ",") return { key, operator: "exists", values: [] };
    const token = this.#next();
    if (isSetOperator(token)) return { key, operator: token, values: this.#values() };
    const operator = ownValue(COMPARISONS, token);
    if (!operator) throw unparsable(`found '${token}', expected: in, notin, =, ==, !=, gt, lt`);
    return { key, operator, values: [this.#value()] };
  }

  /** An empty value is a value. */
  #value(): string {
    if (this.#peek() === END || this.#peek() === ",") return "";
    const value = this.#next();
    if (!isWord(value)) throw unparsable(`found '${value}', expected: identifier`);
    return value;
  }

  /** Each value once, in order. */
  #values(): string[] {
    const open = this.#next();
    if (open !== "(") throw unparsable(`found '${open}' expected: '('`);
    const first = this.#peek();
    if (first !== ")" && first !== "," && !isWord(first)) {
      throw unparsable(`found '${first}', expected: ',', ')' or identifier`);
    }
    const values = new Set<string>();
    for (let token = first; token !== ")"; token = this.#peek()) {
      this.#next();
      const following = this.#peek();
      if (isWord(token)) {
        values.add(token);
        if (following !== "," && following !== ")") throw unparsable(`found '${following}', expected: ',' or ')'`);
      } else if (token === ",") {
        // What is left out before, between and behind commas is an empty value.
        if (values.size === 0 || following === "," || following === ")") values.add("");
        if (following === ",") this.#next();
      } else throw unparsable(`found '${token}', expected: ',', or identifier`);
    }
    this.#next();
    return values.size === 0 ? [""] : [...values].sort();
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? END;
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? END;
  }
}

/** Labels `validateLabelKey`, which does not know where the key stands. */
function checkKey(key: string): void {
  const errors = qualifiedNameErrors(key);
  if (errors.length) throw unparsable(`<nil>: ${invalidText(key, errors.join("; "))}`);
}

/** Labels `NewRequirement`. */
function checked(requirement: Requirement): Requirement {
  const { key, operator, values } = requirement;
  const isNumeric = operator === "gt" || operator === "lt";
  const errors = [
    ...values.flatMap((value, index) =>
      isNumeric && !isInteger(value) ? [`values[${index}]: ${invalidText(value, NO_INTEGER)}`] : []
    ),
    ...values.flatMap((value, index) => {
      const why = labelValueErrors(value).join("; ");
      return why ? [`values[${index}][${key}]: ${invalidText(value, why)}`] : [];
    }),
  ];
  if (errors.length) throw unparsable(errors.length === 1 ? errors.join() : `[${errors.join(", ")}]`);
  return requirement;
}

const NO_INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer";

function invalidText(value: string, why: string): string {
  return `Invalid value: ${JSON.stringify(value)}: ${why}`;
}

function isSetOperator(token: string): token is "in" | "notin" {
  return token === "in" || token === "notin";
}

function isWord(token: string): boolean {
  return /^[^=!(),<>]+$/.test(token);
}

function unparsable(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}
