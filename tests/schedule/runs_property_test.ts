import { test } from "../support/test.ts";
import * as property from "./runs_property.ts";

test("Schedule's runs are those that a look at every minute finds, around clock changes and under every policy", () => {
  property.runsEqualAScan(30);
});

test("Schedule.next() and previous() are inverse at any distance", () => {
  property.nextAndPreviousAreInverse(1000);
});

test("missed() equals counting over gaps of up to eleven years", () => {
  property.missedEqualsCounting(150);
});

test("Schedule.count() adds up over any distance", () => {
  property.countsAddUp(200);
});

test("@every runs on the grid of its anchor and nowhere else", () => {
  property.intervalsFollowTheirGrid(1000);
});
