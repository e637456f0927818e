import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { isRunning } from "../kubelet/support/test_kubelet.ts";
import { processesOf } from "../support/processes.ts";
import { eventually, kubectlOk, PROGRAM, temporaryFolder } from "../support/program.ts";
import { shellTemplate } from "../support/cron_job.ts";
import { jobOf } from "../support/job.ts";
import { EVERY_SECOND } from "../support/every_second.ts";
import { runToEnd } from "../support/run_to_end.ts";
import { test } from "../support/test.ts";
import { StandInSystemd } from "./support/stand_in_systemd.ts";

/** A Job whose container says when it starts and ends, and ends when a file is there. */
function lasting(name: string, folder: string) {
  const script = `env > ${folder}/${name}.env; echo "started $$$$" >> ${folder}/${name}; ` +
    `while [ ! -e ${folder}/go ]; do sleep 0.1; done; echo ended >> ${folder}/${name}`;
  return jobOf({ name, ...shellTemplate(script) });
}

test("a service goes on over stops, restarts, upgrades, kills and sleep, and leaves nothing when it goes", async () => {
  await using folder = await temporaryFolder();
  const home = `${folder.path}/home`;
  await Deno.mkdir(home);
  const unitFile = `${home}/.config/systemd/user/cronjob-controller.service`;
  const dataDir = `${home}/.local/state/cronjob-controller`;
  const kubeconfig = `${dataDir}/kubeconfig`;
  const often = `${folder.path}/often.yaml`;
  await Deno.writeTextFile(often, JSON.stringify(oftenIn(folder.path)));
  await using systemd = new StandInSystemd(folder.path, unitFile);
  // Elsewhere than in this home, where Deno would look for it.
  const { stdout: info } = await runToEnd([Deno.execPath(), "info", "--json"]);
  const DENO_DIR: string = JSON.parse(info).denoDir;
  const service = async (...args: string[]) => {
    const env = {
      HOME: home,
      DENO_DIR,
      PATH: `${systemd.bin}:${Deno.env.get("PATH")}`,
      TZ: "Asia/Tokyo",
      XDG_CONFIG_HOME: "",
      XDG_STATE_HOME: "",
    };
    return await runToEnd([...PROGRAM, "service", ...args], { env });
  };
  const hook = `printf '%s %s\\n' "$EVENT" "$CRONJOB_NAME" >> ${folder.path}/reported`;
  const flags = ["--", "--port", "0", "--dashboard-address", "0", "--apply", often, "--on-failure", hook];

  const installed = await service("install", ...flags);
  assertEquals(installed.code, 0, installed.stderr + installed.stdout);
  assertStringIncludes(installed.stdout, "loginctl enable-linger");
  assertEquals(systemd.calls.slice(0, 4), [
    "systemctl --user show-environment",
    "systemctl --user daemon-reload",
    "systemctl --user enable cronjob-controller.service",
    "systemctl --user restart cronjob-controller.service",
  ]);
  await systemd.hears("WATCHDOG=1", 1);
  assertMatch((await service("status")).stdout, /State: +active\n/);

  await kubectlOk(kubeconfig, ["apply", "-f", "-"], JSON.stringify(lasting("report", folder.path)));
  const pid = Number(
    await eventually("the container", async () => {
      const text = await Deno.readTextFile(`${folder.path}/report`).catch(() => "");
      return /^started (\d+)$/m.exec(text)?.[1];
    }),
  );
  const env = await Deno.readTextFile(`${folder.path}/report.env`);
  for (const line of [`HOME=${home}`, "TZ=Asia/Tokyo", `PATH=${systemd.bin}:`]) assertStringIncludes(env, line);
  assertMatch(env, /^USER=.+$/m);
  assert(!/NOTIFY_SOCKET|WATCHDOG/.test(env), "the watchdog is none of a container's business");

  // A restart, an upgrade (install does the same for another executable), and a kill.
  await systemd.restart();
  assertEquals(systemd.count("STOPPING=1"), 1);
  assertEquals((await service("install", ...flags)).code, 0);
  assertEquals(systemd.count("STOPPING=1"), 2);
  const ready = systemd.count("READY=1");
  systemd.main.child.kill("SIGKILL");
  await systemd.hears("READY=1", ready + 1);
  assertEquals(isRunning(pid), true, "the container has lived through all of it");

  assertMatch(
    systemd.main.output,
    /^cronjob-controller \S+: a Kubernetes API on /,
    "the banner comes before the first run",
  );

  // Sleep: what became due meanwhile is not lost.
  systemd.main.child.kill("SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const before = await runs(folder.path);
  systemd.main.child.kill("SIGCONT");
  await eventually("runs after the sleep", async () => await runs(folder.path) > before + 1);

  // A run fails, and the user's command hears of it.
  await Deno.writeTextFile(`${folder.path}/broken`, "");
  const reported = () => Deno.readTextFile(`${folder.path}/reported`).catch(() => "");
  await eventually(
    "the failure is reported",
    async () => await reported() === `failed ${EVERY_SECOND.metadata.name}\n`,
  );
  await Deno.remove(`${folder.path}/broken`);

  await Deno.writeTextFile(`${folder.path}/go`, "");
  await kubectlOk(kubeconfig, ["wait", "job/report", "--for=condition=complete", "--timeout=120s"]);
  assertEquals(await Deno.readTextFile(`${folder.path}/report`), `started ${pid}\nended\n`, "neither lost nor doubled");
  assertStringIncludes((await service("logs")).stdout, "Ready: kubectl works");

  await Deno.remove(`${folder.path}/go`);
  await kubectlOk(kubeconfig, ["apply", "-f", "-"], JSON.stringify(lasting("last", folder.path)));
  await eventually("the last container", () => Deno.stat(`${folder.path}/last`).then(() => true, () => false));
  const uninstalled = await service("uninstall", "--delete-data");
  assertEquals(uninstalled.code, 0, uninstalled.stderr);
  assertMatch(uninstalled.stdout, /Ended container main of pod default\/last-\w+\n/);
  assertEquals(await Deno.readTextFile(`${folder.path}/last`).then((text) => text.includes("ended")), false);
  for (const path of [unitFile, dataDir]) {
    assertEquals(await Deno.stat(path).then(() => true, () => false), false, `${path} is still there`);
  }
  assertEquals(await processesOf(dataDir), []);
  assertEquals((await service("status")).code, 1);
});

function oftenIn(folder: string) {
  const jobTemplate = shellTemplate(`echo run >> ${folder}/runs; test ! -e ${folder}/broken`);
  return { ...EVERY_SECOND, spec: { ...EVERY_SECOND.spec, jobTemplate } };
}

async function runs(folder: string): Promise<number> {
  return (await Deno.readTextFile(`${folder}/runs`).catch(() => "")).split("\n").length - 1;
}
