/**
 * Control characters (C0, with newlines and tabs; DEL; C1), the other ends of lines (U+2028, U+2029), and marks that turn the
 * direction of text around, so that it reads as other text.
 */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Returns text as one line that moves no cursor and sets no colour: a terminal obeys whatever a container wrote. */
export function printable(text: string): string {
  return text.replaceAll(CONTROLS, (control) => SHORT[control] ?? escaped(control));
}

/** Returns JSON of a single line with these characters escaped, which such JSON has in strings alone. */
export function printableJson(json: string): string {
  return json.replaceAll(CONTROLS, (control) => `\\u${hexOf(control, 4)}`);
}

function escaped(control: string): string {
  return control < "\u0100" ? `\\x${hexOf(control, 2)}` : `\\u${hexOf(control, 4)}`;
}

function hexOf(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, "0");
}
