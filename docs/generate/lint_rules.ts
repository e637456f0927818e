import { RULES, SEVERITIES } from "../../src/lint/rules.ts";
import { bullets, code, page } from "./markdown.ts";

const HEADINGS = { error: "Errors", warning: "Warnings", hint: "Hints" } as const;

/** Every rule of `lint`, and what to do about what it finds. */
export function lintRulesPage(): string {
  return page(
    "Rules of lint",
    "`cronjob-controller lint` names the rule of each finding in brackets. `--disable RULE` leaves out what a rule finds, " +
      "and so does the comment `# cronjob-controller-lint disable=RULE`: behind a field for that line, alone on a line for " +
      "its document. Several rules have commas between them.",
    ...SEVERITIES.flatMap((severity) => [
      `## ${HEADINGS[severity]}`,
      bullets(
        Object.entries(RULES).filter(([, rule]) => rule.severity === severity).map(([id, { finds, remedy }]) =>
          `<a id="${id}"></a>${code(id)}: ${withoutEmphasis(finds)}. ${withoutEmphasis(remedy)}`
        ),
      ),
    ]),
  );
}

/** A star would begin emphasis. */
function withoutEmphasis(text: string): string {
  return text.split("`").map((part, i) => i % 2 === 0 ? part.replaceAll("*", "\\*") : part).join("`");
}
