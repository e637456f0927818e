import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../../src/kubelet/engine/api/engine_error.ts";
import { ImagePulls } from "../../../../src/kubelet/engine/images/image_pulls.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { test } from "../../../support/test.ts";
import { until } from "../../support/test_kubelet.ts";
import { startFakeEngine } from "../support/fake_engine.ts";

interface Engine {
  readonly pulls: ImagePulls;
  /** The pulls that have begun: the image, and the credentials. */
  readonly begun: string[];
  /** How many of them were cut off. */
  stopped(): number;
  /** Ends all pulls, with these records as the last. */
  letGo(...records: object[]): void;
}

async function withEngine(check: (engine: Engine) => Promise<void>): Promise<void> {
  const begun: string[] = [];
  let stopped = 0;
  const go = Promise.withResolvers<readonly object[]>();
  await using engine = await startFakeEngine(new FakeClock(), ({ query, request }) => {
    begun.push(`${query.get("fromImage")} ${request.headers.get("x-registry-auth") ?? ""}`.trim());
    const send = (controller: ReadableStreamDefaultController<Uint8Array>, record: object) =>
      controller.enqueue(new TextEncoder().encode(`${JSON.stringify(record)}\r\n`));
    return new Response(
      new ReadableStream({
        async start(controller) {
          send(controller, { status: "Pulling" });
          const records = await go.promise;
          try {
            for (const record of records) send(controller, record);
            controller.close();
          } catch {
            // It was cut off.
          }
        },
        cancel: () => void stopped++,
      }),
    );
  });
  const letGo = (...records: object[]) => go.resolve(records);
  await check({ pulls: new ImagePulls(engine.api), begun, stopped: () => stopped, letGo });
}

const wanted = () => new AbortController().signal;

test("An image is pulled once for all who want it at a time with the same credentials", () =>
  withEngine(async ({ pulls, begun, letGo }) => {
    const done = [undefined, undefined, "e30", "e30"].map((auth) => pulls.pull("a/image:1", auth, wanted()));
    await until(() => begun.length === 2);
    letGo({ status: "Status: Downloaded newer image" });
    await Promise.all(done);
    assertEquals(begun.toSorted(), ["a/image:1", "a/image:1 e30"]);
    await pulls.pull("h:5/image", undefined, wanted());
    assertEquals(begun.at(-1), "h:5/image:latest");
  }));

test("What became of a pull is its last record, whatever the answer's status", () =>
  withEngine(async ({ pulls, letGo }) => {
    letGo({ status: "Downloading" }, { error: "manifest unknown", errorDetail: { message: "manifest unknown" } });
    await assertRejects(() => pulls.pull("image", undefined, wanted()), EngineError, "manifest unknown");
  }));

test("A pull is stopped once it is not waited for any more", () =>
  withEngine(async ({ pulls, begun, stopped, letGo }) => {
    const [one, two] = [new AbortController(), new AbortController()];
    const [first, second] = [pulls.pull("image", "e30", one.signal), pulls.pull("image", "e30", two.signal)];
    await until(() => begun.length === 1);
    one.abort();
    await assertRejects(() => first, DOMException);
    assertEquals(stopped(), 0);
    two.abort();
    await assertRejects(() => second, DOMException);
    await until(() => stopped() === 1);
    letGo();
  }));

test("Three images are pulled at a time: more wait for their turn, and one that is not waited for any more never begins", () =>
  withEngine(async ({ pulls, begun, letGo }) => {
    const leaving = new AbortController();
    const done = ["a:1", "b:1", "c:1"].map((name) => pulls.pull(name, undefined, wanted()));
    const left = assertRejects(() => pulls.pull("d:1", undefined, leaving.signal), DOMException);
    const last = pulls.pull("e:1", undefined, wanted());
    await until(() => begun.length === 3);
    leaving.abort();
    await left;
    assertEquals(begun.toSorted(), ["a:1", "b:1", "c:1"]);
    letGo({ status: "Status: Downloaded newer image" });
    await Promise.all([...done, last]);
    assertEquals(begun.toSorted(), ["a:1", "b:1", "c:1", "e:1"]);
  }));
