import { lineBatches } from "../../../kube/json_lines.ts";
import type { EngineApi, EngineRequest } from "../api/engine_api.ts";
import { EngineError } from "../api/engine_error.ts";

/** What an engine reports while it gets an image. */
interface ImageRecord {
  readonly status?: string;
  readonly error?: string;
}

/**
 * Has an engine pull or import an image. The last record of the answer says what became of it.
 *
 * @returns the last record's status: of an import the image's id
 * @throws {EngineError} with the engine's reason
 */
export function createImage(api: EngineApi, request: EngineRequest): Promise<string> {
  return api.stream("POST", "/images/create", request, async ({ status, body }) => {
    let last: ImageRecord = { error: `${api.engine} has not reported what became of the image` };
    for await (const lines of lineBatches(ReadableStream.from(body))) {
      const records = lines.map((line): ImageRecord => JSON.parse(line));
      last = records.find(({ error }) => error !== undefined) ?? records.at(-1)!;
      if (last.error !== undefined) break;
    }
    if (last.error !== undefined) throw new EngineError(last.error, { status });
    return last.status ?? "";
  });
}
