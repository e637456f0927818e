import { assert, assertEquals } from "@std/assert";
import { AnswerParser, type ParsedAnswer } from "../../../../src/kube/sockets/answer_parser.ts";
import { Random } from "../../../chaos/suite/random.ts";
import { must } from "../../../support/expected.ts";
import { lines } from "../../../support/lines.ts";
import { randomAnswer } from "./random_answers.ts";

/** What was read: an answer, or why there is none. */
export type Reading = Read | { readonly refused: string };

interface Read {
  readonly status: number;
  readonly body: string;
  /** Whether bytes on the same connection would be taken for another answer. */
  readonly keepsOpen?: boolean;
}

/** Reads the first answer of bytes that arrive in pieces of these lengths, again and again. */
export async function readInPieces(bytes: Uint8Array, cuts: readonly number[]): Promise<Reading> {
  const parser = new AnswerParser();
  try {
    const parsed = feed(parser, bytes, cuts) ?? parser.ended();
    if (!parsed) return { refused: "incomplete" };
    const { answer, keepsOpen } = parsed;
    return { status: answer.status, body: await answer.text(), keepsOpen };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

function feed(parser: AnswerParser, bytes: Uint8Array, cuts: readonly number[]): ParsedAnswer | undefined {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const room = parser.room();
    const piece = bytes.subarray(at, at + Math.min(room.length, must(cuts[turn % cuts.length])));
    room.set(piece);
    at += piece.length;
    const parsed = parser.received(piece.length);
    if (parsed) return parsed;
  }
  return undefined;
}

/** Reads each of them as node does. It needs `node` on PATH. */
export async function readByNode(answers: readonly Uint8Array[]): Promise<Reading[]> {
  const script = new URL("./node_answers.mjs", import.meta.url).pathname;
  const node = new Deno.Command("node", { args: [script], stdin: "piped", stdout: "piped" }).spawn();
  const input = answers.map((bytes) => `${bytes.toBase64()}\n`).join("");
  const written = new Blob([input]).stream().pipeTo(node.stdin);
  const readings: Reading[] = [];
  for await (const line of lines(node.stdout)) {
    const { body, ...rest } = JSON.parse(line);
    readings.push(body === undefined ? rest : { ...rest, body: new TextDecoder().decode(Uint8Array.fromBase64(body)) });
  }
  await Promise.all([written, node.status]);
  return readings;
}

/**
 * Compares so many random answers with what node reads, and each with itself under as many random splits besides byte by byte:
 * between splits nothing may differ, nor status and body where both accept. Nothing may follow on the same connection after an
 * answer that only node refuses.
 */
export async function compareAnswers(
  seed: number,
  { count, splits }: { count: number; splits: number },
): Promise<void> {
  const random = new Random(seed);
  const answers = Array.from({ length: count }, () => randomAnswer(random));
  const ours: Reading[] = [];
  for (const bytes of answers) {
    const whole = await readInPieces(bytes, [Infinity]);
    const cuts = Array.from(
      { length: splits },
      () => Array.from({ length: random.whole(1, 4) }, () => random.whole(1, 40)),
    );
    for (const cut of [[1], ...cuts]) assertEquals(core(await readInPieces(bytes, cut)), core(whole), shown(bytes));
    ours.push(whole);
  }
  const nodes = await readByNode(answers);
  assertEquals(nodes.length, count);
  let both = 0;
  for (const [at, bytes] of answers.entries()) {
    const [our, node] = [must(ours[at]), must(nodes[at])];
    if ("refused" in our) continue;
    // It refuses the next answer too, if there are bytes behind this one.
    if ("refused" in node) assert(!our.keepsOpen, `node refuses ${shown(bytes)}: ${node.refused}`);
    else assertEquals(core(our), core(node), shown(bytes));
    if (!("refused" in node)) both++;
  }
  assert(both > count / 2, `only ${both} of ${count} were taken by both`);
}

/** What does not depend on how much of the next bytes is there already. */
function core(reading: Reading): object {
  return "refused" in reading ? reading : { status: reading.status, body: reading.body };
}

function shown(bytes: Uint8Array): string {
  return JSON.stringify(new TextDecoder("latin1").decode(bytes));
}
