/** The same object, whose optional fields may also be undefined, which JSON leaves out. */
export type Loose<T> = {
  [Name in keyof T]: T[Name] | (Partial<Pick<T, Name>> extends Pick<T, Name> ? undefined : never);
};
