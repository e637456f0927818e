import { outputOption } from "../flags/output.ts";
import { flag, type OptionsOf } from "../flags/options.ts";

/** The flags of `lint`. */
export const LINT_OPTIONS = [
  outputOption(["text", "json", "github"]),
  flag("--fail-on <severity>", "the least that makes the exit code 1").oneOf(["error", "warning", "hint"]).byDefault(
    "error",
  ),
  flag("--container-runtime <name>", "find what this runtime of standalone would refuse, too")
    .oneOf(["process", "podman", "docker"]),
  flag("--disable <rule>", "leave out what a rule finds (repeatable)")
    .parsedBy<readonly string[]>((rule, before = []) => [...before, rule]).byDefault([], "none"),
];

export type LintFlags = OptionsOf<typeof LINT_OPTIONS>;
