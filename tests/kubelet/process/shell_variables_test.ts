import { assertEquals } from "@std/assert";
import { readShellVariables, shellVariables } from "../../../src/kubelet/process/shell_variables.ts";
import { test } from "../../support/test.ts";

test("Variables are read back from what a shell was started with, under any name", () => {
  const variables = { PATH: "/bin", "my.name": "a=b", empty: "", "a-b": "two\nlines", "0": "zero" };
  const { words, env } = shellVariables(variables);
  const environment = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  assertEquals(readShellVariables([...environment, ""], [...words, "/bin/sh", "-c"]), variables);
});
