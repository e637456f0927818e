import type { ReasonsOf } from "../../applied_files/refusal.ts";
import type { RuleId } from "../../lint/rules.ts";
import type { Clock } from "../../base/clock.ts";

/** Findings that a server accepts: where it refuses all the same, it has another reason. */
const ACCEPTED: readonly RuleId[] = ["annotation", "container-runtime", "exclude", "job-template"];

/**
 * Returns the reader of what `lint` has against an object that the server refused: all of it at once, each at its line. It
 * is loaded once something is refused.
 */
export function refusalReasons(clock: Clock): ReasonsOf {
  return async ({ object, file, position }, error) => {
    // A refusal for another reason does not concern the manifest.
    if (![400, 422, 500].includes(error.code)) return [];
    const { errorsOf } = await import("../../lint/lint.ts");
    const errors = errorsOf({ object, source: file, position }, clock.now());
    if (errors.every(({ rule }) => ACCEPTED.includes(rule))) return [];
    return errors.map(({ field, message, line, column }) => ({ message: `${field}: ${message}`, line, column }));
  };
}
