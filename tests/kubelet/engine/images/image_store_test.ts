import { assertEquals, assertRejects } from "@std/assert";
import { ImageStore } from "../../../../src/kubelet/engine/images/image_store.ts";
import { RunFiles } from "../../../../src/kubelet/files/run_files.ts";
import { ContainerConfigError } from "../../../../src/kubelet/inputs/config_error.ts";
import type { Image, RunOfContainer } from "../../../../src/kubelet/runtime.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { test } from "../../../support/test.ts";
import { podOf, until } from "../../support/test_kubelet.ts";
import { startFakeEngine } from "../support/fake_engine.ts";

interface World {
  /** Sees to it that a container of this image has it. */
  ready(image: string, signal?: AbortSignal, more?: object): Promise<Image>;
  /** The images whose pulls have begun. */
  readonly begun: string[];
  /** The reasons of Events. */
  readonly events: string[];
  /** How many pulls were cut off. */
  stopped(): number;
  /** Ends all pulls, with these records as the last. */
  letGo(...records: object[]): void;
}

async function withStore(check: (world: World) => Promise<void>): Promise<void> {
  const begun: string[] = [];
  const pulled = new Set<string>();
  const events: string[] = [];
  let stopped = 0;
  const go = Promise.withResolvers<readonly object[]>();
  const clock = new FakeClock();
  await using engine = await startFakeEngine(clock, ({ what, query }) => {
    const [, name = ""] = /^GET \/images\/(.*)\/json$/.exec(decodeURIComponent(what)) ?? [];
    if (name) return [...pulled].some((each) => each.includes(name)) ? { Id: name } : undefined;
    const image = query.get("fromImage")!;
    begun.push(image);
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
            pulled.add(image);
          } catch {
            // It was cut off.
          }
        },
        cancel: () => void stopped++,
      }),
    );
  });
  const event = (_: unknown, _type: string, reason: string) => void events.push(reason);
  const store = new ImageStore({ api: engine.api, clock, event });
  const ready = (image: string, signal = new AbortController().signal, more = {}) => {
    const pod = {
      ...podOf("p", { image, ...more }),
      metadata: { name: "p", uid: "u" },
    } as unknown as RunOfContainer["pod"];
    const run = { pod, container: pod.spec!.containers[0]!, files: new RunFiles(engine.folder, 0) };
    return store.ready(run, signal);
  };
  const letGo = (...records: object[]) => go.resolve(records);
  await check({ ready, begun, events, stopped: () => stopped, letGo });
}

const DONE = { status: "Status: Downloaded newer image" };

test("An image that is not there is pulled by its whole name, and one that is there only where its policy has it", () =>
  withStore(async ({ ready, begun, events, letGo }) => {
    letGo(DONE);
    assertEquals((await ready("h:5/image")).id, "h:5/image");
    await ready("h:5/image");
    await ready("h:5/image", undefined, { imagePullPolicy: "Always" });
    assertEquals(begun, ["h:5/image:latest", "h:5/image:latest"]);
    assertEquals(events, ["Pulling", "Pulled", "Pulled", "Pulling", "Pulled"]);
    const never = () => ready("other", undefined, { imagePullPolicy: "Never" });
    assertEquals((await assertRejects(never, ContainerConfigError)).state, "ErrImageNeverPull");
  }));

test("What became of a pull is its last record, whatever the answer's status", () =>
  withStore(async ({ ready, letGo }) => {
    letGo({ status: "Downloading" }, { error: "manifest unknown", errorDetail: { message: "manifest unknown" } });
    const error = await assertRejects(
      () => ready("image"),
      ContainerConfigError,
      'pull image "image": manifest unknown',
    );
    assertEquals([error.state, error.reason], ["ErrImagePull", "Failed"]);
  }));

test("A pull is stopped once its container is not to be started any more", () =>
  withStore(async ({ ready, begun, stopped, letGo }) => {
    const leaving = new AbortController();
    const left = ready("image", leaving.signal);
    await until(() => begun.length === 1);
    leaving.abort();
    await assertRejects(() => left, DOMException);
    await until(() => stopped() === 1);
    letGo();
  }));

test("Three images are pulled at a time; those that wait for their turn look again, and pull nothing once they have left", () =>
  withStore(async ({ ready, begun, letGo }) => {
    const leaving = new AbortController();
    const done = ["a/a:1", "a/b:1", "a/c:1"].map((name) => ready(name));
    await until(() => begun.length === 3);
    const left = assertRejects(() => ready("a/d:1", leaving.signal), DOMException);
    const last = [ready("a/a:1"), ready("a/e:1")];
    leaving.abort();
    await left;
    letGo(DONE);
    await Promise.all([...done, ...last]);
    assertEquals(begun.toSorted(), ["a", "b", "c", "e"].map((name) => `docker.io/a/${name}:1`));
  }));
