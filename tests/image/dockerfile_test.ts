import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import configuration from "../../deno.json" with { type: "json" };
import { TARGETS } from "../../deploy/binary/compile.ts";
import { imageConfig } from "../../deploy/image/oci_image.ts";
import { NONROOT } from "../../deploy/image/root_entries.ts";
import { NAMESPACE, PORTS } from "../../src/manifests/install.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { deployedController } from "./support/deployment.ts";
import { isIgnored, pairsIn, type Stage, stagesIn } from "./support/dockerfile.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const DOCKERIGNORE = await Deno.readTextFile(`${ROOT}.dockerignore`);
const [DEFAULTS, ...STAGES] = atLeast(1, stagesIn(await Deno.readTextFile(`${ROOT}deploy/Dockerfile`)));
const FINAL = STAGES.at(-1)!;

/** What an instruction says in a stage that has it once. */
function only(stage: Stage, name: string): string {
  const found = stage.instructions.filter((instruction) => instruction.name === name);
  assertEquals(found.length, 1, `${found.length} times ${name}`);
  return must(found[0]).rest;
}

/** Paths that the stages take out of the build's context. */
function copiedPaths(): string[] {
  return STAGES.flatMap(({ instructions }) => instructions)
    .filter(({ name, flags }) => name === "COPY" && !flags.some((flag) => flag.startsWith("--from=")))
    .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1));
}

test("the image starts from distroless, and is built with the versions of Deno that CI uses", async () => {
  const defaults = Object.assign({}, ...DEFAULTS.instructions.map(({ rest }) => pairsIn(rest)));
  assertEquals(STAGES.map(({ base }) => base), ["${BUNDLER}", "${COMPILER}", "${BASE}"]);
  assertEquals(defaults.BASE, "gcr.io/distroless/cc-debian12:nonroot");
  const ci = await Deno.readTextFile(`${ROOT}.ci/run`);
  for (const name of ["BUNDLER", "COMPILER"]) {
    const [, version] = /^denoland\/deno:(\d+\.\d+\.\d+)$/.exec(defaults[name])!;
    assertStringIncludes(ci, `deno@${version} "$@"`);
  }
  // An argument without a default would make an empty name of an image.
  assertEquals(Object.keys(defaults).sort(), ["BASE", "BUNDLER", "COMPILER"]);
});

test("the image's program is started as deploy/rootfs.ts says", () => {
  const facts = { name: configuration.name, version: configuration.version, revision: "r", created: "c" };
  const { config } = imageConfig({ ...facts, architecture: "amd64" }, []);
  assertEquals(only(FINAL, "USER"), config.User);
  assertEquals(only(FINAL, "WORKDIR"), config.WorkingDir);
  assertEquals(JSON.parse(only(FINAL, "ENTRYPOINT")), config.Entrypoint);
  assertEquals(JSON.parse(only(FINAL, "CMD")), config.Cmd);
  assertEquals(only(FINAL, "EXPOSE").split(" ").map((port) => `${port}/tcp`), Object.keys(config.ExposedPorts));
  assertEquals(only(FINAL, "EXPOSE"), `${PORTS.metrics} ${PORTS.health}`);

  const args = Object.assign(
    {},
    ...FINAL.instructions.filter(({ name }) => name === "ARG").map(({ rest }) => pairsIn(rest)),
  );
  assertEquals(args.VERSION, "unknown", "deno.json alone says the version");
  // The engine sets the time itself.
  const { "org.opencontainers.image.created": _, ...labels } = config.Labels;
  assertEquals(pairsIn(only(FINAL, "LABEL")), {
    ...labels,
    "org.opencontainers.image.version": "${VERSION}",
    "org.opencontainers.image.revision": "${REVISION}",
  });
});

