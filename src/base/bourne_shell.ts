/** Returns whether a program is a shell that knows braces, here-documents and `"$@"`; by its name or path. */
export function isBourneShell(program: string): boolean {
  return /(?:^|\/)(?:ba|da|k|mk|z|a)?sh$/.test(program);
}
