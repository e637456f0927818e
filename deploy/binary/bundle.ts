// Makes plain JavaScript of the program, for compiling: `dist/bundle/main.js`, and beside it what a command loads only
// when it runs.
//
//   deno run -A deploy/binary/bundle.ts
//
// SOURCE_COMMIT names the commit where there is no git to ask. IMAGE_REPOSITORY and IMAGE_DIGEST are the image that the
// program of a release installs.
import type { PageFiles } from "../../src/dashboard/built_page.ts";
import { bundlePage } from "../../src/dashboard/page_files.ts";
import { emptyFolder, outputOf, ROOT } from "./support.ts";

/** Where the bundle goes. */
export const BUNDLE = `${ROOT}dist/bundle`;

/** The text that stands for the commit, whatever the bundler has made of the name before it. */
const COMMIT = /(?<== ?)"dev"(?=[,;])/g;

/** The text that stands for the image of a release. */
const IMAGE = /(?<== ?)"no release"(?=[,;])/g;

/** The text that stands for the files of the page. */
const PAGE = /(?<== ?)"files of the page"(?=[,;])/g;

/** The commit of the working copy, with `-dirty` where it has changes; `unknown` where there is no git. */
export async function commitOf(folder: string, env: { get(name: string): string | undefined } = Deno.env) {
  const given = env.get("SOURCE_COMMIT");
  if (given) return given;
  try {
    const commit = await outputOf("git", ["-C", folder, "rev-parse", "--short=12", "HEAD"]);
    const changes = await outputOf("git", ["-C", folder, "status", "--porcelain", "--untracked-files=no"]);
    return commit + (changes === "" ? "" : "-dirty");
  } catch {
    return "unknown";
  }
}

/** Puts the commit where the program says it. */
export async function nameCommit(bundle: string, commit: string): Promise<void> {
  if (!/^[\w.-]+$/.test(commit)) throw new Error(`Cannot name the commit: current value is ${commit}`);
  await fill(bundle, COMMIT, `"${commit}"`, "name the commit");
}

/** Puts the image of a release where the program looks for it, if the environment names one. */
export async function nameImage(bundle: string, env: { get(name: string): string | undefined } = Deno.env) {
  const [repository, digest] = ["IMAGE_REPOSITORY", "IMAGE_DIGEST"].map((name) => env.get(name));
  if (repository && digest) await fill(bundle, IMAGE, JSON.stringify(`${repository}@${digest}`), "name the image");
}

/** Puts the page's files where the program looks for them. */
export async function putPage(bundle: string, files: PageFiles): Promise<void> {
  await fill(bundle, PAGE, JSON.stringify(files), "put the page into the program");
}

async function fill(bundle: string, placeholder: RegExp, value: string, does: string): Promise<void> {
  let places = 0;
  for await (const { name } of Deno.readDir(bundle)) {
    const text = await Deno.readTextFile(`${bundle}/${name}`);
    const found = text.match(placeholder)?.length ?? 0;
    places += found;
    if (found > 0) await Deno.writeTextFile(`${bundle}/${name}`, text.replace(placeholder, () => value));
  }
  if (places !== 1) throw new Error(`Cannot ${does}: the bundle has ${places} places for it`);
}

/** Escapes what is not ASCII: V8 keeps a source with a single character beyond Latin-1 in twice the memory. */
export async function escapeSources(bundle: string): Promise<void> {
  for await (const { name } of Deno.readDir(bundle)) {
    const text = await Deno.readTextFile(`${bundle}/${name}`);
    // deno-lint-ignore no-control-regex
    if (/\\[^\x00-\x7f]/.test(text)) {
      throw new Error(`Cannot escape ${name}: a backslash stands before such a character`);
    }
    // deno-lint-ignore no-control-regex
    const escaped = text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    if (escaped !== text) await Deno.writeTextFile(`${bundle}/${name}`, escaped);
  }
}

/** Lets what imports tslib find it: it is CommonJS, and Deno 2.7 gives it no default export. */
export async function mendTslib(bundle: string): Promise<void> {
  for await (const { name } of Deno.readDir(bundle)) {
    const text = await Deno.readTextFile(`${bundle}/${name}`);
    const mended = text.replace(/\b(import_tslib\d*)\.default\b/g, "($1.default ?? $1)");
    if (mended !== text) await Deno.writeTextFile(`${bundle}/${name}`, mended);
  }
}

/** Bundles the program into a folder that is empty. */
export async function bundleInto(folder: string): Promise<void> {
  // Not --minify: it takes the value of an `await using` that is read once to where it is read, and disposes of nothing.
  const flags = ["--quiet", "--platform", "deno", "--code-splitting", "--outdir", folder];
  await outputOf(Deno.execPath(), ["bundle", ...flags, `${ROOT}main.ts`]);
  await nameCommit(folder, await commitOf(ROOT));
  await nameImage(folder);
  await putPage(folder, await bundlePage());
  await mendTslib(folder);
  await escapeSources(folder);
}

if (import.meta.main) {
  await emptyFolder(BUNDLE);
  await bundleInto(BUNDLE);
}
