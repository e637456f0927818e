import { ApiError } from "../kube/api_error.ts";
import type { Position } from "../manifest_files/yaml_documents.ts";
import { type FileNote, titleOf, type Wanted } from "./source.ts";

/** Explains to users why the server refused an object; empty where it has no explanation. */
export type ReasonsOf = (
  refused: Pick<Wanted, "object" | "file" | "position">,
  error: ApiError,
) => Promise<readonly (Position & { readonly message: string })[]>;

/** Returns the notes on an object that the server refused: `reasons`, else the server's causes, each at the field that it names. */
export function refusalsOf(
  wanted: Wanted,
  { message, status }: ApiError,
  reasons: Awaited<ReturnType<ReasonsOf>>,
): FileNote[] {
  const causes = (status?.details?.causes ?? []).filter(({ field }) => field !== undefined && field !== "");
  const said = reasons.length > 0
    ? reasons
    : causes.length > 0
    ? causes.map(({ field, message }) => ({ ...wanted.position(field!), message: `${field}: ${message}` }))
    : [{ ...wanted.position("metadata.name"), message: status?.message ?? message }];
  return said.map((each) => ({ ...each, file: wanted.file, message: `${titleOf(wanted)}: ${each.message}` }));
}

/** Resolves to the error by which the server refuses a request, or to undefined. Rejects with any other error. */
export async function refusalOf(answer: Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await answer;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
