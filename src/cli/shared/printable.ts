/** C0 and C1 controls and DEL, newlines among them. */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Text of others in one line that moves no cursor and sets no colour: a terminal obeys whatever a container wrote. */
export function printable(text: string): string {
  return text.replaceAll(CONTROLS, (control) => {
    return SHORT[control] ?? `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}
