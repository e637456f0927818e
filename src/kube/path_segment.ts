import { ApiError } from "./api_error.ts";

/** Kubernetes' rules for names in paths (`IsValidPathSegmentName`), each with what it says of one that breaks it. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/^$/, "may not be empty"],
  [/^\.$/, "may not be '.'"],
  [/^\.\.$/, "may not be '..'"],
  [/\//, "may not contain '/'"],
  [/%/, "may not contain '%'"],
];

/**
 * Returns a name as it stands in a path. What an API server could take for more than one segment, or a URL for a step
 * upwards, is refused before it is sent: escaping does not keep it from being read so.
 *
 * @throws {ApiError}
 */
export function pathSegment(what: "namespace" | "name", text = ""): string {
  const broken = RULES.find(([pattern]) => pattern.test(text));
  if (!broken) return encodeURIComponent(text);
  throw new ApiError(`Cannot use the ${what} ${JSON.stringify(text)}: it ${broken[1]}`, {
    code: 400,
    reason: "BadRequest",
  });
}
