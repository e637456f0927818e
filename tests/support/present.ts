/** Returns an object of an API without the fields that are undefined, as a server has it. */
export function present<T extends object>(fields: { readonly [Name in keyof T]?: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
