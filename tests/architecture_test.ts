import { assertEquals } from "@std/assert";
import { dirname, join, normalize } from "node:path/posix";
import { test } from "./support/test.ts";

/** Which rooms of `src/` each room may import from, besides itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  schedule: [],
  telemetry: [],
  kube: ["schedule", "telemetry"],
  runtime: ["kube", "schedule", "telemetry"],
  cronjob: ["runtime", "kube", "schedule", "telemetry"],
  job: ["runtime", "kube", "schedule", "telemetry"],
  kubelet: ["runtime", "kube", "schedule", "telemetry"],
  apiserver: ["runtime", "kube", "schedule", "telemetry"],
  manifests: ["cronjob", "job", "runtime", "kube"],
  cli: ["manifests", "cronjob", "job", "kubelet", "apiserver", "runtime", "kube", "schedule", "telemetry"],
};

/** Files that know nothing of their room, so that anybody may use them. */
const LEAF_FILES = ["src/runtime/clock.ts"];

const ROOT = new URL("..", import.meta.url).pathname;

async function* sourceFiles(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* sourceFiles(path);
    else if (entry.name.endsWith(".ts")) yield path;
  }
}

interface Import {
  file: string;
  specifier: string;
}

async function importsOf(folder: string): Promise<Import[]> {
  const found: Import[] = [];
  for await (const path of sourceFiles(`${ROOT}${folder}`)) {
    const file = path.slice(ROOT.length);
    const text = await Deno.readTextFile(path);
    for (const [, specifier] of text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)"([^"]+)"/g)) {
      found.push({ file, specifier });
    }
  }
  return found;
}

function roomOf(path: string): string {
  return path.split("/")[1];
}

test("rooms of src import only in the direction that the design allows", async () => {
  const wrong: string[] = [];
  const imports = await importsOf("src");
  for (const { file, specifier } of imports) {
    if (!specifier.startsWith(".")) continue;
    const target = normalize(join(dirname(file), specifier));
    if (target === "deno.json" || LEAF_FILES.includes(target)) continue;
    const [from, to] = [roomOf(file), roomOf(target)];
    const allowed = target.startsWith("src/") && (from === to || MAY_IMPORT[from]?.includes(to));
    if (!allowed) wrong.push(`${file} imports ${target}`);
  }
  assertEquals(wrong, []);
  assertEquals(imports.length > 100, true, "the test has stopped seeing the imports");
});

test("private files (with a leading underscore) are imported from their own folder only", async () => {
  const wrong = (await importsOf("src"))
    .filter(({ specifier }) =>
      specifier.startsWith(".") && /\/_[^/]+$/.test(specifier) && !/^\.\/_[^/]+$/.test(specifier)
    )
    .map(({ file, specifier }) => `${file} imports ${specifier}`);
  assertEquals(wrong, []);
});

test("croner and the clock are each used in one place only", async () => {
  const croner = (await importsOf("src")).filter(({ specifier }) => specifier === "croner").map(({ file }) => file);
  assertEquals(croner, ["src/schedule/next_time.ts"]);

  const readers: string[] = [];
  for await (const path of sourceFiles(`${ROOT}src`)) {
    const file = path.slice(ROOT.length);
    if (file === "src/runtime/clock.ts") continue;
    const code = (await Deno.readTextFile(path)).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    if (/\bDate\.now\(|\bnew Date\(\)|\bset(Timeout|Interval)\(|\bperformance\.now\(/.test(code)) readers.push(file);
  }
  assertEquals(readers, []);
});
