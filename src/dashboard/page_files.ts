import type { PageFiles } from "./built_page.ts";

/** Returns the files that the build of the program put into it; a checkout bundles them, which takes half a second. */
export async function loadPage(): Promise<PageFiles> {
  const { BUILT } = await import("./built_page.ts");
  return typeof BUILT === "string" ? await bundlePage() : BUILT;
}

/** @throws {Error} that says what the bundler refuses */
export async function bundlePage(): Promise<PageFiles> {
  const folder = new URL("./page/", import.meta.url);
  const index = await Deno.readTextFile(new URL("index.html", folder));
  // One after the other: Deno fetches its bundler the first time, and two at once may run it half written.
  const style = await bundle(folder, "style/page.css");
  const script = await bundle(folder, "main.ts");
  return {
    "/": { type: "text/html; charset=utf-8", text: index },
    "/page.css": { type: "text/css; charset=utf-8", text: style },
    "/page.js": { type: "text/javascript; charset=utf-8", text: script },
  };
}

async function bundle(folder: URL, entry: string): Promise<string> {
  const args = ["bundle", "--quiet", "--platform", "browser", "--format", "iife", "--minify", entry];
  const command = new Deno.Command(Deno.execPath(), { args, cwd: folder, stdin: "null" });
  const { success, stdout, stderr } = await command.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(`Cannot bundle ${entry} of the page: ${text(stderr)}`);
  return text(stdout);
}