test("the image's last stage adds the program alone, for a user that a cluster can distinguish from root", () => {
  assertMatch(only(FINAL, "USER"), new RegExp(`^${NONROOT}:${NONROOT}$`));
  const copy = FINAL.instructions.filter(({ name }) => name === "COPY");
  assertEquals(copy.map(({ rest }) => rest), ["/src/dist/cronjob-controller /usr/local/bin/cronjob-controller"]);
  assertEquals(must(copy[0]).flags, ["--from=compile", "--chmod=0755"]);
  // Nothing that needs a shell, and nothing that a read-only root file system would break.
  const names = new Set(FINAL.instructions.map(({ name }) => name));
  for (const name of ["RUN", "SHELL", "HEALTHCHECK", "VOLUME", "ONBUILD"]) assert(!names.has(name), name);
});

test("the Deployment runs the image's program as task test:image does", async () => {
  const { args, namespace } = await deployedController();
  assertEquals([args[0], namespace], ["controller", NAMESPACE]);
});

test("the image is built from nothing but the repository, the bases and locked packages", () => {
  for (const { instructions } of STAGES) {
    for (const { name, flags, rest } of instructions) {
      assert(name !== "ADD", `ADD ${rest}`);
      assert(!/https?:|curl|wget|apt|secret|token|password/i.test(`${flags.join(" ")} ${rest}`), rest);
    }
  }
  assertEquals(configuration.lock, { path: "./deno.lock", frozen: true });
  assert(copiedPaths().includes("deno.lock"));
});

test("the image's program is compiled as deno task compile does it", () => {
  const [bundle, compile] = atLeast(2, STAGES);
  assertEquals(only(bundle, "RUN"), "deno task bundle");
  // Not through the task: that would want the locked packages in this stage too.
  const { embed } = configuration.tasks;
  assertMatch(embed, /^deno run -A --no-config deploy\/binary\/compile\.ts$/);
  assertStringIncludes(only(compile, "RUN"), `${embed} "$target"`);
  const targets = [...only(compile, "RUN").matchAll(/target=([\w-]+)/g)].map(([, target]) => target);
  assertEquals(targets, TARGETS.filter((target) => target.includes("linux")));
});

test("every module of the program is in the image's context, and gets copied", async () => {
  const copied = copiedPaths();
  for (const path of copied) {
    await Deno.stat(ROOT + path);
    assert(!isIgnored(DOCKERIGNORE, path), `.dockerignore keeps ${path} out`);
  }
  const modules: { specifier: string; error?: string }[] = [];
  for (const entry of ["main.ts", "deploy/binary/bundle.ts", "deploy/binary/compile.ts"]) {
    const info = new Deno.Command(Deno.execPath(), { args: ["info", "--json", entry], cwd: ROOT });
    modules.push(...JSON.parse(new TextDecoder().decode((await info.output()).stdout)).modules);
  }
  assertEquals(modules.filter(({ error }) => error !== undefined), []);
  const here = new URL("../..", import.meta.url).href;
  const own = modules.map(({ specifier }) => specifier).filter((specifier) => specifier.startsWith(here))
    .map((specifier) => specifier.slice(here.length));
  assert(own.length > 100, `the program has only ${own.length} modules`);
  assertEquals(own.filter((path) => isIgnored(DOCKERIGNORE, path)), []);
  assertEquals(own.filter((path) => !copied.some((from) => path === from || path.startsWith(`${from}/`))), []);
});

test("the image's context leaves out what the program isn't built from", async () => {
  const kept = (await Array.fromAsync(Deno.readDir(ROOT), ({ name }) => name))
    .filter((name) => !isIgnored(DOCKERIGNORE, name));
  assertEquals(kept.sort(), ["deno.json", "deno.lock", "main.ts", "src"]);
  assert(!isIgnored(DOCKERIGNORE, "deploy/binary/compile.ts"));
  for (const path of [".git", ".env", "tests/support/test.ts", ".data/kubeconfig", "deploy/Dockerfile", "src.key"]) {
    assert(isIgnored(DOCKERIGNORE, path), path);
  }
});
