/**
 * Returns a `pattern` as JavaScript's regular expression. Kubernetes reads them by RE2's rules, which differ in little:
 * flags may stand in front (`(?i)`), and more may be escaped. Undefined for what is none.
 */
export function compilePattern(pattern: string): RegExp | undefined {
  const [, given = "", body = ""] = /^(?:\(\?([ims]+)\))?([\s\S]*)$/.exec(pattern)!;
  for (const flags of [`${given}u`, given]) {
    try {
      return new RegExp(body, flags);
    } catch {
      // Without `u` more escapes are allowed.
    }
  }
  return undefined;
}
