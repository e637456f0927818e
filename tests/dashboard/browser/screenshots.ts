// Takes pictures of every view, in both themes, at three widths, into docs/images: `deno task screenshots`. Look at them
// after every change of the page.
import { openPage, startBrowser } from "../../support/browser.ts";
import { serveSample } from "./support/sample_server.ts";

const IMAGES = Deno.args[0] ?? new URL("../../../docs/images/", import.meta.url).pathname;

const VIEWS = {
  attention: "#/attention",
  timeline: "#/timeline",
  all: "#/all",
  load: "#/load",
  cronjob: "#/cronjob/cronjob-controller.dev%2Fv1/team-b/sync",
};

const WIDTHS = { wide: [1440, 900], medium: [900, 900], narrow: [360, 780] } as const;

await Deno.mkdir(IMAGES, { recursive: true });
await using server = serveSample();
await using browser = await startBrowser();
for (const colorScheme of ["light", "dark"] as const) {
  for (const [size, [width, height]] of Object.entries(WIDTHS)) {
    for (const [view, fragment] of Object.entries(VIEWS)) {
      await using opened = await openPage(browser, server.url + fragment, {
        colorScheme,
        viewport: { width, height },
        reducedMotion: "reduce",
      });
      const { page, faults } = opened;
      await page.getByText("live", { exact: true }).waitFor();
      await page.waitForTimeout(500);
      await page.screenshot({ path: `${IMAGES}/${view}-${size}-${colorScheme}.png` });
      for (const fault of faults) console.error(`${view} ${size} ${colorScheme}: ${fault}`);
    }
  }
}
