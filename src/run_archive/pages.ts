import { type Answer, type ApiRequest, json, streamed, text } from "../apiserver/http/exchange.ts";
import { criReader } from "../kubelet/files/cri_log.ts";
import { askedIn } from "../view/kept_runs.ts";
import type { RunArchive } from "./archive.ts";

/** Returns what the API server answers for `/history`: what is kept of runs, and single logs. */
export function historyPage(archive: RunArchive): (request: ApiRequest) => Answer | undefined {
  return ({ path, query }) => {
    switch (path) {
      case "/history/runs":
        return json({ runs: archive.runs(askedIn(query)) });
      case "/history/watched":
        return json(archive.watched());
      case "/history/log": {
        const kept = archive.openLog(query.get("file") ?? "");
        if (!kept) return text(404, "no such log is kept\n");
        const tail = query.get("tailLines");
        return streamed(streamOf(kept, tail === null ? 0 : kept.log.offsetOfTail(Number(tail))));
      }
      default:
        return undefined;
    }
  };
}

type KeptLogFile = NonNullable<ReturnType<RunArchive["openLog"]>>;

function streamOf({ log, isCri }: KeptLogFile, from: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const read = isCri ? criReader({ timestamps: false }) : (bytes: Uint8Array<ArrayBuffer>) => bytes;
  let offset = from;
  return new ReadableStream({
    pull(controller) {
      // A piece without a whole line yields no output: the next one is read then.
      for (;;) {
        const { bytes, next } = log.read(offset);
        offset = next;
        if (bytes.length === 0) return controller.close();
        const output = read(bytes);
        if (output.length > 0) return controller.enqueue(output);
      }
    },
  });
}
