import { assertEquals } from "@std/assert";
import { dirname, join, normalize } from "node:path/posix";
import { circlesOf, reachedFrom } from "./support/circles.ts";
import { readPage } from "./docs/support/pages.ts";
import { must } from "./support/expected.ts";
import { filesBelow } from "./support/files_below.ts";
import { test } from "./support/test.ts";

/** Which rooms of `src/` each room may import from, besides itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  schedule: ["base"],
  telemetry: ["base"],
  kube: ["telemetry", "base"],
  runtime: ["kube", "telemetry", "base"],
  cronjob: ["runtime", "kube", "schedule", "telemetry", "base"],
  job: ["runtime", "kube", "telemetry", "base"],
  kubelet: ["runtime", "kube", "telemetry", "base"],
  apiserver: ["kube", "schedule", "telemetry", "base"],
  notifications: ["cronjob", "runtime", "kube", "schedule", "telemetry", "base"],
  manifests: ["notifications", "cronjob", "job", "runtime", "kube"],
  manifest_files: ["cronjob", "schedule", "telemetry", "base"],
  view: ["cronjob", "runtime", "kube", "schedule", "base"],
  actions: ["view", "cronjob", "kube", "schedule", "telemetry", "base"],
  simulate: ["cronjob", "kube", "schedule", "base"],
  dashboard: ["actions", "simulate", "view", "cronjob", "runtime", "kube", "schedule", "telemetry", "base"],
  lint: ["manifest_files", "apiserver", "cronjob", "kubelet", "schedule", "base"],
  crontab: ["cronjob", "kube", "schedule", "base"],
  run_archive: ["view", "notifications", "kubelet", "apiserver", "cronjob", "runtime", "kube", "telemetry", "base"],
  applied_files: ["manifest_files", "crontab", "runtime", "kube", "schedule", "telemetry", "base"],
  cli: [
    "dashboard",
    "actions",
    "view",
    "simulate",
    "lint",
    "applied_files",
    "run_archive",
    "crontab",
    "notifications",
    "manifest_files",
    "manifests",
    "cronjob",
    "job",
    "kubelet",
    "apiserver",
    "runtime",
    "kube",
    "schedule",
    "telemetry",
    "base",
  ],
};

const ROOT = new URL("..", import.meta.url).pathname;

async function* sourceFiles(folder: string): AsyncGenerator<string> {
  for await (const path of filesBelow(folder)) if (/\.tsx?$/.test(path)) yield path;
}

interface Import {
  file: string;
  specifier: string;
}

/** What a file says without its comments. */
async function codeOf(path: string): Promise<string> {
  return (await Deno.readTextFile(path)).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
}

/** Of values and types, re-exports and lazy imports too. */
async function importsOf(folder: string): Promise<Import[]> {
  const found: Import[] = [];
  for await (const path of sourceFiles(`${ROOT}${folder}`)) {
    const file = path.slice(ROOT.length);
    const code = await codeOf(path);
    for (
      const [, specifier = ""] of code.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)"([^"]+)"/g)
    ) {
      found.push({ file, specifier });
    }
  }
  return found;
}

