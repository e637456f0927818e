/** Returns the namespaces that are named, each once; `undefined`, which stands for all of them, where none is. */
export function eachNamespace(named: readonly string[] = []): readonly (string | undefined)[] {
  return named.length === 0 ? [undefined] : [...new Set(named)];
}
