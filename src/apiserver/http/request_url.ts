import { Refusal } from "../refusals.ts";

/**
 * Returns the decoded path, and the query.
 *
 * @throws {Refusal} where the path is not properly escaped
 */
export function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const question = url.indexOf("?");
  return {
    path: decodePath(question < 0 ? url : url.slice(0, question)),
    query: new URLSearchParams(question < 0 ? "" : url.slice(question + 1)),
  };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new Refusal(400, "BadRequest", `the path ${path} is not properly escaped`);
  }
}
