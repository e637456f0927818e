/** The same object, where what may be absent may be undefined too: what is not yet as it is sent or kept. */
export type Loose<T> = {
  [Name in keyof T]: T[Name] | (Partial<Pick<T, Name>> extends Pick<T, Name> ? undefined : never);
};
