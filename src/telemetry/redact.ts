const BLACK = "[redacted]";

/** Patterns of credentials, of any source: an API server's refusal, an exec plugin's complaint, a library's error. */
const CREDENTIALS: readonly [pattern: RegExp, instead: string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, BLACK],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${BLACK}`],
  // A JSON web token.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g, BLACK],
  [/(\b\w+:\/\/)[^/\s@"']+@/g, `$1${BLACK}@`],
  [
    /("?(?<![/.\w-])(?:(?:id|access|refresh|bearer)[-_ ]?)?(?:token|password|passwd|authorization|client-key-data)"?\s*[:=]\s*)("[^"]*"|[^\s,;}]+)/gi,
    `$1${BLACK}`,
  ],
];

/** Blacks out what looks like a credential in a text for people. */
export function redact(text: string): string {
  return CREDENTIALS.reduce((redacted, [pattern, instead]) => redacted.replaceAll(pattern, instead), text);
}

/** Blacks out what is known to be secret. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  let hidden = text;
  for (const secret of secrets) {
    hidden = hidden.replaceAll(secret, BLACK);
    // As it stands inside JSON.
    const quoted = JSON.stringify(secret).slice(1, -1);
    if (quoted !== secret) hidden = hidden.replaceAll(quoted, BLACK);
  }
  return hidden;
}
