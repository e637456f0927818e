import { assertEquals } from "@std/assert";
import { LastingServer } from "../../src/telemetry/lasting_server.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";

test("LastingServer listens again on its port once there is a file descriptor for it, and ends for good when closed", async () => {
  const clock = new FakeClock();
  const told: string[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  let refusals = 0;
  const listen = (signal: AbortSignal, port = 1_234) => {
    if (refusals-- > 0) throw new Error("Too many open files");
    const end = Promise.withResolvers<void>();
    ends.push(end);
    told.push(`listens on ${port}`);
    signal.addEventListener("abort", () => end.resolve());
    return { finished: end.promise, addr: { port } } as Deno.HttpServer<Deno.NetAddr>;
  };
  const onFailure = (error: unknown) => told.push(String(error));
  const server = new LastingServer({ clock, listen, onFailure, onEnd: () => told.push("all end") });
  const { signal } = server;
  refusals = 2;
  ends[0]!.reject(new Error("Too many open files"));
  await settle();
  assertEquals(told.splice(0), ["listens on 1234", "Error: Too many open files", "all end"]);
  assertEquals(signal.aborted, true);
  await clock.advance(1_000);
  assertEquals(told, []);
  await clock.advance(1_000);
  assertEquals(told.splice(0), ["listens on 1234"]);
  assertEquals(server.signal.aborted, false);
  await server.restart();
  assertEquals(told.splice(0), ["all end", "listens on 1234"]);
  await server.close();
  await server.restart();
  assertEquals(told, ["all end", "all end"]);
  assertEquals(clock.pending, 0);
});
