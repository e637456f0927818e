import { assert, assertEquals, assertMatch } from "@std/assert";
import { parse } from "yaml";
import configuration from "../../deno.json" with { type: "json" };
import { must } from "../support/expected.ts";
import { temporaryFolder } from "../support/program.ts";
import { runToEnd } from "../support/run_to_end.ts";
import { test } from "../support/test.ts";

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
}

interface Job {
  uses?: string;
  needs?: string;
  "timeout-minutes"?: number;
  permissions?: Record<string, string>;
  strategy?: { matrix: { task: string[] } };
  steps?: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  env?: Record<string, string>;
  jobs: Record<string, Job>;
}

const ROOT = new URL("../..", import.meta.url);
const GITHUB = new URL(".github/", ROOT);

async function texts(folder: URL): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) {
      const inside = await texts(new URL(`${name}/`, folder));
      for (const [path, text] of Object.entries(inside)) found[`${name}/${path}`] = text;
    } else found[name] = await Deno.readTextFile(new URL(name, folder));
  }
  return found;
}

const FILES = await texts(GITHUB);
const WORKFLOWS: Record<string, Workflow> = Object.fromEntries(
  Object.entries(FILES).filter(([path]) => path.startsWith("workflows/")).map(([path, text]) => [path, parse(text)]),
);
const JOBS = Object.entries(WORKFLOWS).flatMap(([path, { jobs }]) =>
  Object.entries(jobs).map(([name, job]) => ({ name: `${path}: ${name}`, ...job }))
);
const STEPS = JOBS.flatMap(({ name, steps = [] }) => steps.map((step) => ({ job: name, ...step })));

test("each workflow may read, and a job that needs more says so and ends in time", () => {
  assertEquals(Object.keys(WORKFLOWS).sort(), ["workflows/ci.yml", "workflows/nightly.yml", "workflows/release.yml"]);
  for (const [path, { permissions }] of Object.entries(WORKFLOWS)) {
    assertEquals(permissions, { contents: "read" }, path);
  }
  for (const job of JOBS) assert(job.uses !== undefined || job["timeout-minutes"]! > 0, job.name);
  const writers = JOBS.filter(({ permissions = {} }) => Object.values(permissions).includes("write"));
  assertEquals(writers.map(({ name }) => name), ["workflows/release.yml: image", "workflows/release.yml: files"]);
});

test("workflows run tasks and files that there are, with the versions of Deno that CI tests", async () => {
  const ci = await Deno.readTextFile(new URL(".ci/run", ROOT));
  const tasks: string[] = JOBS.flatMap(({ strategy }) => strategy?.matrix.task ?? []).map((task) =>
    task.split(" ")[0]!
  );
  for (const { run = "", uses = "" } of STEPS) {
    tasks.push(...[...run.matchAll(/deno@\S+ task ([\w:]+)/g)].map(([, task = ""]) => task));
    for (const [, version] of run.matchAll(/deno@(\S+)/g)) assert(ci.includes(`deno@${version} "$@"`), run);
    for (const [path] of `${run} ${uses}`.matchAll(/(?<=^|\s|\.\/)(\.ci|\.github|deploy)\/[\w./-]+/gm)) {
      await Deno.stat(new URL(path, ROOT));
    }
  }
  assert(tasks.length > 5);
  assertEquals(tasks.filter((task) => !(task in configuration.tasks)), []);
  assert(STEPS.some(({ run }) => run === ".ci/run"));
});

