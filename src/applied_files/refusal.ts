import type { ApiError } from "../kube/api_error.ts";
import type { Position } from "../manifest_files/yaml_documents.ts";
import { describe } from "./plan.ts";
import type { FileNote, Wanted } from "./source.ts";

/** Says of an object that the server refused what is wrong with it, in words for people; nothing where it does not know. */
export type ReasonsOf = (
  refused: Pick<Wanted, "object" | "file" | "position">,
  error: ApiError,
) => Promise<readonly RefusalReason[]>;

/** The error of a field, and its place. */
export interface RefusalReason extends Position {
  readonly message: string;
}

/** Returns what the server has against an object, a line each, at the fields that it names; reasons say it better. */
export function refusalsOf(
  wanted: Wanted,
  { message, status }: ApiError,
  reasons: readonly RefusalReason[],
): FileNote[] {
  const { file } = wanted;
  if (reasons.length > 0) {
    return reasons.map(({ message, line, column }) => ({
      file,
      line,
      column,
      message: `${describe(wanted)}: ${message}`,
    }));
  }
  const causes = (status?.details?.causes ?? []).filter(({ field }) => field !== undefined && field !== "");
  if (causes.length === 0) {
    return [{
      file,
      ...wanted.position("metadata.name"),
      message: `${describe(wanted)}: ${status?.message ?? message}`,
    }];
  }
  return causes.map((cause) => ({
    file,
    ...wanted.position(cause.field!),
    message: `${describe(wanted)}: ${cause.field}: ${cause.message}`,
  }));
}
