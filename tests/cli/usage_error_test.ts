import { assertEquals } from "@std/assert";
import { Command, type CommanderError } from "commander";
import { option, repeatable, wholeNumber } from "../../src/cli/flags/options.ts";
import { usageErrorText } from "../../src/cli/usage_error.ts";
import { test } from "../support/test.ts";
import { testAlone } from "../support/test_alone.ts";

const ROWS: readonly (readonly [what: string, args: readonly string[], says: string])[] = [
  ["a value out of bounds", ["-n", "0"], "--count must be a whole number from 1 to 9, current value is 0"],
  ["a value that breaks a line", ["-n", "1\n'2"], "--count must be a whole number from 1 to 9, current value is 1 '2"],
  ["a value beside what there is to choose", ["--by", "x"], "--by must be one of a, b, current value is x"],
  ["no value", ["--label"], "--label needs a value: --label <k=v>"],
  ["an unknown option", ["--lable", "x"], "unknown option '--lable' (Did you mean --label?) (see --help)"],
  ["a word too many", ["a", "b"], "too many arguments. Expected 1 argument but got 2: a, b. (see --help)"],
];

/** What a command line of these words is refused with. */
function refusalOf(args: readonly string[]): string {
  const command = new Command("it").exitOverride().configureOutput({ outputError: () => {} }).argument("[name]")
    .addOption(option("-n, --count <n>", "how many").argParser(wholeNumber(1, 9)))
    .addOption(option("--by <what>", "by which").choices(["a", "b"]))
    .addOption(repeatable("--label <k=v>", "with which"))
    .action(() => {});
  try {
    command.parse([...args], { from: "user" });
  } catch (error) {
    return usageErrorText(error as CommanderError, []);
  }
  return "nothing";
}

for (const [what, args, says] of ROWS) {
  test(`${what} is refused in one line`, () => assertEquals(refusalOf(args), says));
}

testAlone(import.meta.url, "a bad value of a variable is refused by the name of the variable", () => {
  Deno.env.set("CJC_COUNT", "many");
  try {
    assertEquals(refusalOf([]), "CJC_COUNT must be a whole number from 1 to 9, current value is many");
  } finally {
    Deno.env.delete("CJC_COUNT");
  }
});
