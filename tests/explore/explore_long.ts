import { assertEquals } from "@std/assert";
import { test } from "../support/test.ts";
import { explore, type SettingName, SETTINGS } from "./support/explore.ts";

/** The ways in which a promise is broken, in any order. */
const EXPECTED: Partial<Record<SettingName, readonly string[]>> = {
  "Allow": ["late request", "lost answer"],
  "Allow, one controller": ["crash", "late request", "lost answer"],
  "Allow, one controller, neverTwice": [],
};

for (const [name, holes] of Object.entries(EXPECTED)) {
  test(`All schedules of one run in which two things go wrong break no promise but through the stated holes: ${name}`, async () => {
    const setting = { ...SETTINGS[name as SettingName], slots: 1 };
    const { broken, ...searched } = await explore(setting, { things: 2, deletions: 1 });
    console.log({ name, ...searched });
    assertEquals(broken.map(({ what, hole }) => hole ?? what).sort(), holes);
  });
}
