import { concat } from "../../kube/byte_source.ts";

/** A line of a log that a container engine has written: time, stream, `F` or `P`, what the container wrote. */
const PREFIX = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d) (?:stdout|stderr) ([FP])( |$)/;

/** No prefix is longer. */
const PREFIX_BYTES = 64;

const NEWLINE = 10;

/**
 * Reads a line without its line break, with its time as Kubernetes prints those of logs. A line without a prefix says what
 * was cut out, and has none.
 */
function readCriLine(line: Uint8Array) {
  const match = PREFIX.exec(new TextDecoder("latin1").decode(line.subarray(0, PREFIX_BYTES)));
  if (!match) return { time: undefined, text: line, endsLine: true };
  const [prefix, seconds, fraction = ".", zone, tag] = match;
  const time = new Date(`${seconds}${zone}`).toISOString().replace(".000Z", `${fraction.padEnd(10, "0")}Z`);
  return { time, text: line.subarray(prefix.length), endsLine: tag === "F" };
}

/** Returns what turns the bytes of such a log, piece by piece, into what the container wrote. */
export function criReader({ timestamps }: { timestamps: boolean }): (bytes: Uint8Array) => Uint8Array<ArrayBuffer> {
  let rest: Uint8Array = new Uint8Array(0);
  let atStart = true;
  return (bytes) => {
    const pieces: Uint8Array[] = [];
    const all = concat([rest, bytes]);
    let start = 0;
    for (let newline = all.indexOf(NEWLINE); newline >= 0; newline = all.indexOf(NEWLINE, start)) {
      const { time, text, endsLine } = readCriLine(all.subarray(start, newline));
      if (timestamps && atStart && time !== undefined) pieces.push(new TextEncoder().encode(`${time} `));
      pieces.push(text, ...endsLine ? [Uint8Array.of(NEWLINE)] : []);
      atStart = endsLine;
      start = newline + 1;
    }
    rest = all.slice(start);
    return concat(pieces);
  };
}
