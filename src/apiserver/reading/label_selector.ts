import { ownValue } from "../../base/own_value.ts";
import { labelValueErrors, qualifiedNameErrors } from "../kinds/validation/names.ts";
import { badRequest } from "../refusals.ts";

/** The test of each operator for a label's value, which may be absent. */
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

/** Picks objects by their labels. Without requirements it picks all. */
export class LabelSelector {
  constructor(readonly requirements: readonly Requirement[]) {}

  get matchesAll(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Labels): boolean {
    return this.requirements.every(({ key, operator, values }) => SATISFIED[operator](ownValue(labels, key), values));
  }
}

/** Returns whether it is a whole number that 64 bits hold. */
export function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^[+-]?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

const WORD = "[^ \\t\\r\\n=!(),<>]+(?![^ \\t\\r\\n=!(),<>])";
/** No word has one of these, so that no text can be divided in more than one way. */
const SPACE = "[ \\t\\r\\n]*";
/** One requirement, up to the comma behind it. */
const REQUIREMENT = new RegExp(
  `${SPACE}(?<key>${WORD}|!${SPACE}${WORD})(?:${SPACE}(?<set>in|notin)${SPACE}\\((?<list>[^=!()<>]*)\\)|` +
    `${SPACE}(?<mark>==|!=|[=<>])(?:${SPACE}(?<value>${WORD}))?)?${SPACE}(?<end>,|$)`,
  "gy",
);
const NOTHING = new RegExp(`^${SPACE}$`);
const VALUE = new RegExp(`^(?:${WORD})?$`);

const FORMS = "must be key, !key, key=a, key!=a, key in (a,b), key notin (a,b), key>1 or key<1";

/** The operators behind marks of comparison. */
const COMPARISONS: Readonly<Record<string, Operator>> = { "=": "in", "==": "in", "!=": "notin", ">": "gt", "<": "lt" };

/** @throws {Refusal} 400 that names the part which cannot be read */
export function parseLabelSelector(text: string): LabelSelector {
  if (NOTHING.test(text)) return new LabelSelector([]);
  const matches = [...text.matchAll(REQUIREMENT)], last = matches.at(-1);
  const end = last ? last.index + last[0].length : 0;
  if (end < text.length || last?.groups?.end === ",") throw unreadable(text.slice(end), FORMS);
  return new LabelSelector(matches.map(({ groups = {} }) => requirementOf(groups)));
}

function requirementOf(
  { key = "", set, list = "", mark, value = "" }: Record<string, string | undefined>,
): Requirement {
  const name = key.replace(/^!\s*/, "");
  const values = set ? list.split(",").map((one) => one.trim()) : mark ? [value] : [];
  const operator = name !== key ? "absent" : (set as Operator | undefined) ?? (mark ? COMPARISONS[mark]! : "exists");
  if (name !== key && (set || mark)) throw unreadable(key, "cannot have values");
  const [wrongName] = qualifiedNameErrors(name);
  if (wrongName !== undefined) throw unreadable(name, wrongName);
  for (const value of values) {
    const isNumeric = operator === "gt" || operator === "lt";
    const why = !VALUE.test(value) ? "must be one value" : labelValueErrors(value)[0];
    if (why !== undefined) throw unreadable(value, why);
    if (isNumeric && !isInteger(value)) throw unreadable(value, "must be a whole number");
  }
  return { key: name, operator, values };
}

function unreadable(part: string, why: string): Error {
  return badRequest(`cannot read the label selector: ${JSON.stringify(part)} ${why}`);
}
