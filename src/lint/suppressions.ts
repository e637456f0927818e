import { nearestWord } from "../schedule/nearest_word.ts";
import { finding, type PlacedFinding } from "./finding.ts";
import { isRule, type RuleId, RULES } from "./rules.ts";
import { commentsWith, documentSpans, type LineSpan } from "./source_text.ts";

/** A rule that a comment disables for some lines. */
interface Suppression {
  readonly rule: RuleId;
  readonly lines: LineSpan;
}

/** What the comments of a file disable, and what is wrong with them. */
export interface Suppressions {
  readonly suppressed: readonly Suppression[];
  readonly findings: readonly PlacedFinding[];
}

const MARK = "cronjob-controller-lint";
const COMMENT = new RegExp(`^#\\s*${MARK}\\s+disable=([^\\s#]+)`);

/** Reads `# cronjob-controller-lint disable=RULE,…`: for its line where it follows something, else for its document. */
export function suppressionsIn(text: string, source: string): Suppressions {
  if (!text.includes(MARK)) return { suppressed: [], findings: [] };
  const documents = documentSpans(text);
  const found = commentsWith(MARK, text).flatMap((comment) => {
    const rules = COMMENT.exec(comment.text)?.[1]?.split(",").filter((rule) => rule !== "") ?? [];
    const own = { first: comment.line, last: comment.line };
    const lines = comment.isAlone ? documents.find((document) => isWithin(comment.line, document)) ?? own : own;
    return rules.map((rule) => ({ rule, lines, comment }));
  });
  return {
    suppressed: found.flatMap(({ rule, lines }) => isRule(rule) ? [{ rule, lines }] : []),
    findings: found.filter(({ rule }) => !isRule(rule)).map(({ rule, comment: { line, column } }) => (
      { ...finding("unknown-rule", "", noSuchRule(rule)), name: "", source, line, column }
    )),
  };
}

/** Returns whether the comments of its file disable a finding. */
export function isSuppressed({ rule, line }: PlacedFinding, { suppressed }: Suppressions): boolean {
  return suppressed.some((each) => each.rule === rule && isWithin(line, each.lines));
}

/** Returns whether a line is one of these. */
export function isWithin(line: number, { first, last }: LineSpan): boolean {
  return first <= line && line <= last;
}

/** Returns why a rule cannot be disabled. */
export function noSuchRule(rule: string): string {
  const near = nearestWord(rule, Object.keys(RULES));
  return `there is no rule ${rule}${near === undefined ? "" : `: did you mean ${near}?`}`;
}