/** The arrows between rooms in the first drawing of docs/architecture.md. */
async function drawnArrows(): Promise<[from: string, to: string][]> {
  const [, drawing = ""] = /flowchart TB\n([^]*?)```/.exec(await readPage("docs/architecture.md")) ?? [];
  return drawing.split("\n").filter((line) => line.includes("-->")).flatMap((line) => {
    const groups = line.split("-->").map((group) => group.split("&").map((name) => name.trim()));
    return groups.slice(1).flatMap((to, i) => must(groups[i]).flatMap((a) => to.map((b): [string, string] => [a, b])));
  });
}

/** The files of the repository that each file of `src` imports. */
async function importedFiles(): Promise<Map<string, Set<string>>> {
  const targets = new Map<string, Set<string>>();
  for (const { file, specifier } of await importsOf("src")) {
    if (!specifier.startsWith(".")) continue;
    const ofFile = targets.get(file) ?? new Set();
    targets.set(file, ofFile.add(normalize(join(dirname(file), specifier))));
  }
  return targets;
}

function inOneLine(circle: readonly string[]): string {
  return circle.join(" <-> ");
}

function roomOf(path: string): string {
  return must(path.split("/")[1]);
}

test("the drawing of rooms has an arrow, or several in a row, for each import of a room from another, and no other", async () => {
  const arrows = await drawnArrows();
  const reach = (room: string): string[] => arrows.filter(([a]) => a === room).flatMap(([, b]) => [b, ...reach(b)]);
  const imported = (await importsOf("src")).filter(({ specifier }) => specifier.startsWith("."))
    .map(({ file, specifier }) => ({ room: roomOf(file), target: normalize(join(dirname(file), specifier)) }))
    .filter(({ room, target }) => target.startsWith("src/") && roomOf(target) !== room)
    .map(({ room, target }) => `${room} --> ${roomOf(target)}`);
  const pairs = new Set(imported);
  assertEquals([...pairs].filter((pair) => !reach(must(pair.split(" ")[0])).includes(must(pair.split(" ")[2]))), []);
  assertEquals(arrows.map(([a, b]) => `${a} --> ${b}`).filter((arrow) => !pairs.has(arrow)), []);
});

test("rooms of src import only in the direction that the design allows", async () => {
  const wrong: string[] = [];
  const imports = await importsOf("src");
  for (const { file, specifier } of imports) {
    if (!specifier.startsWith(".")) continue;
    const target = normalize(join(dirname(file), specifier));
    if (target === "deno.json") continue;
    const [from, to] = [roomOf(file), roomOf(target)];
    const allowed = target.startsWith("src/") && (from === to || MAY_IMPORT[from]?.includes(to));
    if (!allowed) wrong.push(`${file} imports ${target}`);
  }
  assertEquals(wrong, []);
  assertEquals(imports.length > 100, true, "the test has stopped seeing the imports");
});

/** The files of the API server that other rooms may import. */
const DOORS = [
  "api",
  "dry_run",
  "http/exchange",
  "resource_kind",
  "server",
  "storage/backup",
  "storage/data_dir",
].map((name) => `src/apiserver/${name}.ts`);

test("other rooms reach the API server through its doors, of which dryRunCreate() is the one to its rules", async () => {
  const targets = (await importsOf("src"))
    .filter(({ file, specifier }) => roomOf(file) !== "apiserver" && specifier.startsWith("."))
    .map(({ file, specifier }) => normalize(join(dirname(file), specifier)))
    .filter((target) => target.startsWith("src/apiserver/"));
  assertEquals(DOORS.filter((door) => !targets.includes(door)), []);
  assertEquals([...new Set(targets)].filter((target) => !DOORS.includes(target)), []);
});

test("decisions about a CronJob rest on its api/ alone: neither its status, nor what is said of them, decides", async () => {
  const imports = (await importsOf("src/cronjob/decision")).filter(({ specifier }) => specifier.startsWith("."));
  const inRoom = imports.map(({ file, specifier }) => normalize(join(dirname(file), specifier)))
    .filter((target) => target.startsWith("src/cronjob/"));
  assertEquals(inRoom.filter((target) => !/^src\/cronjob\/(api|decision)\//.test(target)), []);
  assertEquals(inRoom.length > 50, true, "the test has stopped seeing the imports");
});

test("private files (with a leading underscore) are imported from their own folder only", async () => {
  const wrong = (await importsOf("src"))
    .filter(({ specifier }) =>
      specifier.startsWith(".") && /\/_[^/]+$/.test(specifier) && !/^\.\/_[^/]+$/.test(specifier)
    )
    .map(({ file, specifier }) => `${file} imports ${specifier}`);
  assertEquals(wrong, []);
});

test("circles between files are found, each once and whole", () => {
  const edges = Object.entries({
    a: ["b"],
    b: ["c"],
    c: ["a", "d"],
    d: ["e", "self"],
    e: ["d"],
    self: ["self"],
    f: ["a"],
  });
  const circles = circlesOf(new Map(edges.map(([node, targets]) => [node, new Set(targets)])));
  assertEquals(circles, [["a", "b", "c"], ["d", "e"], ["self"]]);
});

test("no files of src import each other in a circle, types included", async () => {
  assertEquals(circlesOf(await importedFiles()).map(inOneLine), []);
});

test("a decision is understood by eighty files at most: decide.ts and all that it imports, types included", async () => {
  const decide = "src/cronjob/decide.ts";
  const reached = new Set([decide, ...reachedFrom(decide, await importedFiles())]);
  assertEquals(reached.has("src/cronjob/decision/find.ts"), true, "the test has stopped seeing the imports");
  assertEquals(reached.size <= 80, true, `${reached.size} files:\n${[...reached].sort().join("\n")}`);
});

/** Files above 300 lines. Tables of data may be as long as their data. */
const LONG_FILES = [
  "src/apiserver/schema/types/core.ts",
];

test("no file of src is longer than 300 lines, but for those listed, whose number may only shrink", async () => {
  const long: string[] = [];
  for await (const path of sourceFiles(`${ROOT}src`)) {
    const lines = (await Deno.readTextFile(path)).split("\n").length - 1;
    if (lines > 300) long.push(path.slice(ROOT.length));
  }
  assertEquals(long.sort(), LONG_FILES);
});

test("no folder of the kubelet has more than twenty files beside its folders", async () => {
  const counts = new Map<string, number>();
  for await (const path of sourceFiles(`${ROOT}src/kubelet`)) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  assertEquals([...counts].filter(([, count]) => count > 20), []);
});

test("every exported function, class and constant of src is used by another file", async () => {
  const importers = new Map<string, string[]>();
  for (const folder of ["src", "tests", "deploy"]) {
    for (const { file, specifier } of await importsOf(folder)) {
      if (!specifier.startsWith(".")) continue;
      const target = normalize(join(dirname(file), specifier));
      importers.set(target, [...importers.get(target) ?? [], file]);
    }
  }
  const code = new Map<string, string>();
  for (const file of new Set([...importers.keys(), ...importers.values().flatMap((files) => files)])) {
    if (/\.tsx?$/.test(file)) code.set(file, await codeOf(`${ROOT}${file}`));
  }
  const unused: string[] = [];
  for await (const path of sourceFiles(`${ROOT}src`)) {
    const file = path.slice(ROOT.length);
    for (const [, name] of (await codeOf(path)).matchAll(EXPORTED_VALUE)) {
      const isUsed = importers.get(file)?.some((importer) =>
        new RegExp(`\\b${name}\\b`).test(code.get(importer) ?? "")
      );
      if (!isUsed) unused.push(`${file} exports ${name}`);
    }
  }
  assertEquals(unused, []);
});

const EXPORTED_VALUE = /^export (?:abstract )?(?:async )?(?:function\*?|class|const|let) (\w+)/gm;

test("croner is used in one place only", async () => {
  const croner = (await importsOf("src")).filter(({ specifier }) => specifier === "croner").map(({ file }) => file);
  assertEquals(croner, ["src/schedule/day_search.ts"]);
});
