/** Reads what an annotation holds as JSON; undefined where there is none, or it can't be read. */
export function readJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
