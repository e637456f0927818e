/** Reads what an annotation holds as JSON; undefined where there is none, or it can't be read. */
export function readJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws {Error} with the remedy for text that is no JSON object, such as the `example` */
export function parseObject(text: string, example: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`must be JSON, such as ${example}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`must be an object, such as ${example}`);
  }
  return value as Record<string, unknown>;
}
