import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineCommand } from "../../src/kubelet/engine/engine_command.ts";
import { ENGINES } from "../../src/kubelet/engine/engine_kind.ts";
import { ImagePulls } from "../../src/kubelet/engine/image_pulls.ts";
import { openRuntimes } from "../../src/kubelet/open_runtimes.ts";
import { Pulse } from "../../src/kubelet/files/pulse.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { isRunning, until } from "./support/test_kubelet.ts";

/** Stands in for an engine: a pull waits for a file, anything else is done at once. */
const ENGINE = `cd "\${0%/*}"
if [ "$1" = pull ]; then
  echo "$$ $*" >>pulls
  while [ ! -e go ]; do sleep 0.02; done
  for word; do :; done
  echo "id-of-$word"
fi`;

interface Engine {
  readonly folder: string;
  readonly command: EngineCommand;
  readonly pulls: ImagePulls;
  /** The pulls that have begun: a pid, and the words. */
  begun(): string[];
  letGo(): void;
}

async function withEngine(check: (engine: Engine) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder();
  const { path } = folder;
  Deno.writeTextFileSync(`${path}/engine`, ENGINE);
  Deno.writeTextFileSync(`${path}/pulls`, "");
  const command = new EngineCommand("/bin/sh", {
    globalArgs: [`${path}/engine`],
    clock: new SystemClock(),
    workingDirectory: path,
  });
  await check({
    folder: path,
    command,
    pulls: new ImagePulls({ kind: ENGINES.podman, command, credentialsFolder: `${path}/credentials` }),
    begun: () => Deno.readTextFileSync(`${path}/pulls`).split("\n").slice(0, -1),
    letGo: () => Deno.writeTextFileSync(`${path}/go`, ""),
  });
}

const wanted = () => new AbortController().signal;

test("Slow pulls hold up no other command, and only some pull at a time", () =>
  withEngine(async ({ command, pulls, begun, letGo }) => {
    const images = Array.from({ length: 12 }, (_, index) => `image-${index}`);
    const ids = images.map((image) => pulls.pull(image, undefined, wanted()));
    await until(() => begun().length >= 3);
    await Promise.all(images.map(() => command.output(["kill"])));
    assertEquals(begun().length, 3);
    letGo();
    assertEquals(await Promise.all(ids), images.map((image) => `id-of-${image}`));
  }));

test("An image is pulled once for all who want it at a time with the same credentials", () =>
  withEngine(async ({ pulls, begun, letGo }) => {
    const ids = [undefined, undefined, "{}", "{}"].map((credentials) => pulls.pull("image", credentials, wanted()));
    await until(() => begun().length === 2);
    letGo();
    assertEquals(await Promise.all(ids), Array(4).fill("id-of-image"));
    assertEquals(begun().length, 2);
    await pulls.pull("image", undefined, wanted());
    assertEquals(begun().length, 3);
  }));

test("A pull is stopped once it is not waited for any more, also one that waits for its turn", () =>
  withEngine(async ({ command, pulls, begun, letGo }) => {
    const [one, two, waiting] = [new AbortController(), new AbortController(), new AbortController()];
    const [first, second] = [pulls.pull("image", "{}", one.signal), pulls.pull("image", "{}", two.signal)];
    const others = [pulls.pull("a", undefined, wanted()), pulls.pull("b", undefined, wanted())];
    await until(() => begun().length === 3);
    const third = pulls.pull("c", undefined, waiting.signal);
    const pid = Number(begun().find((line) => line.endsWith(" image"))!.split(" ")[0]);
    one.abort();
    await assertRejects(() => first, DOMException);
    assert(isRunning(pid));
    waiting.abort();
    await assertRejects(() => third, DOMException);
    two.abort();
    await assertRejects(() => second, DOMException);
    await until(() => !isRunning(pid));
    letGo();
    await Promise.all(others);
    await command.close();
    assertEquals(begun().length, 3);
  }));

test("Credentials stand in a file of their own during a pull, and none is left by a program that was killed", () =>
  withEngine(async ({ folder, command, pulls, begun, letGo }) => {
    const id = pulls.pull("image", '{"auths":{}}', wanted());
    await until(() => begun().length === 1);
    const file = /--authfile (\S+)/.exec(begun()[0]!)![1]!;
    assertStringIncludes(file, `${folder}/credentials/`);
    assertEquals([Deno.readTextFileSync(file), Deno.statSync(file).mode! & 0o777], ['{"auths":{}}', 0o600]);
    letGo();
    await id;
    assertEquals([...Deno.readDirSync(`${folder}/credentials`)], []);
    await command.close();

    const left = `${folder}/pull-credentials`;
    Deno.mkdirSync(left);
    Deno.writeTextFileSync(`${left}/a.json`, "{}");
    const clock = new SystemClock();
    await openRuntimes({ clock, pulse: new Pulse(clock), dataDir: folder, event: () => {} }).close();
    assert(![...Deno.readDirSync(folder)].some(({ name }) => name === "pull-credentials"));
  }));
