import { type Manifest, nameOf } from "../manifest_files/parse.ts";
import type { Finding, PlacedFinding } from "./finding.ts";

/** Returns the finding with the line of its field. */
export function place(finding: Finding, { object, source, position }: Manifest): PlacedFinding {
  return { ...finding, ...position(finding.field), source, name: nameOf(object.metadata) };
}
