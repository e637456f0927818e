import { assertEquals } from "@std/assert";
import { SYSTEMD } from "../../src/cli/service/systemd.ts";
import { temporaryFolder } from "../support/program.ts";
import { runToEnd } from "../support/run_to_end.ts";
import { test } from "../support/test.ts";

// Needs Debian's package systemd, which `.ci/tools` installs; systemd itself need not run.
for (const scope of ["user", "system"] as const) {
  test(`systemd finds no fault with the unit (${scope})`, async () => {
    await using folder = await temporaryFolder();
    const file = `${folder.path}/cronjob-controller.service`;
    const text = SYSTEMD.render({
      scope,
      command: [Deno.execPath(), "standalone", "--apply", `a b$HOME %h "q" 'q' back\\slash`],
      environment: { PATH: "/bin:/usr/bin", ODD: `$HOME %h "q"` },
      workingDirectory: folder.path,
      left: { dataDir: SYSTEMD.systemDataDir, engineArgs: ["--a", `"q" \\`], allowed: ["process"] },
      account: { name: "root", uid: 0, gid: 0, home: "/root", shell: "/bin/sh" },
    });
    const verify = async (unit: string) => {
      await Deno.writeTextFile(file, unit);
      const command = ["systemd-analyze", `--${scope}`, "verify", "--man=no", file];
      const { code, stdout, stderr } = await runToEnd(command, { env: { XDG_RUNTIME_DIR: folder.path } });
      return { code, said: stdout + stderr };
    };
    assertEquals(await verify(text), { code: 0, said: "" });
    const { said } = await verify(text.replace("KillMode=process", "KillMode=nothing"));
    assertEquals(said.includes(": nothing"), true, "the test has stopped seeing faults");
  });
}
