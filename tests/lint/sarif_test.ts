import { Validator } from "@cfworker/json-schema";
import { assert, assertEquals } from "@std/assert";
import { sarifLog } from "../../src/cli/lint/sarif.ts";
import { finding, type PlacedFinding } from "../../src/lint/finding.ts";
import { RULES } from "../../src/lint/rules.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import schema from "./sarif_schema.json" with { type: "json" };

const HERE = "/work/a repo";

function found(source: string): PlacedFinding {
  return { ...finding("ended", "spec.endTime", "is over"), name: "default/it", source, line: 3, column: 7 };
}

/** Where a finding stands in the log that lint writes in a folder. */
function locationOf(source: string) {
  const log = sarifLog([found(source)], HERE);
  const { valid, errors } = new Validator(JSON.parse(JSON.stringify(schema)), "2020-12").validate(log);
  assert(valid, JSON.stringify(errors));
  return must(must(must(log.runs[0]).results[0]).locations[0]).physicalLocation.artifactLocation;
}

const ROOT = "%SRCROOT%";

const ADDRESSES: readonly (readonly [source: string, uri: string, base?: string])[] = [
  ["jobs/a.yaml", "jobs/a.yaml", ROOT],
  ["./jobs/a.yaml", "jobs/a.yaml", ROOT],
  ["/work/a repo/100% #1.yaml", "100%25%20%231.yaml", ROOT],
  ["../other/ä.yaml", "file:///work/other/%C3%A4.yaml"],
  ["/work/a repository/b.yaml", "file:///work/a%20repository/b.yaml"],
  ["stdin", "stdin"],
];

for (const [source, uri, uriBaseId] of ADDRESSES) {
  test(`lint -o sarif says ${uri} for ${source}`, () => {
    assertEquals(locationOf(source), uriBaseId === undefined ? { uri } : { uri, uriBaseId });
  });
}

test("lint -o sarif says rule, level, place and message, and describes every rule", () => {
  const fault = { ...finding("manifest", "", "cannot be read"), name: "", source: "b.yaml", line: 1, column: 1 };
  const hint = { ...found("c.yaml"), ...finding("no-time-zone", "spec.schedule", "is of UTC") };
  const [{ tool: { driver }, results, originalUriBaseIds }] = atLeast(
    1,
    sarifLog([found("a.yaml"), fault, hint], HERE).runs,
  );
  assertEquals(originalUriBaseIds, { [ROOT]: { uri: "file:///work/a%20repo/" } });
  assertEquals(driver.rules.map(({ id }) => id), Object.keys(RULES));
  for (const { ruleId, ruleIndex, level } of results) {
    const rule = must(driver.rules[ruleIndex]);
    assertEquals([rule.id, rule.defaultConfiguration.level], [ruleId, level]);
  }
  assertEquals(results.map(({ level }) => level), ["warning", "error", "note"]);
  assertEquals(results[0], {
    ruleId: "ended",
    ruleIndex: Object.keys(RULES).indexOf("ended"),
    level: "warning",
    message: { text: "default/it spec.endTime: is over" },
    locations: [{
      physicalLocation: {
        artifactLocation: { uri: "a.yaml", uriBaseId: ROOT },
        region: { startLine: 3, startColumn: 7 },
      },
      logicalLocations: [{ fullyQualifiedName: "default/it spec.endTime" }],
    }],
  });
  assertEquals(must(results[1]).message.text, "cannot be read");
  assert(!("logicalLocations" in must(must(results[1]).locations[0])));
});
