import { assertEquals } from "@std/assert";
import { chooseProtocol, type ClientMessage, readMessage } from "../../../src/apiserver/channels/protocol.ts";
import { test } from "../../support/test.ts";

test("The best protocol that both know is spoken", () => {
  const rows: [offered: string, chosen: string | undefined][] = [
    ["v5.channel.k8s.io", "v5.channel.k8s.io"],
    ["v4.channel.k8s.io, v5.channel.k8s.io", "v5.channel.k8s.io"],
    ["v4.channel.k8s.io,base64.channel.k8s.io", "v4.channel.k8s.io"],
    ["channel.k8s.io", undefined],
    ["", undefined],
  ];
  for (const [offered, chosen] of rows) assertEquals(chooseProtocol(offered), chosen, offered);
});

test("What a client sends is distinguished by its first byte; what means nothing has no effect", () => {
  const bytes = (...numbers: number[]) => new Uint8Array(numbers).buffer;
  const resize = (size: string) => bytes(4, ...new TextEncoder().encode(size));
  const rows: [data: unknown, message: ClientMessage | undefined][] = [
    [bytes(0, 65, 66), { kind: "stdin", bytes: new Uint8Array([65, 66]) }],
    [bytes(0), { kind: "stdin", bytes: new Uint8Array() }],
    [bytes(255, 0), { kind: "stdinEnd" }],
    [resize('{"Width":80,"Height":24}'), { kind: "resize", width: 80, height: 24 }],
    ...[
      bytes(),
      bytes(1, 65),
      bytes(255, 1),
      bytes(255),
      "text",
      undefined,
      resize("{"),
      resize("null"),
      resize('{"Width":-1,"Height":24}'),
      resize('{"Width":80,"Height":65536}'),
      resize('{"Width":"80","Height":"1; reboot"}'),
    ].map((data): [unknown, undefined] => [data, undefined]),
  ];
  for (const [data, message] of rows) assertEquals(readMessage(data), message);
});