test("workflows use actions by their commit, and put no text of others into a script", () => {
  for (const { uses, run = "", job } of STEPS) {
    if (uses) assertMatch(uses, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/, job);
    assert(!run.includes("${{"), `${job}: ${run}`);
  }
  for (const { uses } of JOBS) if (uses) assertMatch(uses, /^\.\/\.github\/workflows\//);
});

test("a release follows a tag once CI has passed, and finds its addresses in one place", async () => {
  const { on, env, jobs } = must(WORKFLOWS["workflows/release.yml"]);
  assertEquals(on, { push: { tags: ["v*"] } });
  assertEquals([jobs.image?.needs, jobs.files?.needs], ["ci", "image"]);
  assertEquals(Object.keys(env!), ["REPOSITORY_URL", "IMAGE_REPOSITORY"]);
  const { stdout } = await new Deno.Command("git", {
    args: ["grep", "-nE", "github\\.com/[A-Za-z-]+/cronjob-controller|ghcr\\.io/[a-z]+/cronjob"],
    cwd: ROOT,
  }).output();
  assertEquals(new TextDecoder().decode(stdout), "", "an address of the project");
});

test("forms ask under names of their own, and need an answer to what they cannot do without", () => {
  const forms = Object.entries(FILES).filter(([path]) => /^ISSUE_TEMPLATE\/(?!config)/.test(path));
  assertEquals(forms.length, 2);
  for (const [path, text] of forms) {
    const { name, description, body } = parse(text) as {
      name: string;
      description: string;
      body: { type: string; id?: string; attributes: { label?: string }; validations?: { required: boolean } }[];
    };
    assert(name && description, path);
    const questions = body.filter(({ type }) => type !== "markdown");
    assertEquals(new Set(questions.map(({ id }) => id)).size, questions.length, path);
    for (const { type, attributes } of questions) {
      assert(["input", "textarea"].includes(type) && attributes.label, path);
    }
    assert(questions.some(({ validations }) => validations?.required), path);
  }
});

test("nothing names a person or a mailbox", async () => {
  for (const [path, text] of Object.entries(FILES)) {
    assert(!/[\w.]+@[\w-]+\.[a-z]{2,}/.test(text), path);
  }
  for (const folder of ["", ".github/", "docs/"]) {
    const there = await Deno.stat(new URL(`${folder}CODEOWNERS`, ROOT)).then(() => true, () => false);
    assertEquals(there, false, `${folder}CODEOWNERS`);
  }
});

test("what dependabot keeps up to date is there", async () => {
  const { updates } = parse(must(FILES["dependabot.yml"])) as {
    updates: { "package-ecosystem": string; directory: string }[];
  };
  for (const { directory } of updates) assert((await Deno.stat(new URL(`.${directory}`, ROOT))).isDirectory, directory);
});

/** A stand-in for npm: it notes what is published, and has one package already. */
const NPM = `#!/bin/sh
case $1 in
view) [ "$2" != @cronjob-controller/a@1.0.0 ] || echo 1.0.0 ;;
publish) echo "$@" >>published ;;
esac
`;

test("npm gets the packages of platforms before the one that asks for them, and a second attempt gives what is missing", async () => {
  await using folder = await temporaryFolder({ "bin/npm": NPM, "bin/none": "" });
  await Deno.chmod(`${folder.path}/bin/npm`, 0o755);
  const release = `${folder.path}/dist/release`;
  for (
    const [file, name] of [["_npm", "cronjob-controller"], ["_npm_b", "@cronjob-controller/b"], [
      "_npm_a",
      "@cronjob-controller/a",
    ]]
  ) {
    await Deno.mkdir(`${folder.path}/package`, { recursive: true });
    await Deno.writeTextFile(`${folder.path}/package/package.json`, JSON.stringify({ name, version: "1.0.0" }));
    await Deno.mkdir(release, { recursive: true });
    const args = ["-czf", `${release}/c_1.0.0${file}.tgz`, "-C", folder.path, "package"];
    assertEquals((await runToEnd(["tar", ...args])).code, 0);
  }
  const { run = "" } = must(STEPS.find(({ name }) => name === "Publish to npm"));
  const env = { PATH: `${folder.path}/bin:${Deno.env.get("PATH")}`, GITHUB_REF_NAME: "v1.0.0-rc.1" };
  const { code, stderr } = await runToEnd(["bash", "-e", "-c", run], { cwd: folder.path, env });
  assertEquals([code, stderr], [0, ""]);
  const published = (await Deno.readTextFile(`${folder.path}/published`)).trim().split("\n");
  assertEquals(published.map((line) => line.split(" ")[1]), [
    "dist/release/c_1.0.0_npm_b.tgz",
    "dist/release/c_1.0.0_npm.tgz",
  ]);
  assert(published.every((line) => line.endsWith("--tag next")));
});
