/** Returns whether there is anything at a path, a link that leads nowhere included. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).catch(ignoreMissing) !== undefined;
}

/** Makes undefined of the error that says that there is no such file. */
export function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
