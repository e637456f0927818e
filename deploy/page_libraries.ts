// Writes the libraries of the dashboard's page, as their packages have them: `deno task page`.
//
// The page is served as its files are, with no build step: it has no package manager that would find "preact".

export const LIBRARIES = new URL("../src/dashboard/page/vendor/", import.meta.url);

/** Where a library stands, from the file that its package exports. */
const SOURCES: Readonly<Record<string, readonly [specifier: string, path: string]>> = {
  "preact.js": ["preact", "preact.module.js"],
  "hooks.js": ["preact/hooks", "hooks.module.js"],
  "htm.js": ["htm", "htm.module.js"],
};

/** By the names of their files. */
export async function pageLibraries(): Promise<Map<string, string>> {
  const files = Object.entries(SOURCES).map(async ([name, [specifier, path]]): Promise<[string, string]> => {
    // Loaded so that the package is there.
    await import(specifier);
    const text = await Deno.readTextFile(new URL(path, import.meta.resolve(specifier)));
    return [name, text.replaceAll('from"preact"', 'from"./preact.js"').replace(/\n\/\/# sourceMappingURL=.*/, "\n")];
  });
  return new Map(await Promise.all(files));
}

if (import.meta.main) {
  await Deno.remove(LIBRARIES, { recursive: true }).catch(() => {});
  await Deno.mkdir(LIBRARIES, { recursive: true });
  for (const [name, text] of await pageLibraries()) await Deno.writeTextFile(new URL(name, LIBRARIES), text);
}
