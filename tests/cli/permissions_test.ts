import { assertEquals, assertStringIncludes } from "@std/assert";
import { SERVICE_ACCOUNT } from "../../src/kube/connection.ts";
import { compileArguments, permissions, SERVICE_ACCOUNT as GRANTED } from "../../deploy/binary/compile.ts";
import type { CredentialNeeds } from "../../src/kube/connection_config.ts";
import { ServiceAccount } from "../support/pod.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { lines } from "../support/lines.ts";
import { kubeconfig } from "../support/kubeconfig.ts";

interface Report {
  dropped: string[];
  kept: string[];
  /** What it could do afterwards, before and after the token was exchanged. */
  before: Record<string, string>;
  after: Record<string, string>;
}

/** Runs a process with these permissions that gives them up and then tries things. */
async function probe(flags: (folder: string) => string[], needs: Partial<CredentialNeeds>): Promise<Report> {
  await using folder = await temporaryFolder();
  const { path } = folder;
  const account = new ServiceAccount(path);
  await account.write({ token: "first", caCertificate: "" });
  await Deno.writeTextFile(`${path}/kubeconfig`, kubeconfig({ user: { token: "first" } }));
  const granted = flags(path);
  const listed = granted.some((flag) => flag.startsWith("--allow-read=")) ? "listed" : "whole";
  const script = new URL("./support/permissions_probe.ts", import.meta.url).pathname;
  const args = [path, JSON.stringify({ files: path, programs: false, ...needs }), listed];
  await using child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-prompt", ...granted, script, ...args],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const answers = lines(child.stdout);
  const answer = async () => JSON.parse((await answers.next()).value!);
  const writer = child.stdin.getWriter();
  const ask = () => writer.write(new TextEncoder().encode("again\n"));
  const surrender = await answer();
  await ask();
  const before = await answer();
  await account.write({ token: "second", caCertificate: "" });
  await Deno.writeTextFile(`${path}/kubeconfig`, kubeconfig({ user: { token: "second" } }));
  await ask();
  const after = await answer();
  await writer.close();
  await answers.next();
  return { ...surrender, before, after };
}

const FIRST = { token: "first", kubeconfig: "Bearer first" };
const SECOND = { token: "second", kubeconfig: "Bearer second" };
const REFUSED = { write: "refused", run: "refused", environment: "refused", host: "refused" };
const ALLOWED = { listen: "done", node: "done", library: "done" };

/** As `deploy/binary/compile.ts` grants it. */
const LIKE_THE_EXECUTABLE = (folder: string) =>
  permissions("x86_64-unknown-linux-gnu").map((flag) => flag.replace(GRANTED, folder));

test("in a Pod the executable can read the service account, as it is rotated, and nothing else", async () => {
  const { dropped, kept, before, after } = await probe(LIKE_THE_EXECUTABLE, {});
  assertEquals(dropped, ["import", "ffi", "write", "sys", "run", "env", "read"]);
  assertEquals(kept.map((what) => what.split(/:| of /)[0]), ["net", "read"]);
  const rest = { ...REFUSED, ...ALLOWED, passwd: "refused" };
  assertEquals(before, { ...FIRST, ...rest });
  assertEquals(after, { ...SECOND, ...rest });
});

test("under `deno run -A`, which cannot be narrowed, reading stays and all the rest is dropped", async () => {
  const { dropped, after } = await probe(() => ["--allow-all"], {});
  assertEquals(dropped, ["import", "ffi", "write", "sys", "run", "env"]);
  assertEquals(after, { ...SECOND, ...REFUSED, ...ALLOWED, passwd: "done" });
});

test("with a kubeconfig reading stays; programs and their environment only where one issues the credentials", async () => {
  const plain = await probe(LIKE_THE_EXECUTABLE, { files: "any" });
  assertEquals(plain.after, { ...SECOND, ...REFUSED, ...ALLOWED, passwd: "done" });
  const plugin = await probe(LIKE_THE_EXECUTABLE, { files: "any", programs: true });
  assertEquals(plugin.dropped, ["import", "ffi", "write", "sys"]);
  assertEquals(plugin.after, { ...plain.after, run: "done", environment: "done" });
});

test("the executable is compiled with the service account in its list, and never asks", () => {
  assertEquals(GRANTED, SERVICE_ACCOUNT);
  const args = compileArguments({ target: "aarch64-apple-darwin", output: "o", bundle: "b" });
  assertStringIncludes(args.join(" "), "--target aarch64-apple-darwin");
  for (const flag of ["--no-prompt", "--no-code-cache", "--no-config", `--allow-read=/,${SERVICE_ACCOUNT}`]) {
    assertEquals(args.filter((arg) => arg === flag).length, 1, flag);
  }
  assertEquals(args.filter((arg) => /allow-(all|ffi)/.test(arg)), []);
});
