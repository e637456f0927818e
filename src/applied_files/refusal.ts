import { ApiError } from "../kube/api_error.ts";
import type { Position } from "../manifest_files/yaml_documents.ts";
import { type FileNote, titleOf, type Wanted } from "./source.ts";

/** Explains to people what is wrong with an object that the server refused; empty where it cannot. */
export type ReasonsOf = (
  refused: Pick<Wanted, "object" | "file" | "position">,
  error: ApiError,
) => Promise<readonly (Position & { readonly message: string })[]>;

/** Returns the server's causes for refusing an object, each at the field that it names; `reasons` take their place. */
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

/** Resolves with the error by which the server refuses a request; undefined where it does not. Rejects with any other. */
export async function refusalOf(answer: Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await answer;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
