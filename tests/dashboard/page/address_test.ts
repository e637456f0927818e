import { assertEquals } from "@std/assert";
import { addressOf, fragmentOf } from "../../../src/dashboard/page/model/address.ts";
import { test } from "../../support/test.ts";

test("a view and what it shows stand in the address", () => {
  assertEquals(addressOf("#/all?q=state%3Afailing+ns%3Ateam-a&sort=-next"), {
    view: "all",
    params: { q: "state:failing ns:team-a", sort: "-next" },
  });
  assertEquals(addressOf(""), { view: "attention", params: {} });
  assertEquals(addressOf("#/nowhere"), { view: "attention", params: {} });
});

test("an address is written as it is read", () => {
  for (const fragment of ["#/all", "#/timeline?hours=1", "#/cronjob/batch/v1/team-a/ship?job=ship-1"]) {
    assertEquals(fragmentOf(addressOf(fragment)), fragment);
  }
});

test("an address may be escaped, as some programs that hand it on do", () => {
  const target = { apiVersion: "batch/v1", namespace: "team-a", name: "ship" };
  assertEquals(addressOf("#/cronjob/batch%2Fv1/team-a/ship"), { view: "cronjob", target, params: {} });
});

test("an address that is broken shows a view all the same", () => {
  assertEquals(addressOf("#/cronjob/%E0%A4%A/a/b"), {
    view: "cronjob",
    target: { apiVersion: "%E0%A4%A", namespace: "a", name: "b" },
    params: {},
  });
});
