import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createHmac } from "node:crypto";
import type { Channel } from "../../src/notifications/channel.ts";
import { cloudEventsForm, readSigningKeys } from "../../src/notifications/cloud_event.ts";
import { slackForm } from "../../src/notifications/slack.ts";
import { webhookChannel } from "../../src/notifications/webhook_channel.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { notification } from "./support/notification.ts";
import { Receiver } from "./support/receiver.ts";

const KEYS = ["a".repeat(32), "b".repeat(24)];
const FILE = KEYS.map((key) => `whsec_${btoa(key)}\n`).join("\n");
const { signal } = new AbortController();

function channelTo(url: URL, timeoutMs = 10_000): Channel {
  return webhookChannel({
    clock: new SystemClock(),
    form: cloudEventsForm(url, FILE),
    userAgent: "test/1",
    timeoutMs,
  });
}

test("a webhook gets a CloudEvent that each key has signed", async () => {
  await using receiver = new Receiver();
  assertEquals(await channelTo(new URL("/in/here", receiver.url)).deliver(notification(), signal), "sent");
  const [{ path, headers, body }] = atLeast(1, receiver.received);
  assertEquals([path, headers.get("content-type")], ["/in/here", "application/cloudevents+json; charset=utf-8"]);
  const [id, timestamp] = [headers.get("webhook-id")!, headers.get("webhook-timestamp")!];
  assert(Math.abs(Date.now() / 1_000 - Number(timestamp)) < 60);
  const expected = KEYS.map((key) =>
    `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`
  );
  assertEquals(headers.get("webhook-signature"), expected.join(" "));
  const { data, ...event } = JSON.parse(body);
  assertEquals(event, {
    specversion: "1.0",
    id,
    source: "/apis/batch/v1/namespaces/shop/cronjobs/report",
    type: "dev.cronjob-controller.run.failed",
    subject: "report-1",
    time: "2026-03-10T12:00:00Z",
    datacontenttype: "application/json",
  });
  assertEquals([data.namespace, data.name, data.scheduledTime, data.failuresInARow, data.detail], [
    "shop",
    "report",
    "2026-03-10T11:59:00Z",
    1,
    "exit 3",
  ]);
});

test("a Slack-compatible webhook gets one line of code, at the address that its secret alone has", async () => {
  await using receiver = new Receiver();
  const form = slackForm(receiver.url, `${new URL("/services/T0/B0/path-secret", receiver.url)}\n`);
  const channel = webhookChannel({ clock: new SystemClock(), form, userAgent: "test/1" });
  const { run } = notification();
  const failed = notification({ run: { ...run, message: "exit 3: `@all` <!channel> &\nx" } });
  assertEquals(await channel.deliver(failed, signal), "sent");
  await channel.deliver(notification({ kind: "recovered", failuresInARow: 2 }), signal);
  const texts = receiver.received.map(({ path, headers, body }) => {
    assertEquals([path, headers.get("content-type")], ["/services/T0/B0/path-secret", "application/json"]);
    return JSON.parse(body);
  });
  assertEquals(texts, [
    { text: ":red_circle: `shop/report: exit 3: '@all' &lt;!channel&gt; &amp; x`" },
    { text: ":large_green_circle: `shop/report succeeded again after 2 failed runs in a row (report-1)`" },
  ]);
});

test("a message that is longer than any Slack-compatible receiver takes is cut between whole characters and escapes", () => {
  const form = slackForm(new URL("http://h"), "http://h/secret");
  const { run } = notification();
  for (const character of ["x", "<", "&", "😀"]) {
    for (const before of ["", "a", "ab", "abc"]) {
      const message = before + character.repeat(32_768);
      const { body } = form.requestOf(notification({ run: { ...run, message } }), 0);
      const { text } = JSON.parse(body!);
      assert(text.length < 2_000 && text.endsWith("…`") && text.isWellFormed(), text);
      const whole = text.replaceAll(/&(amp|lt|gt);/g, "");
      assert(!/[<&]/.test(whole), text);
    }
  }
});

test("the secret of a Slack-compatible webhook is refused in words that hold nothing of it", () => {
  for (
    const [secret, wrong] of [
      ["hunter2", "it holds no address"],
      ["https://hooks.example/hunter2", "its address is not at https://hooks.slack.com"],
    ] as const
  ) {
    assertEquals(assertThrows(() => slackForm(new URL("https://hooks.slack.com"), secret), Error).message, wrong);
  }
});

test("a redirect is not followed, and counts as a failure", async () => {
  await using other = new Receiver();
  await using receiver = new Receiver();
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.answer = () => new Response(null, { status, headers: { location: other.url.href } });
    const { message } = await assertRejects(
      () => channelTo(new URL("/path-secret", receiver.url)).deliver(notification(), signal),
      Error,
    );
    assertEquals(
      message,
      `Cannot send to ${receiver.url.origin}: the answer is ${status}, a redirect, which is not followed`,
    );
  }
  assertEquals(other.received, []);
});

test("what is no success is to be tried again, in words without the path", async () => {
  const receiver = new Receiver();
  const channel = channelTo(new URL("/path-secret", receiver.url));
  for (const status of [400, 404, 410, 429, 500, 503]) {
    receiver.answer = () => new Response("no", { status });
    const { message } = await assertRejects(() => channel.deliver(notification(), signal), Error);
    assertEquals(message, `Cannot send to ${receiver.url.origin}: the answer is ${status}`);
  }
  const { url } = receiver;
  await receiver[Symbol.asyncDispose]();
  const named = new URL("/path-secret", url);
  Object.assign(named, { username: "user-secret", password: "password-secret" });
  for (const address of [new URL("/path-secret", url), named]) {
    const { message } = await assertRejects(() => channelTo(address).deliver(notification(), signal), Error);
    assert(message.startsWith(`Cannot send to ${url.origin}: `) && !message.includes("secret"), message);
  }
});

test("a receiver that hangs, or dribbles its answer, is not waited for", async () => {
  await using receiver = new Receiver();
  const hanging = Promise.withResolvers<Response>();
  receiver.answer = () => hanging.promise;
  const { message } = await assertRejects(() => channelTo(receiver.url, 200).deliver(notification(), signal), Error);
  assertEquals(message, `Cannot send to ${receiver.url.origin}: no answer within 0.2 s`);
  hanging.resolve(new Response("late"));
  receiver.answer = () =>
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1)) }));
  assertEquals(await channelTo(receiver.url).deliver(notification(), signal), "sent");
});

test("keys are refused that are none, in words that hold nothing of them", () => {
  for (
    const [text, wrong] of [
      ["", "it is empty"],
      ["\n \n", "it is empty"],
      ["hunter2", "the key does not begin with whsec_"],
      ["whsec_!!", "the key is not base64 after whsec_"],
      [`whsec_${btoa("short")}`, "the key has fewer than 24 bytes"],
      [`${FILE}\nhunter2`, "key 3 does not begin with whsec_"],
    ] as const
  ) assertEquals(assertThrows(() => readSigningKeys(text), Error).message, wrong);
});
