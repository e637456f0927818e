import { assert, assertEquals } from "@std/assert";
import { runToEnd } from "../support/run_to_end.ts";
import { test } from "../support/test.ts";

const ROOT = new URL("../..", import.meta.url);

interface Module {
  specifier: string;
  dependencies?: { specifier: string; isDynamic?: boolean; code?: { specifier?: string } }[];
}

/** What is evaluated with a module: everything but what `import()` names. */
async function loadedWith(entry: string): Promise<string[]> {
  const { stdout } = await runToEnd([Deno.execPath(), "info", "--json", entry], { cwd: ROOT.pathname });
  const { roots, modules } = JSON.parse(stdout) as { roots: string[]; modules: Module[] };
  const byName = new Map(modules.map((module) => [module.specifier, module]));
  const loaded = new Set<string>();
  const follow = (specifier: string) => {
    if (loaded.has(specifier)) return;
    loaded.add(specifier);
    for (const { isDynamic, code } of byName.get(specifier)?.dependencies ?? []) {
      if (!isDynamic && code?.specifier) follow(code.specifier);
    }
  };
  roots.forEach(follow);
  return [...loaded].map((specifier) => specifier.replace(ROOT.href, ""));
}

test("the program starts with its flags alone; what a command works with is loaded when it runs", async () => {
  const loaded = await loadedWith("main.ts");
  const libraries = loaded.filter((specifier) => /^(npm|node|jsr|https?):/.test(specifier));
  assertEquals(libraries.map((library) => library.replace(/^npm:\/?(.+)@.*$/, "npm:$1")).sort(), [
    "node:path",
    "node:process",
    "npm:commander",
  ]);
  assert(loaded.includes("src/cli/standalone/command.ts"), "the test has stopped seeing the modules");
  const working =
    /^src\/(apiserver|kubelet|cli\/\w+\/run\.ts|lint|cronjob\/adoption)|^src\/(cronjob|job|runtime)\/(controller|reconcile|manager)\.ts$/;
  assertEquals(loaded.filter((specifier) => working.test(specifier)), []);
});

/** Rooms without which `controller` does its work. */
const NOT_ON_A_CLUSTER =
  /^src\/(actions|apiserver|applied_files|crontab|dashboard|kubelet|lint|run_archive|simulate|cli\/standalone)\//;

test("a controller loads no API server, no kubelet, no page, and nothing that starts processes or compiles code", async () => {
  const loaded = [...await loadedWith("main.ts"), ...await loadedWith("src/cli/controller/run.ts")];
  assert(loaded.includes("src/cronjob/controller.ts"), "the test has stopped seeing the modules");
  // The flags of other commands are there, and no more of these.
  const flags = /\/command\.ts$|_options\.ts$/;
  const others = loaded.filter((module) => NOT_ON_A_CLUSTER.test(module) && !flags.test(module));
  assertEquals(others, []);
  const builtIn = new Set(loaded.filter((module) => module.startsWith("node:")));
  assertEquals([...builtIn].sort(), [
    "node:crypto",
    "node:fs",
    "node:path",
    "node:process",
    "node:timers/promises",
    "node:util",
  ]);
  const own = [...new Set(loaded)].filter((module) => module.startsWith("src/"));
  const starts = await Promise.all(
    own.map(async (module) =>
      /Deno\.Command\(|new Worker\(|dlopen/.test(await Deno.readTextFile(new URL(module, ROOT)))
    ),
  );
  assertEquals(own.filter((_, index) => starts[index]), []);
});
