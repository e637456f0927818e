/** Returns the text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** As above, without the details that libraries append on lines of their own. */
export function firstLineOf(error: unknown): string {
  return messageOf(error).replace(/\n[\s\S]*/, "");
}
