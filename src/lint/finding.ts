import type { Position } from "../manifest_files/yaml_documents.ts";

/** Errors keep a CronJob from being accepted or from running; warnings are things that surprise people. */
export type Severity = "error" | "warning";

/** Something about one field of a CronJob. */
export interface Finding {
  readonly severity: Severity;
  /** A short name that stays the same, for searching and for filters. */
  readonly rule: string;
  /** As Kubernetes writes paths: `spec.jobTemplate.spec`. */
  readonly field: string;
  readonly message: string;
}

/** A finding where it stands. */
export interface PlacedFinding extends Finding, Position {
  readonly source: string;
  /** `namespace/name`; empty for a file that cannot be read. */
  readonly name: string;
}

/** What was looked at, and what was found, in the order of the manifests. */
export interface LintReport {
  readonly cronJobs: number;
  readonly findings: readonly PlacedFinding[];
}

export function errorFinding(rule: string, field: string, message: string): Finding {
  return { severity: "error", rule, field, message };
}

export function warningFinding(rule: string, field: string, message: string): Finding {
  return { severity: "warning", rule, field, message };
}
