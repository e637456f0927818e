import type { ReasonsOf } from "../../applied_files/refusal.ts";
import type { RuleId } from "../../lint/rules.ts";
import type { Clock } from "../../runtime/clock.ts";

/** What a server takes: where it refuses all the same, it has another reason. */
const ACCEPTED: readonly RuleId[] = ["annotation", "container-runtime", "exclude", "job-template"];

/**
 * Returns what says why the server refused an object, as `lint` does: of a schedule the server's own words are the
 * expression that it has to match. It is loaded once something is refused.
 */
export function refusalReasons(clock: Clock): ReasonsOf {
  return async ({ object, file, position }, error) => {
    // What it refuses for another reason is none of the manifest's.
    if (![400, 422, 500].includes(error.code)) return [];
    const { errorsOf } = await import("../../lint/lint.ts");
    const errors = errorsOf({ object, source: file, position }, clock.now());
    if (errors.every(({ rule }) => ACCEPTED.includes(rule))) return [];
    return errors.map(({ field, message, line, column }) => ({ message: `${field}: ${message}`, line, column }));
  };
}
