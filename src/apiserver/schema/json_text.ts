/** Which keys JSON text gives more than once, as paths (`data.a`, `spec.containers[0].name`), in the text's order. */
export function duplicateFields(text: string): string[] {
  const found: string[] = [];
  let at = 0;

  function skipSpace(): void {
    while (at < text.length && text.charCodeAt(at) <= 32) at++;
  }

  function readString(): string {
    const start = at++;
    while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    at++;
    return JSON.parse(text.slice(start, at));
  }

  function readValue(path: string): void {
    skipSpace();
    if (text[at] === "{") readObject(path);
    else if (text[at] === "[") readArray(path);
    else if (text[at] === '"') readString();
    else while (at < text.length && !",]}".includes(text[at])) at++;
    skipSpace();
  }

  function readObject(path: string): void {
    const seen = new Set<string>();
    at++;
    skipSpace();
    while (text[at] !== "}") {
      skipSpace();
      const key = readString();
      const field = path ? `${path}.${key}` : key;
      if (seen.has(key)) found.push(field);
      seen.add(key);
      skipSpace();
      at++; // the colon
      readValue(field);
      if (text[at] === ",") at++;
    }
    at++;
  }

  function readArray(path: string): void {
    at++;
    skipSpace();
    for (let index = 0; text[at] !== "]"; index++) {
      readValue(`${path}[${index}]`);
      if (text[at] === ",") at++;
    }
    at++;
  }

  readValue("");
  return found;
}
