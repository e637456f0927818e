import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../../../src/kube/resource.ts";
import { commandOf, wordsOf } from "../../../src/kubelet/process/container_command.ts";
import { StartError } from "../../../src/kubelet/runtime.ts";
import { baseEnvironment, containerEnvironment, expand } from "../../../src/kubelet/inputs/env.ts";
import { ContainerConfigError } from "../../../src/kubelet/inputs/config_error.ts";
import { contentsOf, type References } from "../../../src/kubelet/inputs/references.ts";
import { must } from "../../support/expected.ts";
import { test } from "../../support/test.ts";
import { present } from "../../support/present.ts";

const POD = {
  metadata: {
    name: "report-1",
    namespace: "team",
    uid: "u-1",
    labels: { app: "report", "example.com/tier": "back" },
    annotations: { note: 'say "hi"' },
  },
  spec: { nodeName: "here", containers: [] },
} as unknown as Pod;

const HELD: Record<string, { data?: Record<string, string> }> = {
  "ConfigMap settings": { data: { COLOUR: "red", "log.level": "debug" } },
  "ConfigMap empty": {},
  "Secret login": { data: { password: btoa("p:w") } },
};

const REFERENCES: References = (kind, name) => {
  const held = HELD[`${kind} ${name}`];
  return Promise.resolve(held && contentsOf(kind, held));
};

function environment(container: Partial<Container>) {
  return containerEnvironment(POD, { name: "main", ...container }, { references: REFERENCES });
}

test("expand() replaces what is known, and keeps the rest as it is", () => {
  const variables = { A: "1", B: "$(A)" };
  const cases: [string, string][] = [
    ["$(A)", "1"],
    ["x$(A)y$(A)", "x1y1"],
    ["$(B)", "$(A)"],
    ["$(UNKNOWN)", "$(UNKNOWN)"],
    ["$$(A)", "$(A)"],
    ["$$$(A)", "$1"],
    ["$A ${A}", "$A ${A}"],
    ["$", "$"],
    ["$(A", "$(A"],
    ["$(toString)", "$(toString)"],
  ];
  for (const [text, wanted] of cases) assertEquals(expand(text, variables), wanted, text);
});

test("containerEnvironment() lets a value refer to those before it", async () => {
  const variables = await environment({
    env: [
      { name: "FIRST", value: "1" },
      { name: "SECOND", value: "$(FIRST)-$(THIRD)" },
      { name: "THIRD", value: "3" },
      { name: "FIRST", value: "again $(FIRST)" },
      { name: "NONE" },
    ],
  });
  assertEquals(variables, { FIRST: "again 1", SECOND: "1-$(THIRD)", THIRD: "3", NONE: "" });
});

test("containerEnvironment() resolves fields, ConfigMaps and Secrets", async () => {
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  const variables = await environment({
    env: [
      field("NAME", "metadata.name"),
      field("NAMESPACE", "metadata.namespace"),
      field("UID", "metadata.uid"),
      field("TIER", "metadata.labels['example.com/tier']"),
      field("NOTE", "metadata.annotations['note']"),
      field("ABSENT", "metadata.labels['absent']"),
      field("NODE", "spec.nodeName"),
      field("IP", "status.podIP"),
      { name: "COLOUR", valueFrom: { configMapKeyRef: { name: "settings", key: "COLOUR" } } },
      { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "login", key: "password" } } },
      { name: "URL", value: "http://$(PASSWORD)@$(IP)" },
    ],
  });
  assertEquals(variables, {
    NAME: "report-1",
    NAMESPACE: "team",
    UID: "u-1",
    TIER: "back",
    NOTE: 'say "hi"',
    ABSENT: "",
    NODE: "here",
    IP: "127.0.0.1",
    COLOUR: "red",
    PASSWORD: "p:w",
    URL: "http://p:w@127.0.0.1",
  });
});

test("containerEnvironment() takes whole ConfigMaps and Secrets, also under names that are none to a shell", async () => {
  const variables = await environment({
    envFrom: [
      { configMapRef: { name: "settings" } },
      { prefix: "MY_", secretRef: { name: "login" } },
      { configMapRef: { name: "absent", optional: true } },
    ],
    env: [{ name: "COLOUR", value: "not $(COLOUR)" }, { name: "my.name", value: "" }],
  });
  assertEquals(variables, { COLOUR: "not red", MY_password: "p:w", "log.level": "debug", "my.name": "" });
});

