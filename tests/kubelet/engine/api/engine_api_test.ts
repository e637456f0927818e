import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../../src/kubelet/engine/api/engine_error.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { test } from "../../../support/test.ts";
import { testAlone } from "../../../support/test_alone.ts";
import { until } from "../../support/test_kubelet.ts";
import { refusal, startFakeEngine } from "../support/fake_engine.ts";

test("The highest version of the API that both sides know is used: an engine may refuse older ones", async () => {
  for (const [version, used] of [["1.41", 41], ["1.44", 44], ["1.60", 51]] as const) {
    await using engine = await startFakeEngine(new FakeClock(), ({ request }) => {
      const [, minor = ""] = /^\/v1\.(\d+)\//.exec(new URL(request.url).pathname) ?? [];
      // As Docker 29.
      const isTooOld = version !== "1.41" && Number(minor) < 44;
      return isTooOld ? refusal(400, `client version 1.${minor} is too old`) : { used: Number(minor) };
    }, { version });
    assertEquals(await engine.api.get("/info"), { used });
  }
});

test("An engine that is too old is refused with what is needed", async () => {
  for (const version of ["1.40", ""]) {
    await using engine = await startFakeEngine(new FakeClock(), () => ({}), { version });
    await assertRejects(() => engine.api.get("/info"), EngineError, "1.41 or newer is needed: upgrade it");
  }
});

test("An error has the answer's status, and the API's own reason", async () => {
  const podman = `creating container storage: the container name "c" is already in use by 1. You have to remove it`;
  const cases = [
    [409, "Conflict", 409, false],
    [500, podman, 409, false],
    [500, "netavark: no such network", 500, true],
    [500, "out of sorts", 500, false],
  ] as const;
  for (const [status, message, documented, isOfNetwork] of cases) {
    await using engine = await startFakeEngine(new FakeClock(), () => refusal(status, message));
    const error = await assertRejects(() => engine.api.post("/containers/create"), EngineError, message);
    assertEquals([error.status, error.isOfNetwork], [documented, isOfNetwork]);
  }
});

test("A request without an answer ends after its time, and a closed API sends none", async () => {
  const clock = new FakeClock();
  const never = Promise.withResolvers<undefined>();
  await using engine = await startFakeEngine(clock, () => never.promise);
  const answered = assertRejects(() => engine.api.get("/info"), EngineError, "podman took longer than 60 s");
  await until(() => engine.asked.length === 1);
  await clock.advance(60_000);
  await answered;
  never.resolve(undefined);
  await engine.api.close();
  await assertRejects(() => engine.api.get("/info"), EngineError, "the program stops");
  // It would start podman's service anew.
  await assertRejects(() => engine.api.socketPath(), EngineError, "the program stops");
  assertEquals(clock.pending, 0);
});

test("An engine that is exchanged for one that refuses the version is asked anew which it knows", async () => {
  const versions = ["1.41", "1.44"];
  await using engine = await startFakeEngine(new FakeClock(), ({ request }) => {
    const isKnown = new URL(request.url).pathname.startsWith(`/v${versions[0]}/`);
    return isKnown ? { isKnown } : refusal(400, "client version 1.41 is too old");
  }, { version: () => versions[0]! });
  await engine.api.get("/info");
  versions.shift();
  await assertRejects(() => engine.api.get("/info"), EngineError, "too old");
  assertEquals(await engine.api.get("/info"), { isKnown: true });
});

testAlone(import.meta.url, "Requests go to the engine's socket, whatever the environment says of proxies", async () => {
  for (
    const [name, value] of [["NO_PROXY", "*"], ["no_proxy", "*,engine,127.0.0.1,::1"], ["HTTP_PROXY", "http://[::1]:9"]]
  ) {
    Deno.env.set(name!, value!);
    await using engine = await startFakeEngine(new FakeClock(), () => ({ isAsked: true }));
    assertEquals(await engine.api.get("/info"), { isAsked: true });
    assertEquals(await engine.api.post("/info"), { isAsked: true });
    Deno.env.delete(name!);
  }
});
