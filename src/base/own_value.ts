/** Returns what a table holds under a name; nothing that every object has from its prototype, such as `constructor`. */
export function ownValue<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
