import type { Page } from "playwright-core";

const SOURCE = await Deno.readTextFile(new URL(import.meta.resolve("axe-core/axe.min.js")));

/** What axe finds wrong with what the page shows now, each in a line. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Through the debugger, as the policy of the page lets no foreign script in.
  await page.evaluate(SOURCE);
  return await page.evaluate(async () => {
    // deno-lint-ignore no-explicit-any
    const { violations } = await (globalThis as any).axe.run(document, { resultTypes: ["violations"] });
    // deno-lint-ignore no-explicit-any
    return violations.flatMap(({ id, nodes }: any) =>
      // deno-lint-ignore no-explicit-any
      nodes.map(({ target, failureSummary }: any) => `${id} ${target}: ${failureSummary}`)
    );
  });
}
