import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { PlacedFinding } from "../../lint/finding.ts";
import { type RuleId, RULES, type Severity } from "../../lint/rules.ts";
import { VERSION } from "../version.ts";

const LEVELS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", hint: "note" };
const ROOT = "%SRCROOT%";

/** Returns a log of SARIF 2.1.0, for code scanning. Files inside the folder are named from there. */
export function sarifLog(findings: readonly PlacedFinding[], folder: string) {
  const ids = Object.keys(RULES) as RuleId[];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{
      tool: { driver: { name: "cronjob-controller", semanticVersion: VERSION, rules: ids.map(ruleOf) } },
      columnKind: "utf16CodeUnits",
      originalUriBaseIds: { [ROOT]: { uri: `${pathToFileURL(folder).href}/` } },
      results: findings.map((found) => resultOf(found, ids.indexOf(found.rule), folder)),
    }],
  };
}

function ruleOf(id: RuleId) {
  const { severity, finds, remedy } = RULES[id];
  return {
    id,
    shortDescription: { text: finds },
    help: { text: remedy },
    defaultConfiguration: { level: LEVELS[severity] },
  };
}

function resultOf(
  { rule, severity, message, name, field, source, line, column }: PlacedFinding,
  i: number,
  folder: string,
) {
  const about = [name, field].filter((part) => part !== "").join(" ");
  return {
    ruleId: rule,
    ruleIndex: i,
    level: LEVELS[severity],
    message: { text: about === "" ? message : `${about}: ${message}` },
    locations: [{
      physicalLocation: {
        artifactLocation: artifactOf(source, folder),
        region: { startLine: line, startColumn: column },
      },
      ...about === "" ? {} : { logicalLocations: [{ fullyQualifiedName: about }] },
    }],
  };
}

/** What lies outside the folder has its whole address; standard input has none but its name. */
function artifactOf(source: string, folder: string) {
  if (source === "stdin") return { uri: source };
  const path = resolve(folder, source);
  const inside = relative(folder, path);
  // On another drive of Windows there is no way from the folder.
  const isOutside = /^\.\.([/\\]|$)/.test(inside) || resolve(inside) === inside;
  if (isOutside) return { uri: pathToFileURL(path).href };
  return { uri: inside.split(/[/\\]/).map(encodeURIComponent).join("/"), uriBaseId: ROOT };
}
