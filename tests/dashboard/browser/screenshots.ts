// Takes pictures of every view, in both themes, at three widths, into docs/images: `deno task screenshots`. They show a
// standalone that has run a fleet for some minutes. Look at them after every change of the page.
import { openPage, startBrowser } from "../../support/browser.ts";
import { dashboardLink, PROGRAM, RunningProgram, Standalone, temporaryFolder } from "../../support/program.ts";
import { REAL_FLEET } from "./support/real_fleet.ts";

const IMAGES = Deno.args[0] ?? new URL("../../../docs/images/", import.meta.url).pathname;

/** So long the fleet runs before. */
const RUNS_MS = Number(Deno.args[1] ?? 8) * 60_000;

const VIEWS = {
  attention: "#/attention",
  timeline: "#/timeline?hours=1",
  all: "#/all",
  load: "#/load",
  cronjob: "#/cronjob/cronjob-controller.dev/v1/team-b/sync",
};

const WIDTHS = { wide: [1440, 900], medium: [900, 900], narrow: [360, 780] } as const;

await Deno.mkdir(IMAGES, { recursive: true });
await using folder = await temporaryFolder();
await Deno.writeTextFile(`${folder.path}/fleet.yaml`, REAL_FLEET);
const flags = ["--dashboard-address=127.0.0.1:0", "--apply", `${folder.path}/fleet.yaml`];
await using standalone = await Standalone.start(`${folder.path}/data`, flags);
const pause = ["pause", "vacuum", "-n", "infra", "--until", "3d", "--reason", "db migration"];
const search = ["trigger", "search-index", "-n", "shop"];
for (const command of [pause, search]) {
  await using program = new RunningProgram([...PROGRAM, ...command, "--kubeconfig", standalone.kubeconfig]);
  await program.waitFor(/\n/);
}
await using browser = await startBrowser();
await using first = await openPage(browser, await dashboardLink(standalone));
await first.page.getByText("live", { exact: true }).waitFor();
const { origin } = new URL(first.page.url());
const storageState = await first.page.context().storageState();
await first.page.waitForTimeout(RUNS_MS);
for (const colorScheme of ["light", "dark"] as const) {
  for (const [size, [width, height]] of Object.entries(WIDTHS)) {
    for (const [view, fragment] of Object.entries(VIEWS)) {
      await using opened = await openPage(browser, `${origin}/${fragment}`, {
        colorScheme,
        viewport: { width, height },
        reducedMotion: "reduce",
        storageState,
      });
      const { page, faults } = opened;
      await page.getByText("live", { exact: true }).waitFor();
      await page.locator(".loading").waitFor({ state: "hidden" });
      await page.waitForTimeout(1_000);
      await page.screenshot({ path: `${IMAGES}/${view}-${size}-${colorScheme}.png` });
      for (const fault of faults) console.error(`${view} ${size} ${colorScheme}: ${fault}`);
    }
  }
}
