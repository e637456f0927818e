import { must } from "../../support/expected.ts";

const ROOT = new URL("../../../", import.meta.url);

/** A fenced block of a page. */
export interface Block {
  /** What stands behind the fence: `sh run`. */
  readonly info: string;
  readonly text: string;
  readonly line: number;
}

/** Every page of Markdown in the repository, by its path from the root. */
export async function pages(): Promise<string[]> {
  const found: string[] = [];
  const look = async (folder: string) => {
    for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
      if (isDirectory && !["node_modules", ".git", "dist", ".data"].includes(name)) await look(`${folder}${name}/`);
      else if (name.endsWith(".md")) found.push(`${folder}${name}`);
    }
  };
  await look("");
  return found.sort();
}

export async function readPage(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(path, ROOT));
}

/** Whether there is such a file or folder. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.stat(new URL(path, ROOT)).then(() => true, () => false);
}

export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^( *)```(\S.*)?\n([^]*?)^ *```$/gm)].map((match) => ({
    info: match[2] ?? "",
    text: must(match[3]).replaceAll(new RegExp(`^${match[1]}`, "gm"), ""),
    line: text.slice(0, match.index).split("\n").length,
  }));
}

const anchors = new Map<string, Promise<Set<string>>>();

/** The anchors that a page has: headings as GitHub makes them, and those that are named. */
export function anchorsOf(path: string): Promise<Set<string>> {
  if (!anchors.has(path)) anchors.set(path, readAnchors(path));
  return anchors.get(path)!;
}

async function readAnchors(path: string): Promise<Set<string>> {
  const text = proseOf(await readPage(path));
  const headings = [...text.matchAll(/^#+ +(.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id)]);
}

/** The targets of links and images; of others' sites too. */
export function linksOf(text: string): string[] {
  return [...proseOf(text).matchAll(/\]\(([^)\s]+)\)|<img [^>]*src="([^"]+)"/g)].map(([, link, image = ""]) =>
    link ?? image
  );
}

/** Without blocks and spans of code. */
export function proseOf(text: string): string {
  return text.replaceAll(/^ *```[^]*?^ *```$/gm, "").replaceAll(/(`+)([^`]|[^`][^]*?[^`])\1(?!`)/g, (span) => {
    // Headings have anchors of what stands in code too.
    return span.includes("\n") ? span : span.replaceAll(/[`()[\]]/g, "");
  });
}

function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-");
}
