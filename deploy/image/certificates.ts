/** Where Debian's package `ca-certificates` keeps Mozilla's certificate authorities, a file each. */
const MOZILLA = "/usr/share/ca-certificates/mozilla";

/**
 * Mozilla's certificate authorities as PEM, ordered by name. Not `/etc/ssl/certs`: what an administrator has added to this
 * machine has no place in an image.
 */
export async function mozillaCertificates(folder = MOZILLA): Promise<string> {
  let names: string[];
  try {
    names = (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).filter((name) => name.endsWith(".crt"));
  } catch (cause) {
    throw new Error(`Cannot read ${folder}: install the package ca-certificates`, { cause });
  }
  const texts = await Promise.all(names.sort().map((name) => Deno.readTextFile(`${folder}/${name}`)));
  return texts.map((text) => `${text.trimEnd()}\n`).join("");
}