test("containerEnvironment() leaves out what is optional and missing, and refuses what is missing", async () => {
  const configMapKeyRef = (name: string, key: string, optional?: boolean) => ({
    env: [{ name: "X", valueFrom: { configMapKeyRef: present({ name, key, optional }) } }],
  });
  assertEquals(await environment(configMapKeyRef("absent", "k", true)), {});
  assertEquals(await environment(configMapKeyRef("settings", "k", true)), {});
  assertEquals(await environment({ envFrom: [{ configMapRef: { name: "empty" } }] }), {});
  const refused: [Partial<Container>, string][] = [
    [configMapKeyRef("absent", "k"), 'configmap "absent" not found'],
    [configMapKeyRef("settings", "k"), "couldn't find key k in ConfigMap team/settings"],
    [configMapKeyRef("empty", "k"), "couldn't find key k in ConfigMap team/empty"],
    [{ envFrom: [{ secretRef: { name: "absent" } }] }, 'secret "absent" not found'],
  ];
  for (const [container, message] of refused) {
    const error = await assertRejects(() => environment(container), ContainerConfigError);
    assertEquals(error.message, message);
  }
});

test("containerEnvironment() gives out no field that Kubernetes does not offer", async () => {
  const field = (fieldPath: string) => environment({ env: [{ name: "X", valueFrom: { fieldRef: { fieldPath } } }] });
  assertEquals(await field("metadata.labels['constructor']"), { X: "" });
  for (const path of ["constructor", "spec.containers", "metadata.labels"]) {
    await assertRejects(() => field(path), ContainerConfigError, `unsupported fieldPath: ${path}`);
  }
});

function command(container: Partial<Container>, environment: Record<string, string> = { PATH: "/usr/bin:/bin" }) {
  const words = wordsOf({ name: "main", ...container }, environment);
  return commandOf(words, { environment, workingDirectory: container.workingDir || "/tmp" });
}

test("commandOf() finds the program in the container's own PATH", () => {
  const { argv, workingDirectory } = command({ command: ["sh", "-c"], args: ["echo $(PATH)"] });
  assertEquals(argv, [must(argv[0]), "-c", "echo /usr/bin:/bin"]);
  assertEquals([must(argv[0]).endsWith("/sh"), workingDirectory], [true, "/tmp"]);
  assertEquals(command({ args: ["/bin/sh", "-c", "x"] }).argv, ["/bin/sh", "-c", "x"], "args alone");
  assertEquals(command({ command: ["bin/sh"], workingDir: "/" }).argv, ["//bin/sh"], "relative to workingDir");
});

test("commandOf() says what keeps a program from being started", () => {
  const cases: [Partial<Container>, string][] = [
    [{ command: ["no-such-program"] }, 'exec: "no-such-program": executable file not found in $PATH'],
    [{ command: ["/no/such"] }, 'exec: "/no/such": no such file or directory'],
    [{ command: ["/etc/passwd"] }, 'exec: "/etc/passwd": permission denied'],
    [{ command: ["/etc"] }, 'exec: "/etc": is not a file'],
    [{ command: [""] }, 'exec: "": executable file not found in $PATH'],
    [{ command: ["sh"], workingDir: "/no/such" }, 'workingDir "/no/such": no such directory'],
    [{ command: ["sh", "a\0b"] }, "args: no process can be given a null character"],
  ];
  for (const [container, message] of cases) {
    assertEquals(assertThrows(() => command(container), StartError).message, message);
  }
  const binary = () => command({ command: ["sh"] }, { PATH: "/bin", KEY: "a\0b" });
  assertEquals(assertThrows(binary, StartError).message, "KEY: no process can be given a null character");
});

test("a process gets of the program's variables those that scripts go by, as far as they are set", () => {
  const own = new Map(
    Object.entries({ PATH: "/bin", HOME: "/home/a", USER: "a", TZ: "Asia/Tokyo", LANG: "", SECRET: "x" }),
  );
  assertEquals(baseEnvironment(own), { PATH: "/bin", HOME: "/home/a", USER: "a", TZ: "Asia/Tokyo" });
  assertEquals(baseEnvironment(new Map()), { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/" });
});
