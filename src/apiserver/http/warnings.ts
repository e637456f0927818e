/** The characters of all warnings that are sent whole, as kube-apiserver has it; beyond it, each is cut and the last left out. */
const MAX_TOTAL = 4 * 1024;
const MAX_EACH_OF_MANY = 256;

/**
 * Returns the value of the header `Warning`; undefined without a warning to send. As kube-apiserver does, it shortens
 * warnings, since a client refuses an answer whose head is too long, and leaves out warnings with control characters.
 *
 * All warnings stand in one header, as clients also limit how many headers an answer has.
 */
export function warningHeader(warnings: readonly string[]): string | undefined {
  const texts = [...new Set(warnings)].filter((text) => text !== "" && !/\p{Cc}/u.test(text)).map((text) => [...text]);
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  return (total <= MAX_TOTAL ? texts : cut(texts)).map(headerOf).join(", ") || undefined;
}

function cut(texts: readonly string[][]): string[][] {
  let written = 0;
  return texts.map((text) => text.slice(0, MAX_EACH_OF_MANY)).filter(({ length }) => {
    if (written >= MAX_TOTAL) return false;
    written += length;
    return true;
  });
}

/** Returns a warning in RFC 7234's form, with its code for "miscellaneous, persistent". Node's server sends only ASCII unchanged. */
function headerOf(text: readonly string[]): string {
  const ascii = text.map((char) => char > "~" ? escaped(char) : char).join("");
  return `299 - "${ascii.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** Returns the escape by which Go's `%+q` writes a character. */
function escaped(char: string): string {
  const code = char.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}
