import { type Manifest, nameOf } from "../manifest_files/parse.ts";
import type { Position } from "../manifest_files/yaml_documents.ts";
import { type RuleId, RULES, type Severity } from "./rules.ts";

/** A remark on one field of a CronJob. */
export interface Finding {
  readonly severity: Severity;
  readonly rule: RuleId;
  /** As Kubernetes writes paths: `spec.jobTemplate.spec`. */
  readonly field: string;
  readonly message: string;
}

/** A finding with its place in a file. */
export interface PlacedFinding extends Finding, Position {
  readonly source: string;
  /** `namespace/name`; empty for a file that cannot be read. */
  readonly name: string;
}

/** The checked CronJobs and the findings, in the order of the manifests. */
export interface LintReport {
  readonly cronJobs: number;
  readonly findings: readonly PlacedFinding[];
}

/** Returns a finding of a rule, with the rule's severity. */
export function finding(rule: RuleId, field: string, message: string): Finding {
  return { severity: RULES[rule].severity, rule, field, message };
}

/** Returns the finding with the line of its field. */
export function place(finding: Finding, { object, source, position }: Manifest): PlacedFinding {
  return { ...finding, ...position(finding.field), source, name: nameOf(object.metadata) };
}
