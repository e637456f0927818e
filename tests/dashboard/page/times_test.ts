import { assertEquals } from "@std/assert";
import { shownZone } from "../../../src/dashboard/page/model/times.ts";
import { test } from "../../support/test.ts";

test("times of a zone that the browser does not know are shown in UTC", () => {
  assertEquals(["Europe/Berlin", "Mars/Olympus", "UTC"].map(shownZone), ["Europe/Berlin", "UTC", "UTC"]);
});
