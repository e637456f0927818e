import { nearestWord } from "../schedule/nearest_word.ts";
import { finding, type PlacedFinding } from "./finding.ts";
import { isRule, type RuleId, RULES } from "./rules.ts";

/** Lines of a file, both included, counted from 1. */
interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** Drops findings whose rule is disabled, by name or by a comment, and adds one for each comment that names no rule. */
export function sift(
  findings: readonly PlacedFinding[],
  texts: ReadonlyMap<string, string>,
  disabled: ReadonlySet<RuleId>,
): PlacedFinding[] {
  const bySource = Map.groupBy(findings, ({ source }) => source);
  return [...texts].flatMap(([source, text]) => {
    const suppressions = suppressionsIn(text);
    const unknown = suppressions.filter(({ rule }) => !isRule(rule)).map(({ rule, line, column }) => (
      { ...finding("unknown-rule", "", noSuchRule(rule)), name: "", source, line, column }
    ));
    return [...bySource.get(source) ?? [], ...unknown].filter(({ rule, line }) =>
      !disabled.has(rule) && !suppressions.some((each) => each.rule === rule && isWithin(line, each.lines))
    );
  });
}

const COMMENT = /(?<=^|\s)#\s*cronjob-controller-lint\s+disable=([^\s#]+)/;

/** Reads comments `# cronjob-controller-lint disable=RULE,…`: each counts for its line; alone on it, for its document. */
function suppressionsIn(text: string) {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  const documents = documentSpans(lines);
  return lines.flatMap((content, i) => {
    const found = COMMENT.exec(content);
    if (!found) return [];
    const line = i + 1;
    const isAlone = content.slice(0, found.index).trim() === "";
    const document = isAlone ? documents.find((document) => isWithin(line, document)) : undefined;
    const rules = found[1]!.split(",").filter((rule) => rule !== "");
    return rules.map((rule) => ({
      rule,
      lines: document ?? { first: line, last: line },
      line,
      column: found.index + 1,
    }));
  });
}

/** Returns the lines of each document; the first has the comments and directives above its `---` too. */
function documentSpans(lines: readonly string[]): LineSpan[] {
  const starts = lines.flatMap((line, i) => /^---(\s|$)/.test(line) ? [i + 1] : []);
  const head = lines.slice(0, (starts[0] ?? lines.length + 1) - 1);
  const firsts = head.every((line) => /^\s*(#.*)?$|^%/.test(line)) && starts.length > 0
    ? [1, ...starts.slice(1)]
    : [1, ...starts];
  return firsts.map((first, i) => ({ first, last: (firsts[i + 1] ?? lines.length + 1) - 1 }));
}

function isWithin(line: number, { first, last }: LineSpan): boolean {
  return first <= line && line <= last;
}

/** Returns why a rule cannot be disabled. */
export function noSuchRule(rule: string): string {
  const near = nearestWord(rule, Object.keys(RULES));
  return `there is no rule ${rule}${near === undefined ? "" : `: did you mean ${near}?`}`;
}
