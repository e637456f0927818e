import { assert, assertEquals } from "@std/assert";
import { complete, type Completion, type NameKind } from "../../src/cli/completion/complete.ts";
import { findNames } from "../../src/cli/completion/names.ts";
import { SCRIPTS } from "../../src/cli/completion/scripts.ts";
import { createProgram } from "../../src/cli/main.ts";
import { calledAs } from "../../src/cli/program_name.ts";
import { test } from "../support/test.ts";
import { programOnPath } from "./support/program_on_path.ts";
import { BATCH, SeededCluster } from "./support/seeded_cluster.ts";

function completionOf(...words: string[]): Completion {
  return complete(createProgram("linux"), words);
}

function wordsOf(completion: Completion): string[] {
  return completion.kind === "words" ? completion.candidates.map(({ word }) => word) : [];
}

test("the first word is a command, whatever of it stands there", () => {
  const all = wordsOf(completionOf(""));
  assert(["status", "explain", "standalone", "import", "completion"].every((name) => all.includes(name)), all.join());
  assertEquals(wordsOf(completionOf("sta")), all);
  assertEquals(all.includes("__complete"), false);
});

test("a command that has commands is followed by them", () => {
  assertEquals(wordsOf(completionOf("import", "")), ["crontab"]);
});

test("a dash is the start of an option of the command", () => {
  const options = wordsOf(completionOf("status", "--"));
  assert(options.includes("--all-namespaces") && options.includes("--help"), options.join());
  assertEquals(options.includes("--reason"), false);
});

const WORDS: readonly (readonly [line: string, ...words: string[]])[] = [
  ["status -o ", "table", "wide", "json", "yaml", "name"],
  ["logs report --run ", "last", "failed"],
  ["completion ", "bash", "zsh", "fish"],
  ["completion bash "],
  ["import crontab -o ", "yaml", "json"],
  ["next "],
  ["status --selector "],
  ["nonsense "],
];

for (const [line, ...words] of WORDS) {
  test(`"${line}" is followed by ${words.join(" ") || "nothing that is known"}`, () => {
    const completion = completionOf(...line.split(" "));
    assertEquals([completion.kind, wordsOf(completion)], ["words", words]);
  });
}

const HERE = { kubeconfig: undefined, context: undefined, namespace: undefined };

const NAMES: readonly (readonly [line: string, completion: Completion])[] = [
  ["explain ", { kind: "names", of: "CronJobs", whereabouts: HERE }],
  ["status a b ", { kind: "names", of: "CronJobs", whereabouts: HERE }],
  ["logs -f -n team --context=blue ", {
    kind: "names",
    of: "CronJobs",
    whereabouts: { ...HERE, namespace: "team", context: "blue" },
  }],
  // As bash splits it.
  ["status --namespace = prod ", { kind: "names", of: "CronJobs", whereabouts: { ...HERE, namespace: "prod" } }],
  ["status --namespace = ", { kind: "names", of: "namespaces", whereabouts: HERE }],
  ["standalone --ephemeral = false --apply ", { kind: "files" }],
  ["import crontab = ", { kind: "files" }],
  ["status -n ", { kind: "names", of: "namespaces", whereabouts: HERE }],
  ["status --kubeconfig k --namespace ", {
    kind: "names",
    of: "namespaces",
    whereabouts: { ...HERE, kubeconfig: "k" },
  }],
  ["controller --context ", { kind: "names", of: "contexts", whereabouts: HERE }],
  ["status --kubeconfig ", { kind: "files" }],
  ["lint ", { kind: "files" }],
  ["import crontab ", { kind: "files" }],
  ["standalone --apply ", { kind: "files" }],
  ["standalone --data-dir ", { kind: "folders" }],
];

for (const [line, expected] of NAMES) {
  test(`"${line}" is followed by ${expected.kind === "names" ? expected.of : expected.kind}`, () => {
    assertEquals(completionOf(...line.split(" ")), expected);
  });
}

/** A busy machine answers late: how long a user waits is not what this is about. */
const PATIENT_MS = 60_000;

test("names come from the cluster: CronJobs of all APIs, namespaces, and contexts from the kubeconfig", async () => {
  await using cluster = await SeededCluster.start("10:20", [
    { name: "one" },
    { name: "two", api: BATCH },
    { name: "three", namespace: "infra" },
  ]);
  const { kubeconfig } = cluster;
  const namesOf = (kind: NameKind, namespace?: string) => findNames(kind, { kubeconfig, namespace }, PATIENT_MS);
  assertEquals(await namesOf("CronJobs"), [
    { word: "two", description: "batch/v1" },
    { word: "one", description: "batch.tutorial.kubebuilder.io/v1" },
  ]);
  assertEquals((await namesOf("CronJobs", "infra")).map(({ word }) => word), ["three"]);
  const namespaces = (await namesOf("namespaces")).map(({ word }) => word);
  assert(namespaces.includes("infra") && namespaces.includes("default"), namespaces.join());
  assertEquals((await namesOf("contexts")).length, 1);
});

test("where nothing can be asked there are no names, and no complaint", async () => {
  for (const kind of ["CronJobs", "namespaces", "contexts"] as const) {
    assertEquals(await findNames(kind, { kubeconfig: "/no/where" }), []);
  }
});

test("bash completes commands, values of options, and leaves files to itself", async () => {
  await using program = await programOnPath();
  const complete = (...words: string[]) => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    return `COMP_WORDS=(cronjob-controller ${quoted}) COMP_CWORD=${words.length}
      _cronjob_controller; echo "[\${COMPREPLY[*]}]"`;
  };
  const script = [
    SCRIPTS.bash,
    complete("comp"),
    complete("completion", ""),
    complete("status", "--output", "j"),
    complete("lint", ""),
  ];
  assertEquals(await program.outputOf(["bash", "--norc", "-c", script.join("\n")]), [
    "[completion]",
    "[bash zsh fish]",
    "[json]",
    "[]",
  ]);
});

test("the name of the file says how the program was called", () => {
  assertEquals(calledAs("./dist/cronjob-controller"), "cronjob-controller");
  assertEquals(calledAs("deno"), "cronjob-controller");
  assertEquals(calledAs("/usr/local/bin/kubectl-cron"), "kubectl cron");
  assertEquals(calledAs("kubectl-cronjob_controller"), "kubectl cronjob-controller");
  assertEquals(calledAs("C:\\bin\\kubectl-cron.exe"), "kubectl cron");
  assertEquals(calledAs("kubectl_complete-cron"), undefined);
});
