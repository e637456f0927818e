import { assert, assertEquals } from "@std/assert";
import { endsWithin, SystemClock } from "../../src/base/clock.ts";
import { findNames } from "../../src/cli/completion/names.ts";
import { SCRIPTS } from "../../src/cli/completion/scripts.ts";
import { test } from "../support/test.ts";
import { programOnPath } from "./support/program_on_path.ts";
import { kubeconfig } from "../support/kubeconfig.ts";

// These need Debian's zsh and fish.

test("zsh completes commands with their descriptions, values of options, and leaves files to itself", async () => {
  await using program = await programOnPath();
  const complete = (...words: string[]) => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    return `words=(cronjob-controller ${quoted}) CURRENT=${words.length + 1}; _cronjob_controller`;
  };
  const script = [
    // What zsh itself offers only while a user types.
    "compdef() { print defined $2 }; _describe() { print -rl -- ${(P)2} }; _files() { print files $@ }",
    SCRIPTS.zsh,
    complete("comp"),
    complete("completion", ""),
    complete("status", "--output", "j"),
    complete("lint", ""),
    complete("standalone", "--data-dir", ""),
  ];
  assertEquals(await program.outputOf(["zsh", "-f", "-c", script.join("\n")]), [
    "defined cronjob-controller",
    "completion:print what makes a shell complete commands, options and names",
    "bash",
    "zsh",
    "fish",
    "json",
    "files",
    "files -/",
  ]);
});

test("fish completes commands with their descriptions, values of options, and files", async () => {
  await using program = await programOnPath();
  const complete = (line: string) => `complete -C 'cronjob-controller ${line}'`;
  const script = [
    SCRIPTS.fish,
    complete("comp"),
    complete("completion "),
    complete("status --output j"),
    `cd ${program.path}`,
    complete("lint "),
  ];
  assertEquals(await program.outputOf(["fish", "--no-config", "-c", script.join("\n")], { HOME: program.path }), [
    "completion\tprint what makes a shell complete commands, options and names",
    "bash",
    "zsh",
    "fish",
    "json",
    "cronjob-controller",
  ]);
});

test("a server that gives no answer is abandoned", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const path = await Deno.makeTempFile();
  const { port } = listener.addr as Deno.NetAddr;
  await Deno.writeTextFile(path, kubeconfig({ cluster: { server: `http://127.0.0.1:${port}` } }));
  const names = findNames("CronJobs", { kubeconfig: path });
  assert(await endsWithin(new SystemClock(), 10_000, names), "it still waits");
  assertEquals(await names, []);
  await Deno.remove(path);
}, { sanitize: false });
