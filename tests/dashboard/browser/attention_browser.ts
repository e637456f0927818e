import { assertEquals } from "@std/assert";
import { openPage, startBrowser } from "../../support/browser.ts";
import { dashboardLink, Standalone } from "../../support/program.ts";
import { test } from "../../support/test.ts";

const FAILS = `
apiVersion: cronjob-controller.dev/v1
kind: CronJob
metadata: { name: fails }
spec:
  schedule: "@every 5s"
  jobTemplate:
    spec:
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          containers: [{ name: main, image: none, command: [sh, -c, "echo no such table >&2; exit 3"] }]
`;

test("a run that fails is on the page within a second, with its exit code", async () => {
  const dataDir = await Deno.makeTempDir();
  await Deno.writeTextFile(`${dataDir}/fails.yaml`, FAILS);
  {
    await using standalone = await Standalone.start(dataDir, [
      "--dashboard-address=127.0.0.1:0",
      "--apply",
      `${dataDir}/fails.yaml`,
    ]);
    await using browser = await startBrowser();
    await using opened = await openPage(browser, await dashboardLink(standalone));
    const { page, faults } = opened;
    await page.getByText("Failing").first().waitFor();
    await page.getByText("exit 3").first().waitFor();
    // The code stays nowhere.
    assertEquals(new URL(page.url()).hash, "");
    assertEquals(faults, []);
  }
  await Deno.remove(dataDir, { recursive: true });
}, { sanitize: false });
